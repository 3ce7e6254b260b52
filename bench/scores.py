#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores of synthetic tables: fits by the command line, and what the rows are worth.

    bench/scores.py PROTOCOL SET [--method M,...] [--epsilon E,...] [--seeds S,...] [--set NAME=VALUE ...]

Prints a Markdown table, mean and standard deviation over seeds. What was scored before, by the same program and code, is taken
from build/scores. Protocols, sets and set-up: bench/README.md.
"""
import argparse
import datetime
import hashlib
import json
import os
import platform
import shlex
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import numpy as np
import sklearn
import xgboost

import tables
from scoring import learners, protocols
from scoring.rows import read_rows, write_rows

ROOT = Path(__file__).resolve().parent.parent
FEW = 6  # scores, that still fit beside each other


def parsed():
    parser = argparse.ArgumentParser(description="Scores of synthetic tables.")
    parser.add_argument("protocol", choices=protocols.PROTOCOLS)
    parser.add_argument("table", metavar="SET", help="; ".join(f"{k}: {p.sets}" for k, p in protocols.PROTOCOLS.items()))
    parser.add_argument("--method", default="pairwise", help="names, separated by commas; \"none\" scores real rows alone")
    parser.add_argument("--epsilon", default="1", help="numbers, separated by commas")
    parser.add_argument("--delta", type=float, help="the protocol's, if not said")
    parser.add_argument("--relation", help="the protocol's, if not said")
    parser.add_argument("--seeds", help="separated by commas; the protocol's, if not said")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the method")
    parser.add_argument("--classifiers", default=",".join(learners.CLASSIFIERS), help="of %(default)s")
    parser.add_argument("--means", action="store_true", help="show only the means over classifiers")
    parser.add_argument("--sosia", type=Path, default=ROOT / "build/release/src/cli/sosia")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data"))
    parser.add_argument("--work", type=Path, default=ROOT / "build/scores", help="where scores are kept")
    parser.add_argument("--json", type=Path, help="write every single score there too")
    options = parser.parse_args()
    if unknown := [c for c in options.classifiers.split(",") if c not in learners.CLASSIFIERS]:
        parser.error(f"no classifier is called {unknown[0]}; there are {', '.join(learners.CLASSIFIERS)}")
    for name in ("delta", "relation", "seeds"):
        if getattr(options, name) is None:
            setattr(options, name, getattr(protocols.PROTOCOLS[options.protocol], name))
    return options


def digest(*parts):
    return hashlib.sha256("\n".join(str(part) for part in parts).encode()).hexdigest()[:12]


def file_digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Runs:
    """Tasks, fits and their scores, each done once."""

    def __init__(self, options):
        self.options = options
        self.protocol = protocols.PROTOCOLS[options.protocol]
        folder = Path(__file__).parent
        code = sorted([*folder.glob("scoring/*.py"), *folder.glob("schemas/*.json")])
        self.code = digest(*map(file_digest, code), sklearn.__version__, xgboost.__version__)
        self.task = cache(self._task)
        self.load = cache(self._load)
        options.work.mkdir(parents=True, exist_ok=True)

    def _load(self, name):
        folder = ROOT / "build/tables"
        folder.mkdir(parents=True, exist_ok=True)
        schema = json.loads((ROOT / f"bench/schemas/{name}.json").read_text(encoding="utf-8"))
        rows = read_rows(tables.make_table(name, self.options.data, folder, 0))
        return rows.only([column["name"] for column in schema["columns"]]), schema

    def _task(self, seed):
        return self.protocol.make(self.options.table, self.load, self.options.classifiers.split(","), seed)

    def kept(self, name, key, make):
        """The record of this key; made, unless it was before."""
        path = self.options.work / f"{self.options.protocol}.{self.options.table}.{name}.{digest(self.code, key)}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
        record = {"run": name, **make()}
        path.write_text(json.dumps(record, indent=1), encoding="utf-8")
        print(f"{name}: done", file=sys.stderr)
        return record

    def real(self, name, seed):
        key = (name, seed, self.options.classifiers)
        return self.kept(f"{name.replace(' ', '_')}.{seed}", key, lambda: {"scores": self.task(seed).beside[name]()})

    def fit(self, method, epsilon, seed):
        options = self.options
        key = (method, epsilon, options.delta, options.relation, seed, options.set, options.classifiers,
               file_digest(options.sosia))
        return self.kept(f"{method}.{epsilon}.{seed}", key, lambda: self._fit(method, epsilon, seed))

    def _fit(self, method, epsilon, seed):
        task = self.task(seed)
        schema = {**task.schema, "relation": self.options.relation}
        if self.options.relation == "add-remove":
            schema.pop("rows", None)  # it is not public then
        with tempfile.TemporaryDirectory(dir=self.options.work) as folder:
            folder = Path(folder)
            write_rows(folder / "train.csv", task.train)
            (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
            fit = [self.options.sosia, "fit", folder / "train.csv", "--schema", folder / "schema.json", "--method", method,
                   "--epsilon", epsilon, "--delta", self.options.delta, "--seed", seed + 1, "--quiet", "-o", folder / "model"]
            for setting in self.options.set:
                fit += ["--set", setting]
            start = time.monotonic()
            run(fit)
            seconds = time.monotonic() - start
            run([self.options.sosia, "sample", folder / "model", "-n", len(task.train), "--seed", seed + 1,
                 "-o", folder / "made.csv"])
            made = read_rows(folder / "made.csv")
        return {"seconds": seconds, "scores": task.score(made)}


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(str(part) for part in command)}\n{done.stderr}")


def spelled(values):
    """Mean and standard deviation."""
    digits = 0 if max(map(abs, values)) >= 100 else 1 if max(map(abs, values)) > 2 else 4
    text = f"{np.mean(values):.{digits}f}"
    return f"{text} ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else text


def markdown(columns, rows):
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table_text(groups, means):
    """`groups`: a name and its records. Few scores stand beside each other, many below."""
    names = [name for name in groups[0][1][0]["scores"] if not means or name.startswith("mean")]
    texts = [[spelled([record["scores"][name] for record in records]) for name in names] for _, records in groups]
    times = [f"{np.mean([r['seconds'] for r in records]):.1f}" if "seconds" in records[0] else "" for _, records in groups]
    if len(names) <= FEW:
        return markdown(["", *names, "fit, s"], [[group[0], *text, time] for group, text, time in zip(groups, texts, times)])
    rows = [[name, *column] for name, column in zip([*names, "fit, s"], zip(*[[*t, s] for t, s in zip(texts, times)]))]
    return markdown(["", *(group[0] for group in groups)], rows)


def main():
    options = parsed()
    runs = Runs(options)
    seeds = [int(seed) for seed in options.seeds.split(",")]
    groups = []
    for method in (m for m in options.method.split(",") if m != "none"):
        for epsilon in options.epsilon.split(","):
            groups.append((f"{method}, epsilon {epsilon}", [runs.fit(method, epsilon, seed) for seed in seeds]))
    task = runs.task(seeds[0])
    for name in task.beside:
        of = seeds[:1] if options.protocol == "T2" else seeds  # its one split makes all seeds the same
        groups.append((name, [runs.real(name, seed) for seed in of]))
    version = subprocess.run([options.sosia, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    remark = f"; {task.remark}" if task.remark else ""
    print(f"{options.protocol} {options.table}: {runs.protocol.title}. {len(task.train):,} rows x {len(task.schema['columns'])}"
          f", delta {options.delta:g}, {options.relation}, seeds {options.seeds}{remark}.\n")
    print(table_text(groups, options.means and options.protocol in ("T2", "T3")))
    print(f"\n`bench/scores.py {shlex.join(sys.argv[1:])}`; {version}, Python {platform.python_version()}, "
          f"scikit-learn {sklearn.__version__}, xgboost {xgboost.__version__}; {os.cpu_count()} cores, {platform.machine()}; "
          f"{datetime.date.today()}.")
    if options.json:
        text = json.dumps([{"group": name, "records": records} for name, records in groups], indent=1)
        options.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
