#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks privacy code on purpose, one line at a time, and tells whether a test sees it.

    run.py BUILD_FOLDER [--worst] [--only TEXT] [-j JOBS]

Mutants are in *.toml beside this file. Each is built alone: the object of the faulty source is linked ahead of the libraries, into
the one test program that has to fail. Keys of a mutant:

    file       the source
    line       the text to replace. It must stand in the file exactly once, or, with `after`, behind that text, which must
    now        what takes its place
    fault      for people: what is wrong then
    by         the program that must fail, and the gtest filter or the arguments that make it quick
    worst      true: one of those that every change is tried with
    equivalent in the place of `by`: why nothing can tell

The program must succeed without the fault: that is looked at first. A program that takes more than LIMIT_SECONDS of CPU hangs, and
that is a failure like any other. The exit code is 0 only if every mutant is killed or equivalent.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEYS = {"file", "line", "now", "fault", "by", "after", "worst", "equivalent"}
LIMIT_SECONDS = 120
LIMIT_BYTES = 16 << 30


def read_mutants():
    mutants = []
    for path in sorted(HERE.glob("*.toml")):
        for mutant in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
            mutant["list"] = path.name
            mutants.append(mutant)
    return mutants


def broken(mutant):
    """The source with the fault. Ends the run if the list no longer fits the source."""
    where = f"{mutant['list']}: {mutant.get('fault', '?')!r}"
    unknown = set(mutant) - KEYS - {"list"}
    if unknown or ("by" in mutant) == ("equivalent" in mutant):
        sys.exit(f"mutants: {where}: unknown keys {sorted(unknown)}, or not exactly one of `by` and `equivalent`")
    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    start = 0
    if "after" in mutant:
        if text.count(mutant["after"]) != 1:
            sys.exit(f"mutants: {where}: {mutant['after']!r} stands {text.count(mutant['after'])} times in {mutant['file']}, not once")
        start = text.index(mutant["after"]) + len(mutant["after"])
    found = text.count(mutant["line"], start)
    if found != 1 and not (found > 1 and start):
        sys.exit(f"mutants: {where}: {mutant['line']!r} stands {found} times in {mutant['file']}, not once")
    return text[:start] + text[start:].replace(mutant["line"], mutant["now"], 1)


def command_of(by, program):
    name, *arguments = shlex.split(by)
    if name.endswith("_test"):
        arguments = ["--gtest_filter=" + ":".join(arguments), "--gtest_brief=1", "--gtest_fail_fast"]
    return [str(program), *arguments]


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **options)


def run_limited(command):
    """The exit code (negative: a signal) and what was said. Limits are of CPU time and memory, whatever else the machine does."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_SECONDS, LIMIT_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    try:
        done = run(command, cwd=ROOT, preexec_fn=limit, timeout=20 * LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return -9, "waits for ever"
    return done.returncode, done.stdout


class Build:
    """Knows how the sources of a build folder are compiled and its programs linked."""

    def __init__(self, folder):
        self.folder = folder
        self.compiles, self.links = {}, {}

    def make(self, programs):
        done = run(["cmake", "--build", str(self.folder), "--target", *sorted(programs)])
        if done.returncode != 0:
            sys.exit(f"mutants: the programs cannot be built\n{done.stdout}")
        entries = json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.compiles = {entry["file"]: entry["command"] for entry in entries}
        for program in programs:
            commands = run(["ninja", "-C", str(self.folder), "-t", "commands", program]).stdout.splitlines()
            self.links[program] = shlex.split(commands[-1].removeprefix(": && ").removesuffix(" && :"))

    def program(self, name):
        link = self.links[name]
        return self.folder / link[link.index("-o") + 1]

    def compile(self, source, text, scratch):
        """The object of `text` in the place of `source`."""
        # At its own path below another root, which comes first: sources that include themselves find the copy.
        copy = scratch / source
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")
        command = shlex.split(self.compiles[str(ROOT / source)])
        target = str(scratch / "fault.o")
        command[command.index("-o") + 1] = target
        command[command.index("-c") + 1] = str(copy)
        command[command.index("-c"):command.index("-c")] = ["-w", f"-I{scratch / 'src'}"]
        first = next(i for i, part in enumerate(command) if part.startswith("-I"))
        command.insert(first, f"-I{scratch / 'src'}")
        done = run(command, cwd=self.folder)
        if done.returncode != 0:
            sys.exit(f"mutants: {source} with a fault cannot be compiled\n{done.stdout}")
        return target

    def link(self, program, fault, scratch):
        command = list(self.links[program])
        target = str(scratch / program)
        command[command.index("-o") + 1] = target
        first = next(i for i, part in enumerate(command) if part.endswith(".a"))
        command.insert(first, fault)
        done = run(command, cwd=self.folder)
        if done.returncode != 0:
            sys.exit(f"mutants: {program} cannot be linked\n{done.stdout}")
        return target


def verdict(build, number, mutant):
    if "equivalent" in mutant:
        return "equivalent", mutant["equivalent"]
    scratch = build.folder / "mutants" / str(number)
    program = shlex.split(mutant["by"])[0]
    fault = build.compile(mutant["file"], broken(mutant), scratch)
    faulty = build.link(program, fault, scratch)
    code, said = run_limited(command_of(mutant["by"], faulty))
    for path in (fault, faulty):
        os.unlink(path)
    if code == 0:
        return "SURVIVED", mutant["by"]
    if code in (-9, -24):
        return "killed", f"{mutant['by']} (hangs)"
    failed = [line.removeprefix("[  FAILED  ] ").split(" ")[0] for line in said.splitlines() if line.startswith("[  FAILED  ] ")]
    return "killed", failed[0].rstrip(",") if failed else mutant["by"]


def check_programs(build, commands, jobs):
    """Each must succeed, and look at something, as long as nothing is broken."""
    def check(by):
        code, said = run_limited(command_of(by, build.program(shlex.split(by)[0])))
        return by, code, said

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for by, code, said in pool.map(check, commands):
            if code != 0 or "0 tests from 0 test suites ran" in said:
                sys.exit(f"mutants: `{by}` does not succeed without a fault, or has no tests\n{said}")


def main():
    parser = argparse.ArgumentParser(description="Breaks privacy code on purpose and tells whether a test sees it.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--worst", action="store_true")
    parser.add_argument("--only", default="", help="a part of the list's or the source's name, or of the fault")
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    mutants = read_mutants()
    for mutant in mutants:
        broken(mutant)
    chosen = [(number, mutant) for number, mutant in enumerate(mutants)
              if options.only in f"{mutant['list']} {mutant['file']} {mutant['fault']}" and (mutant.get("worst") or not options.worst)]
    killers = sorted({mutant["by"] for _, mutant in chosen if "by" in mutant})
    build = Build(options.build.resolve())
    build.make({shlex.split(by)[0] for by in killers})
    check_programs(build, killers, options.jobs)
    counts = {"killed": 0, "equivalent": 0, "SURVIVED": 0}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda item: verdict(build, *item), chosen)
        for (_, mutant), (result, why) in zip(chosen, verdicts, strict=True):
            counts[result] += 1
            print(f"{result:<11}{mutant['file'].removeprefix('src/'):<40} {mutant['fault']}\n{'':<11}{why}", flush=True)
    print(f"{counts['killed']} killed, {counts['equivalent']} equivalent, {counts['SURVIVED']} survived")
    return 0 if chosen and counts["SURVIVED"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
