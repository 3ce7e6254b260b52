#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of the papers, and scores of any synthetic table: fits by the command line, and what the rows are worth.

    bench/scores.py TABLE [SET ...] [--quick] [--record] [--method M,...] [--epsilon E,...] [--seeds S,...] [--set NAME=VALUE ...]

bench/paper_tables/tables.toml says what a table is made of, options and sets say otherwise. Prints a Markdown table, mean and
standard deviation over seeds; what was done before, by the same program and code, is taken from build/scores. With --record, the
scores go to bench/paper_tables, from where bench/results.py takes them. Tables, sets and set-up: bench/README.md.
"""
import argparse
import os
import shlex
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

SKIPPED = 77
try:
    import numpy  # noqa: F401  what everything here needs
except ModuleNotFoundError:
    print("scores: skipped, there is no numpy; bench/README.md says how to set up")
    sys.exit(SKIPPED)

import recorded
from public_nets import Nets
from scoring import runs
from scoring.protocols import PROTOCOLS
from scoring.task import CLASSIFIERS

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "bench/paper_tables/tables.toml"
FEW = 6  # scores, that still fit beside each other


def parsed():
    parser = argparse.ArgumentParser(description="Scores of synthetic tables.")
    parser.add_argument("table", metavar="TABLE", choices=PROTOCOLS, help="; ".join(f"{k}: {p.sets}" for k, p in PROTOCOLS.items()))
    parser.add_argument("sets", metavar="SET", nargs="*", help="the table's, if none is said")
    parser.add_argument("--quick", action="store_true", help="fewer rows, seeds and classifiers: a minute, to see that it runs")
    parser.add_argument("--record", action="store_true", help="put the scores into bench/paper_tables")
    for name in ("method", "epsilon", "seeds", "classifiers"):
        parser.add_argument(f"--{name}", help="separated by commas; the table's, if not said")
    parser.add_argument("--delta", type=float, help="the protocol's, if not said")
    parser.add_argument("--relation", help="the protocol's, if not said")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the method")
    parser.add_argument("--features", type=Path, help="I1: a net of public images for dp-mepf, in the place of that of bench/public_nets.py")
    parser.add_argument("--means", action="store_true", help="show only the means over classifiers")
    parser.add_argument("--no-evaluate", action="store_true", help="without the scores of `sosia evaluate`")
    parser.add_argument("--fits-only", action="store_true", help="without rows that no method made, such as real ones: no program changes them")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--sosia", type=Path, default=ROOT / "build/release/src/cli/sosia")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data"))
    parser.add_argument("--work", type=Path, default=ROOT / "build/scores", help="where rows and scores are kept")
    options = parser.parse_args()
    chosen = options.classifiers.split(",") if options.classifiers else []
    if unknown := [c for c in chosen if c not in CLASSIFIERS]:
        parser.error(f"no classifier is called {unknown[0]}; there are {', '.join(CLASSIFIERS)}")
    if options.record and (options.quick or options.set or options.classifiers or options.delta or options.relation):
        parser.error("--record is for tables as bench/paper_tables/tables.toml has them: say only sets, methods, epsilons and seeds")
    return options


def plan_of(options):
    """The table's entry in the configuration, with what the command line says otherwise."""
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))[options.table]
    plan = config | (config["quick"] if options.quick else {})
    for key, said in (("methods", options.method), ("epsilons", options.epsilon), ("classifiers", options.classifiers)):
        plan[key] = said.split(",") if said else plan.get(key, list(CLASSIFIERS))
    plan["methods"] = [method for method in plan["methods"] if method != "none"]
    if options.seeds:
        plan["seeds"] = [int(seed) for seed in options.seeds.split(",")]
    if options.seeds or options.quick:
        plan |= {"seeds_of": {}, "one_seed_at": []}
    plan["sets"] = options.sets or plan["sets"]
    plan["fits_only"] = options.fits_only
    return plan


def run_options(options, plan):
    protocol = PROTOCOLS[options.table]
    return SimpleNamespace(
        sosia=options.sosia, data=options.data, work=options.work, threads=options.threads,
        settings={method: plan.get("settings", {}).get(method, []) + options.set for method in plan["methods"]},
        classifiers=plan["classifiers"], rows=plan.get("rows", 0), evaluate="" if options.no_evaluate else plan.get("evaluate", ""),
        evaluate_seeds=plan["seeds"][:plan.get("evaluate_seeds")],
        nets=Nets(options.sosia, options.data, options.work, options.threads, options.features), delta=options.delta or protocol.delta, relation=options.relation or protocol.relation)


def entries_of(table, name, plan, of_run):
    """What is scored on a set, one entry a method and epsilon, each as soon as it is there."""
    done = runs.Runs(table, name, of_run)
    known = runs.run([of_run.sosia, "methods"])
    for who in () if plan["fits_only"] else done.task(plan["seeds"][0]).beside:
        seeds = plan["seeds"][:1] if done.protocol.one_split else plan["seeds"]
        yield recorded.entry(name, who, "", seeds, [done.beside(who, seed) for seed in seeds]), done
    for epsilon in plan["epsilons"]:
        for method in plan["methods"]:
            if f"\n{method} " not in known:
                print(f"{method}: left out, the program does not have it", file=sys.stderr)
                continue
            try:
                seeds = recorded.seeds_at(plan, name, epsilon)
                records = [done.fit(method, epsilon, seed) for seed in seeds]
            except runs.FitFailed as failed:
                print(f"{name}, {method}, epsilon {epsilon}: left out\n{failed}", file=sys.stderr)
                continue
            yield recorded.entry(name, method, epsilon, seeds, records), done


def set_text(entries, kind, means):
    """All scores of a set. Few stand beside each other, many below."""
    names = [name for name in entries[0][kind] if not means or name.startswith("mean")]
    heads = [f"{e['who']}, epsilon {e['epsilon']}" if e["epsilon"] else e["who"] for e in entries]
    texts = [[*(recorded.spelled(e[kind][name]) for name in names), recorded.seconds(e)] for e in entries]
    if len(names) <= FEW:
        return recorded.markdown(["", *names, "fit, s"], [[head, *text] for head, text in zip(heads, texts)])
    return recorded.markdown(["", *heads], [[name, *column] for name, column in zip([*names, "fit, s"], zip(*texts))])


def surprises(expected, entries):
    """Scores of a quick run that are not between what tables.toml says, so that a test can fail."""
    for e in entries:
        for score, (low, high) in expected.get(f"{e['who']} {e['epsilon']}", {}).items():
            found = e["scores"].get(score, [])
            if len(found) != len(e["seeds"]) or not all(low <= value <= high for value in found):
                yield f"{e['set']}, {e['who']}, epsilon {e['epsilon']}: {score} {found}, expected from {low} to {high}"


def main():
    options = parsed()
    if not options.data.is_dir() and options.table != "G1":
        print(f"scores: skipped, there is no folder {options.data}; say where the data sets are by SOSIA_DATA or --data")
        return SKIPPED
    plan = plan_of(options)
    of_run = run_options(options, plan)
    command = f"bench/scores.py {shlex.join(sys.argv[1:])}"
    faults = []
    for name in plan["sets"]:
        entries = []
        for entry, done in entries_of(options.table, name, plan, of_run):
            entries.append(entry)
            if options.record:
                recorded.keep(options.table, entry, options.sosia)
        faults += surprises(plan.get("expected", {}), entries)
        if len(entries) < len(plan["methods"]) * len(plan["epsilons"]):
            faults.append(f"{name}: not every method was run")
        task = done.task(plan["seeds"][0])
        remark = f"; {task.remark}" if task.remark else ""
        shape = f"{len(task.train):,} rows x {len(task.schema['columns'])}" if "columns" in task.schema else f"{len(task.train):,} images"
        print(f"{options.table} {name}: {done.protocol.title}. {shape}"
              f", delta {of_run.delta:g}, {of_run.relation}, seeds {plan['seeds']}{remark}.\n")
        print(set_text(entries, "scores", options.means and done.protocol.classifiers), "\n", flush=True)
        if of_run.evaluate:
            print("By `sosia evaluate`:\n")
            print(set_text(entries, "evaluate", False), "\n", flush=True)
    versions = recorded.versions(options.sosia)
    print(f"`{command}`; {', '.join(f'{k} {v}' for k, v in versions.items())}.")
    for fault in faults if options.quick else []:
        print(fault, file=sys.stderr)
    return 1 if options.quick and faults else 0


if __name__ == "__main__":
    sys.exit(main())
