#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a model of public rows is worth to DP-auto-GAN (sosia fit --public-model): T5 of bench/scores.py, on half of its rows.

    bench/public_model.py [--epsilon E,...] [--seeds S,...] [--public COLUMN=VALUE] [--threads N]

The rows of T5 in two halves, of which one plays the public rows, all of them or those with a value only. Beside each other: the public
model by itself, which has seen no row of the other half, and the other half fitted without it and with it. Rows and models stay in
--work, and are not made again.
"""
import argparse
import json
import os
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import recorded
from scoring import runs
from scoring.rows import read_rows, write_rows

ROOT = Path(__file__).resolve().parent.parent
SCORES = ("JSD", "smoothed KL", "salary accuracy", "prediction, difference")


def parsed():
    parser = argparse.ArgumentParser(description="A model of public rows, and what it is worth.")
    parser.add_argument("--epsilon", default="0.36,1")
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--public", metavar="COLUMN=VALUE", default="", help="public are only the rows with this value")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--sosia", type=Path, default=ROOT / "build/release/src/cli/sosia")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data"))
    parser.add_argument("--work", type=Path, default=ROOT / "build/scores/public_model")
    return parser.parse_args()


def halves(task, public):
    """Public and private rows."""
    order = np.random.default_rng(0).permutation(len(task.train))
    first, second = (task.train.take(half) for half in np.array_split(order, 2))
    if public:
        column, value = public.split("=")
        first = first.take(first.column(column) == value)
    return first, second


def model_of(options, name, rows, epsilon, seed, *more):
    """Fits once."""
    path, table = options.work / f"{name}.{seed}.sosia", options.work / f"{name}.csv"
    if not path.exists():
        write_rows(table, rows)
        runs.run([options.sosia, "fit", table, "--schema", options.work / "schema.json", "--method", "dp-auto-gan", "--epsilon", epsilon, "--delta",
                  "1e-5", "--set", f"rows={len(rows)}", "--seed", seed, "--threads", options.threads, "--quiet", *more, "-o", path])
    return path


def scored(options, task, model, seed):
    path = model.with_suffix(".json")
    if not path.exists():
        made = model.with_suffix(".made.csv")
        runs.run([options.sosia, "sample", model, "-n", len(task.train), "--seed", seed, "-o", made])
        path.write_text(json.dumps(task.score(read_rows(made))), encoding="utf-8")
        made.unlink()
    return json.loads(path.read_text(encoding="utf-8"))


def main():
    options = parsed()
    options.work.mkdir(parents=True, exist_ok=True)
    seeds = [int(seed) for seed in options.seeds.split(",")]
    task = runs.Runs("T5", "adult", SimpleNamespace(data=options.data, work=options.work, rows=0, relation="add-remove", classifiers=[])).task(1)
    (options.work / "schema.json").write_text(json.dumps(task.schema), encoding="utf-8")
    public, private = halves(task, options.public)
    kind = "public" + options.public.replace("=", ".")
    of_public = partial(model_of, options, kind, public, "inf")
    cases = [("the public model by itself", of_public)]
    for epsilon in options.epsilon.split(","):
        cases.append((f"without it, epsilon {epsilon}", partial(model_of, options, f"without.{epsilon}", private, epsilon)))
        cases.append((f"with it, epsilon {epsilon}", lambda seed, epsilon=epsilon: model_of(
            options, f"{kind}.{epsilon}", private, epsilon, seed, "--public-model", of_public(seed))))
    lines = []
    for name, make in cases:
        found = [scored(options, task, make(seed), seed) for seed in seeds]
        lines.append([name, *(recorded.spelled([scores[score] for scores in found]) for score in SCORES)])
        print(lines[-1], flush=True)
    print(f"{len(public):,} public rows, {len(private):,} private ones, seeds {seeds}.\n")
    print(recorded.markdown(["", *SCORES], lines))


if __name__ == "__main__":
    main()
