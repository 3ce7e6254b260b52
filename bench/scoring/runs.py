# SPDX-License-Identifier: Apache-2.0
"""Fits by the command line and scores of their rows, each done once.

Synthetic rows are kept under a digest of all that made them: training rows, schema, options, program. Scores are kept under a
digest of the rows that were scored and of the code that scores, so that a new score takes no new fit.
"""
import contextlib
import gzip
import hashlib
import importlib.metadata
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from functools import cache, partial
from pathlib import Path

import numpy as np

import tables
from scoring.image_files import read_images
from scoring.protocols import PROTOCOLS
from scoring.rows import read_rows
from scoring.task import TABLE

BENCH = Path(__file__).resolve().parent.parent
NEED_FEATURES = ("dp-mepf",)
WHOLE = ("transfer", "regression")  # metrics of `sosia evaluate` whose parts are classifiers


class FitFailed(Exception):
    """A program said no."""


def digest(*parts):
    return hashlib.sha256("\n".join(str(part) for part in parts).encode()).hexdigest()[:16]


def versions(*names):
    """Of those packages that are there."""
    found = {}
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name.removesuffix("-cpu")] = importlib.metadata.version(name)
    return found


def cpu_time():
    """Seconds of all cores that this process and its children have taken."""
    return sum(os.times()[:4])


@cache
def file_digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run(command):
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FitFailed(f"{shlex.join(command)}\n{done.stderr}")
    return done.stdout


def scoring_code():
    """All files that a score depends on. Not this one: it decides what is run, not what a score is."""
    here = Path(__file__)
    code = sorted(path for path in here.parent.glob("*.py") if path != here)
    return digest(*map(file_digest, code), *versions("scikit-learn", "xgboost-cpu").values())


class Runs:
    """Of one protocol on one set. `options`: sosia, data, work, threads, classifiers, settings of each method, nets (of public images, for
    sets of images), delta, relation, rows (at most that many to fit; 0: all), evaluate (metrics of our own, or none) and evaluate_seeds, for
    which alone these are."""

    def __init__(self, protocol, table, options):
        self.protocol, self.table, self.options = PROTOCOLS[protocol], table, options
        self.name = f"{protocol}.{table}"
        self.task = cache(self._task)
        self.load = cache(self._load)
        options.work.mkdir(parents=True, exist_ok=True)

    def _load(self, name):
        folder = BENCH.parent / "build/tables"
        folder.mkdir(parents=True, exist_ok=True)
        schema = json.loads((BENCH / f"schemas/{name}.json").read_text(encoding="utf-8"))
        rows = read_rows(tables.make_table(name, self.options.data, folder, 0))
        return rows.only([column["name"] for column in schema["columns"]]), schema

    def _file(self, folder, name):
        return folder / f"{name}{self.protocol.form.ending}"

    def _task(self, seed):
        load = self.load if self.protocol.form is TABLE else partial(read_images, data=self.options.data)
        task = self.protocol.make(self.table, load, self.options.classifiers, seed)
        if self.options.rows and len(task.train) > self.options.rows:
            order = np.random.default_rng(0).permutation(len(task.train))
            task.train = task.train.take(order[:self.options.rows])
            if "rows" in task.schema:
                task.schema = {**task.schema, "rows": self.options.rows}
        task.schema = {**task.schema, "relation": self.options.relation}
        if self.options.relation == "add-remove":
            task.schema.pop("rows", None)  # it is not public then
        return task

    def fit(self, method, epsilon, seed):
        """The record of a method's rows: scores, and the seconds that the fit took, on the clock and of all cores together."""
        path = self.made(method, epsilon, seed)
        record = self._scored(f"{method}.{epsilon}.{seed}", seed, lambda: self.protocol.form.read(path), file_digest(path))
        return record | json.loads(path.with_suffix("").with_suffix(".json").read_text(encoding="utf-8"))

    def beside(self, name, seed):
        """The record of rows that no method made."""
        rows = self.task(seed).beside[name]
        key = digest(name, seed, self.options.rows)
        return self._scored(f"{name.replace(' ', '_')}.{seed}", seed, lambda: rows(self.task(seed).train, seed), key)

    def made(self, method, epsilon, seed):
        """The file of synthetic rows, as many as were fitted."""
        options, task = self.options, self.task(seed)
        command = ["--method", method, "--epsilon", epsilon, "--delta", options.delta, "--seed", seed + 1]
        for setting in options.settings.get(method, []):
            command += ["--set", setting]
        net = [options.nets.to_learn_by(self.table)] if method in NEED_FEATURES else []
        with tempfile.TemporaryDirectory(dir=options.work) as folder:
            folder = Path(folder)
            self._write(folder, task)
            train, made = self._file(folder, "train"), self._file(folder, "made")
            key = digest(file_digest(train), file_digest(folder / "schema.json"), *command, *map(file_digest, net), file_digest(options.sosia))
            path = options.work / f"{self.name}.{method}.{epsilon}.{seed}.{key}{made.suffix}.gz"
            if path.exists():
                return path
            start, before = time.monotonic(), cpu_time()
            run([options.sosia, "fit", train, "--schema", folder / "schema.json", *command,
                 *(["--features", *net] if net else []), "--threads", options.threads, "--quiet", "-o", folder / "model"])
            seconds, cpu = time.monotonic() - start, cpu_time() - before
            grid = ["--grid", path.with_suffix("").with_suffix(".png")] if self.protocol.form is not TABLE else []
            run([options.sosia, "sample", folder / "model", "-n", len(task.train), "--seed", seed + 1, "-o", made, *grid])
            path.with_suffix("").with_suffix(".json").write_text(json.dumps({"seconds": seconds, "cpu_seconds": cpu}), encoding="utf-8")
            packed = folder / "packed"
            packed.write_bytes(gzip.compress(made.read_bytes(), 6))
            packed.replace(path)
        print(f"{path.name}: made in {seconds:.1f} s", file=sys.stderr, flush=True)
        return path

    def _write(self, folder, task):
        self.protocol.form.write(self._file(folder, "train"), task.train)
        if task.test is not None:
            self.protocol.form.write(self._file(folder, "test"), task.test)
        (folder / "schema.json").write_text(json.dumps(task.schema), encoding="utf-8")

    def _scored(self, name, seed, rows, key):
        """Scores by outside libraries, and by `sosia evaluate`; each kept by what it depends on. With the seconds that they took."""
        chosen = self.options.classifiers if self.protocol.classifiers else None
        scores = self._kept(f"{name}.scores", digest(self.name, seed, key, chosen, scoring_code()),
                            lambda: self.task(seed).score(rows()))
        if not self.options.evaluate or seed not in self.options.evaluate_seeds:
            return {"scores": scores["scores"], "scoring_seconds": scores["cpu_seconds"]}
        net = [] if self.protocol.form is TABLE else [self.options.nets.to_judge_by(self.table)]
        own = self._kept(f"{name}.evaluate",
                         digest(self.name, seed, key, self.options.evaluate, *map(file_digest, net), file_digest(self.options.sosia)),
                         lambda: self._evaluated(self.task(seed), rows(), net))
        return {"scores": scores["scores"], "evaluate": own["scores"], "scoring_seconds": scores["cpu_seconds"] + own["cpu_seconds"]}

    def _kept(self, name, key, make):
        """Scores, and what they took when they were made, of all cores together."""
        path = self.options.work / f"{self.name}.{name}.{key}.json"
        if path.exists():
            return json.loads(path.read_text(encoding="utf-8"))
        before = cpu_time()
        scores = make()
        kept = {"scores": scores, "cpu_seconds": cpu_time() - before}
        part = path.with_suffix(".part")
        part.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        part.replace(path)
        print(f"{self.name}.{name}: {kept['cpu_seconds']:.1f} CPU s", file=sys.stderr, flush=True)
        return kept

    def _evaluated(self, task, made, net):
        with tempfile.TemporaryDirectory(dir=self.options.work) as folder:
            folder = Path(folder)
            self._write(folder, task)
            self.protocol.form.write(self._file(folder, "made"), made)
            holdout = ["--holdout", self._file(folder, "test")] if task.test is not None else []
            run([self.options.sosia, "evaluate", self._file(folder, "made"), "--real", self._file(folder, "train"), *holdout, "--schema",
                 folder / "schema.json", "--metrics", self.options.evaluate, *(["--features", *net] if net else []), "--threads", self.options.threads,
                 "--quiet", "-o", folder / "scores.json"])
            found = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["metrics"]
        scores = {metric["name"]: metric["synthetic"] for metric in found}
        for metric in (m for m in found if m["name"] in WHOLE):
            scores |= {", ".join(part["of"]): part["synthetic"] for part in metric["parts"]}
        return scores
