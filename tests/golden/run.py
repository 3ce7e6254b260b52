#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the dialogues in *.test files and the console examples of the documentation.

A .test file is a list of blocks; lines between them that are empty or start with '#' are comments:

    file plan.json                 a file for the commands below
    {"relation": "add-remove", "events": []}
    end

    run [exit N] COMMAND           run by sh in a folder of the test's own; N is the exit code, 0 if not said
    ----
    expected standard output, then expected standard error
    end

Every time is shown as 2026-01-01T00:00:00Z, hashes of 64 digits as <head>, and the folder's path is left out.
In Markdown, ```console blocks hold lines `$ COMMAND`, each followed by its output. A block that starts with
`# not run: REASON` is listed and left alone. The files of docs/examples are at hand under their names.

    run.py --sosia build/dev/src/cli/sosia [--update] tests/golden/*.test
    run.py --sosia build/dev/src/cli/sosia [--update] --docs README.md docs
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Folder:
    """A folder of its own for each file of tests, with `sosia` on the path."""

    def __init__(self, sosia):
        self._temporary = tempfile.TemporaryDirectory(prefix="sosia-golden-")
        base = pathlib.Path(self._temporary.name).resolve()
        (base / "bin").mkdir()
        (base / "bin" / "sosia").symlink_to(pathlib.Path(sosia).resolve())
        self.path = base / "work"
        self.path.mkdir()
        self._environment = dict(os.environ, PATH=f"{base / 'bin'}:{os.environ['PATH']}", LC_ALL="C.UTF-8")

    def run(self, command):
        """Exit code and normalised output."""
        done = subprocess.run(["sh", "-c", command], cwd=self.path, env=self._environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120, check=False)
        return done.returncode, self._normal((done.stdout + done.stderr).decode("utf-8", "backslashreplace"))

    def _normal(self, text):
        text = text.replace(f"{self.path}/", "")
        text = re.sub(r"\b[0-9a-f]{64}\b", "<head>", text)
        text = re.sub(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-01-01T00:00:00Z", text)
        # An output that does not end in a newline is shown as one that does.
        return text if not text or text.endswith("\n") else text + "\n"


def report(place, command, expected, actual):
    print(f"FAILED {place}: {command}")
    sys.stdout.writelines(line if line.endswith("\n") else line + "\n" for line in difflib.unified_diff(
        expected.splitlines(keepends=True), actual.splitlines(keepends=True), "expected", "actual"))


def take_until(lines, start, stop, place):
    for end in range(start, len(lines)):
        if lines[end] == stop:
            return lines[start:end], end + 1
    sys.exit(f"{place}:{start}: no line '{stop}' after this one")


def run_test_file(path, sosia, update):
    """Runs one .test file; returns the number of failed blocks."""
    folder, failures = Folder(sosia), 0
    lines, out, i = path.read_text(encoding="utf-8").splitlines(), [], 0
    while i < len(lines):
        line, place = lines[i], f"{path.name}:{i + 1}"
        if not line or line.startswith("#"):
            out.append(line)
            i += 1
        elif line.startswith("file "):
            body, end = take_until(lines, i + 1, "end", path.name)
            (folder.path / line[5:]).write_text("\n".join(body) + "\n", encoding="utf-8")
            out += lines[i:end]
            i = end
        elif match := re.fullmatch(r"run (?:exit (\d+) )?(.+)", line):
            if lines[i + 1:i + 2] != ["----"]:
                sys.exit(f"{place}: no line '----' after the command")
            body, i = take_until(lines, i + 2, "end", path.name)
            code, actual = folder.run(match[2])
            expected = f"exit {match[1] or 0}\n" + "".join(text + "\n" for text in body)
            if expected != f"exit {code}\n{actual}":
                failures += 1
                if not update:
                    report(place, match[2], expected, f"exit {code}\n{actual}")
                elif code != int(match[1] or 0):
                    print(f"{place}: exit {match[1] or 0} becomes {code}: {match[2]}")
            out += [f"run {f'exit {code} ' if code else ''}{match[2]}", "----", *actual.splitlines(), "end"]
        else:
            sys.exit(f"{place}: neither a file nor a run: {line}")
    if update and failures:
        path.write_text("\n".join(out) + "\n", encoding="utf-8")
    return failures


def run_console_block(block, folder, place, update):
    """Runs the commands of one block; returns the block as it should be and the number of failures."""
    out, failures, i = [], 0, 0
    while i < len(block):
        if not block[i].startswith("$ "):
            sys.exit(f"{place}: a console block starts with '$ ' or '# not run: ', not with: {block[i]}")
        command, end = block[i][2:], i + 1
        while command.endswith("\\"):
            command, end = command + "\n" + block[end], end + 1
        shown = block[i:end]
        start = end
        while end < len(block) and not block[end].startswith("$ "):
            end += 1
        expected = "".join(text + "\n" for text in block[start:end])
        _, actual = folder.run(command)
        if expected != actual:
            failures += 1
            if not update:
                report(place, command, expected, actual)
        out += shown + actual.splitlines()
        i = end
    return out, failures


def run_document(path, sosia, update):
    """Runs the console examples of one Markdown file; returns how many ran and how many failed."""
    folder, failures, count = Folder(sosia), 0, 0
    for example in sorted((ROOT / "docs" / "examples").glob("*")):
        for target in (folder.path, folder.path / "docs" / "examples"):
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(example, target)
    lines, out, i = path.read_text(encoding="utf-8").splitlines(), [], 0
    while i < len(lines):
        out.append(lines[i])
        i += 1
        if lines[i - 1] != "```console":
            continue
        place = f"{path.name}:{i}"
        block, end = take_until(lines, i, "```", path.name)
        if block and block[0].startswith("# not run: "):
            print(f"{place}: {block[0][2:]}")
            out += block
        else:
            shown, failed = run_console_block(block, folder, place, update)
            out, failures, count = out + shown, failures + failed, count + 1
        out.append("```")
        i = end
    if update and failures:
        path.write_text("\n".join(out) + "\n", encoding="utf-8")
    return count, failures


def markdown_files(paths):
    for path in paths:
        yield from sorted(path.rglob("*.md")) if path.is_dir() else [path]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sosia", required=True, help="the program")
    parser.add_argument("--update", action="store_true", help="write what the program says into the files")
    parser.add_argument("--docs", nargs="+", type=pathlib.Path, default=[], help="Markdown files and folders of them")
    parser.add_argument("tests", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    failures = 0
    for path in options.tests:
        failures += run_test_file(path, options.sosia, options.update)
    for path in markdown_files(options.docs):
        count, failed = run_document(path, options.sosia, options.update)
        failures += failed
        if count:
            print(f"{path.name}: {count} examples, {failed} differ")
    print(f"{failures} {'updated' if options.update else 'failed'}")
    return 1 if failures and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
