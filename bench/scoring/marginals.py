# SPDX-License-Identifier: Apache-2.0
"""T1 and T4: distances of k-way tables."""
import copy

import numpy as np

from scoring.rows import Coder, distance, numbers
from scoring.task import Task, bootstrap

# One state and year of the NIST excerpts, as their score is used.
EXCERPTS = {f"nist_{state}{year}": (prefix, year) for state, prefix in (("ma", "25-"), ("tx", "48-"))
            for year in ("2018", "2019")}
BESIDE = {"bootstrap of the real rows": bootstrap}
FORMS = ("adult_bounded", "adult_simple")


def table_of(name, load):
    """A set with its schema; excerpts are parts of sets."""
    if name not in EXCERPTS:
        return load(name)
    prefix, year = EXCERPTS[name]
    rows, schema = load("nist_acs")
    chosen = (rows.column("YEAR") == year) & np.array([puma.startswith(prefix) for puma in rows.column("PUMA")])
    schema = {**schema, "columns": [c for c in schema["columns"] if c["name"] != "YEAR"]}
    return rows.take(chosen), schema


def untargeted(schema, domain_given):
    """No column matters more than another; where the domain is given, there are no other values."""
    schema = copy.deepcopy(schema)
    schema.pop("target", None)
    if domain_given:
        for column in schema["columns"]:
            column["outside"] = "refuse" if "values" in column else "clamp"
    return schema


def all_tables(name, load, _chosen, _seed):
    """T1."""
    rows, schema = table_of(name, load)
    schema = untargeted(schema, name == "adult_pgm")
    coder = Coder(schema, rows)
    real, widths = coder.codes(rows)

    def score(synthetic):
        made = coder.codes(synthetic)[0]
        scores = {f"{k}-way": distance(real, made, widths, k) for k in (1, 2, 3)}
        if name.startswith("nist"):
            scores["k-marginal"] = 1000 * (1 - scores["3-way"])
        return scores

    return Task(rows, schema, score, beside=BESIDE)


def as_published(values, low, high):
    """Codes as the code of the DP-HP paper has them: max - min bins of the real column, between the ends of the column at hand.
    The two highest values share a bin, so that a binary column has only one."""
    codes, widths = [], []
    for x, lowest, highest in zip(values.T, low, high):
        bins = int(highest - lowest)
        x = np.clip(np.rint(x), lowest, highest)
        start, end = (x.min(), x.max()) if x.max() > x.min() else (x.min() - 0.5, x.min() + 0.5)
        codes.append(np.minimum(((x - start) / (end - start) * bins).astype(np.int64), bins - 1))
        widths.append(bins)
    return codes, widths


def discretised(name, load, _chosen, _seed):
    """T4. "As published": sets of one column more than the paper says, and its bins."""
    rows, schema = load(name)
    schema = {**untargeted(schema, True), "rows": len(rows)}
    coder = Coder(schema, rows)
    real, widths = coder.codes(rows)
    values = np.stack([numbers(rows.column(n)) for n in rows.names], axis=1)
    low, high = values.min(axis=0), values.max(axis=0)
    theirs, their_widths = as_published(values, low, high)

    def score(synthetic):
        made = coder.codes(synthetic)[0]
        scores = {f"{k}-way": distance(real, made, widths, k) for k in (3, 4)}
        found = np.stack([numbers(synthetic.column(n)) for n in rows.names], axis=1)
        counted = as_published(found, low, high)[0]
        return scores | {f"{k}-way as published": distance(theirs, counted, their_widths, k + 1) for k in (3, 4)}

    return Task(rows, schema, score, beside=BESIDE, remark="22,561 rows of adult.data as whole numbers, the label a column like others")
