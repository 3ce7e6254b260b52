#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What nobody reviewed changes no published byte.

A draft holds facts that were read off private rows. Here the unreviewed ones are replaced by nonsense, the columns of the
file change places, and the table is stored in another format. The rows and the test noise stay the same. Every file that
`discover`, `fit` by each method, `run` with its report, and `sample` publish must stay the same, to the byte.

    scramble.py --sosia build/release/src/cli/sosia [--seed N] [--rounds N] [--keep]
"""
import argparse
import csv
import datetime
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

CONFIRMED = "type,precision,pattern"  # they cannot be discovered, so every run confirms them
NOISE = ["--epsilon", "60", "--delta", "1e-5", "--test-noise", "7"]
# Few steps: what is learned does not matter here, only what it is learned from.
QUICK = {
    "pairwise": ["components=40", "steps=10"],
    "dp-merf": ["features=60", "steps=10", "batch=50"],
    "dp-hp": ["length_scale=0.5", "steps=10", "batch=50"],
    "dp-auto-gan": ["auto_batch=1e9", "auto_steps=3", "critic_batch=1e9", "critic_steps=3", "turns=1"],
    "dp-wgan": ["batch=1e9", "steps=3", "turns=1"],
    "dp-cgan": ["batch=1e9", "steps=3", "turns=1"],
    "dp-vae": ["batch=1e9", "steps=3"],
    "dp-syn": ["auto_batch=1e9", "auto_steps=3", "rounds=2", "components=2"],
    "dp-merf-ae": ["features=60", "steps=10", "batch=50", "auto_batch=1e9", "auto_steps=3"],
    "independent": [],
}


class Nonsense:
    """Values that no fact of the table has."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def texts(self):
        return [f"nobody {self._random.getrandbits(40):x}" for _ in range(self._random.randint(2, 60))]

    def bounds(self, kind):
        if kind in ("date", "datetime"):
            days = sorted(self._random.sample(range(365, 3_000_000), 2))
            dates = [(datetime.date(1, 1, 1) + datetime.timedelta(days=day)).isoformat() for day in days]
            return dates if kind == "date" else [date + "T00:00:00" for date in dates]
        largest = 15 if kind == "integer" else self._random.choice([15, 300])
        sizes = [self._random.choice([-1, 1]) * 10.0 ** self._random.uniform(-3, largest) for _ in range(2)]
        if kind == "integer":
            sizes = [round(size) for size in sizes]
        return sorted(sizes)

    def column(self, column):
        facts = column.get("unreviewed", [])
        column = dict(column)
        if "values" in facts and column["type"] != "boolean":
            column["values"] = self.texts()
            if "rare" in column:
                column["rare"] = column["values"][:1]
        if "bounds" in facts:
            column["min"], column["max"] = self.bounds(column["type"])
        if "atoms" in facts:
            column["atoms"] = [column["max"]] if self._random.random() < 0.5 else []
        if "missing" in facts:
            column["missing"] = self._random.random() < 0.5
        return column


def scrambled(draft, seed):
    nonsense = Nonsense(seed)
    return {**draft, "columns": [nonsense.column(column) for column in draft["columns"]]}


class Publisher:
    """Runs the commands in a folder and collects what they publish."""

    def __init__(self, sosia, folder):
        self._sosia, self._folder, self._count = sosia, folder, 0

    def sosia(self, *words):
        done = subprocess.run([self._sosia, *map(str, words)], cwd=self._folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"sosia {' '.join(map(str, words))}\nexit {done.returncode}\n{done.stderr}")
        return done.stdout

    def discovered(self, table, draft):
        self._count += 1
        found = self._folder / f"found{self._count}.json"
        self.sosia("discover", table, "--schema", draft, "--confirm", CONFIRMED, "--quantiles", 4, *NOISE, "-o", found)
        return found

    def run(self, table, schema, method):
        """Name and bytes of every published file of a run that discovers what the schema leaves open."""
        self._count += 1
        out = self._folder / f"out{self._count}"
        settings = [word for setting in QUICK[method] for word in ("--set", setting)]
        words = ["run", table, "--schema", schema, "--method", method, *settings, *NOISE, "-n", 200, "--quiet", "-o", out]
        if "found" not in str(schema):
            words += ["--confirm", CONFIRMED, "--discover", "0.5"]
        self.sosia(*words, *([] if method == "pairwise" else ["--no-report"]))
        self.sosia("sample", out / "model.sosia", "-n", 50, "-o", out / "more.csv")
        return {path.name: without_synthetic(path) for path in sorted(out.iterdir())
                if path.is_file() and path.name != "synthetic.parquet"}


def without_synthetic(path):
    """A file's bytes; of a certificate, without the hash of the synthetic table, whose format is that of the private one."""
    if path.name != "certificate.json":
        return path.read_bytes()
    certificate = json.loads(path.read_text(encoding="utf-8"))
    files = certificate["files"].items()
    return json.dumps({**certificate, "files": {name: hash for name, hash in files if not name.startswith("synthetic.")}})


def trains_on_rows(method):
    """Such methods fix their whole plan first, so that facts are discovered by a run of their own."""
    return method not in ("pairwise", "dp-merf", "dp-hp", "independent")


def shuffled(source, target, seed):
    """The same rows with their columns in another order."""
    with open(source, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    order = list(range(len(rows[0])))
    random.Random(seed).shuffle(order)
    with open(target, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([row[i] for i in order] for row in rows)


def differences(base, other):
    """Names of published files that are not the same; of tables, where formats may differ, those in both."""
    return [name for name in sorted(base.keys() & other.keys()) if base[name] != other[name]]


def methods(publisher):
    """Every method that takes tables."""
    lines = [line.split(maxsplit=2) for line in publisher.sosia("methods").splitlines()[1:]]
    names = [words[0] for words in lines if len(words) == 3 and words[1].startswith("tables")]
    if set(names) != set(QUICK):
        sys.exit(f"this test knows {sorted(QUICK)}, sosia lists {sorted(names)}")
    return names


def variants(publisher, folder, draft, seed, rounds):
    """What each attempt changes, the table and the draft."""
    for round_ in range(rounds):
        path = folder / f"scrambled{round_}.json"
        path.write_text(json.dumps(scrambled(draft, seed + round_)), encoding="utf-8")
        yield f"nonsense {seed + round_}", folder / "clinic.csv", path
    shuffled(folder / "clinic.csv", folder / "shuffled.csv", seed)
    yield "columns in another order", folder / "shuffled.csv", folder / "draft.json"
    publisher.sosia("example", "clinic", "-n", 1500, "-o", folder / "clinic.parquet")
    yield "stored as Parquet", folder / "clinic.parquet", folder / "draft.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sosia", required=True, type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leave the files there")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sosia-publishing-"))
    publisher = Publisher(options.sosia, folder)
    publisher.sosia("example", "clinic", "-n", 1500, "-o", folder / "clinic.csv")
    publisher.sosia("schema", folder / "clinic.csv", "--unit", "row", "-o", folder / "draft.json")
    draft = json.loads((folder / "draft.json").read_text(encoding="utf-8"))
    tried = list(variants(publisher, folder, draft, options.seed, options.rounds))
    failed = 0

    def report(what, method, names):
        nonlocal failed
        failed += bool(names)
        print(f"{'FAILED' if names else 'ok'}: {what}, {method}{': ' + ', '.join(names) if names else ''}")

    found = publisher.discovered(folder / "clinic.csv", folder / "draft.json")
    for what, table, schema in tried:
        other = publisher.discovered(table, schema)
        report(what, "discover", [] if other.read_bytes() == found.read_bytes() else ["schema"])
    for method in methods(publisher):
        known = found if trains_on_rows(method) else folder / "draft.json"
        base = publisher.run(folder / "clinic.csv", known, method)
        for what, table, schema in tried:
            if trains_on_rows(method) and what.startswith("nonsense"):
                continue  # discovery gave the same schema
            run = publisher.run(table, found if trains_on_rows(method) else schema, method)
            report(what, method, differences(base, run))
    if not options.keep:
        shutil.rmtree(folder)
    print(f"{failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
