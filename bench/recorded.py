# SPDX-License-Identifier: Apache-2.0
"""Scores that are kept in bench/paper_tables, one JSON file a table, and how numbers and tables are spelled."""
import datetime
import fcntl
import json
import os
import platform
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent / "paper_tables"


def entry(name, who, epsilon, seeds, records):
    """Scores of one set and one method or kind of rows, a list over seeds each."""
    found = {"set": name, "who": who, "epsilon": epsilon, "seeds": list(seeds)}
    for kind in ("scores", "evaluate"):
        of_kind = [record[kind] for record in records if kind in record]  # our own may be of the first seeds alone
        if of_kind:
            found[kind] = {score: [float(f"{scores[score]:.6g}") for scores in of_kind] for score in of_kind[0]
                           if all(scores[score] is not None for scores in of_kind)}
    for kind in ("seconds", "cpu_seconds", "scoring_seconds"):
        if all(kind in record for record in records):
            found[kind] = [round(record[kind], 1) for record in records]
    return found


@cache
def versions(sosia):
    """Of all that a score depends on, with the day."""
    from scoring.runs import file_digest, run
    from scoring.runs import versions as packages
    return {"sosia": f"{run([sosia, '--version']).split()[-1]} ({file_digest(sosia)[:8]})", "Python": platform.python_version(),
            **packages("scikit-learn", "xgboost-cpu"),
            "on": f"{os.cpu_count()} cores, {platform.machine()}", "date": str(datetime.date.today())}


def seeds_at(config, name, epsilon):
    """Of a set in a table: those of the set, or of the table; the first of them where the table says that one will do."""
    seeds = config.get("seeds_of", {}).get(name, config["seeds"])
    return seeds[:1] if epsilon in config.get("one_seed_at", []) else seeds


def load(table):
    path = FOLDER / f"{table.lower()}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


@contextmanager
def alone():
    """While nobody else writes here: two runs may go on side by side."""
    folder = os.open(FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def keep(table, new, sosia):
    """Puts an entry in the place of the one of the same set, method and epsilon, unless the same program has more seeds there. Rows that
    no method made, such as real ones, are the same for every program."""
    new = new | {"by": versions(sosia)}
    with alone():
        put(table, new)


def put(table, new):
    def key(e):
        return e["set"], e["who"], e["epsilon"]
    kept = load(table)
    old = next((e for e in kept if key(e) == key(new) and (not e["epsilon"] or e["by"]["sosia"] == new["by"]["sosia"])), None)
    if old and len(old["seeds"]) > len(new["seeds"]):
        return
    if old and old["seeds"] == new["seeds"]:
        new = old | new  # a run without `sosia evaluate` takes nothing away
    kept = [e for e in kept if key(e) != key(new)] + [new]
    path = FOLDER / f"{table.lower()}.json"
    part = path.with_suffix(".part")
    lines = ",\n".join(json.dumps(e) for e in sorted(kept, key=key))
    part.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    part.replace(path)


def spelled(values):
    """Mean and standard deviation."""
    largest = max(map(abs, values))
    digits = 0 if largest >= 100 else 1 if largest > 2 else 4
    text = f"{np.mean(values):,.{digits}f}"
    return f"{text} ± {np.std(values, ddof=1):,.{digits}f}" if len(values) > 1 else text


def seconds(found, kind="seconds"):
    """What a fit took; nothing, where there was none."""
    return f"{np.mean(found[kind]):.1f}" if kind in found else ""


def brief(values):
    """The same with three digits, and without a leading zero."""
    if max(map(abs, values)) >= 2:
        return spelled(values).replace(" ± ", "±")
    parts = [np.mean(values)] + ([np.std(values, ddof=1)] if len(values) > 1 else [])
    texts = [f"{round(part, 3) + 0.0:.3f}" for part in parts]  # + 0.0: no minus before nothing
    return "±".join(t.removeprefix("0") if t.startswith("0.") else t.replace("-0.", "-.") for t in texts)


def markdown(columns, rows):
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
