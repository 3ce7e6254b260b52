# SPDX-License-Identifier: Apache-2.0
"""The protocols: what is fitted, and how the synthetic rows are scored. bench/README.md describes them."""
import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from scoring import learners, mixed, papers
from scoring.rows import Coder, Inputs, Rows, distance, listed, numbers

SPLIT_SEED = 0
# One state and year of the NIST excerpts, as their score is used.
EXCERPTS = {f"nist_{state}{year}": (prefix, year) for state, prefix in (("ma", "25-"), ("tx", "48-"))
            for year in ("2018", "2019")}
GRID, SPREAD, POINTS = 5, 0.2, 90_000


@dataclass
class Task:
    """Rows to fit, what is public about them, and the scores of synthetic rows. `beside`: scores of real rows."""
    train: Rows
    schema: dict
    score: Callable
    beside: dict = field(default_factory=dict)
    remark: str = ""


@dataclass
class Protocol:
    make: Callable  # (name of the set, function from a name to its rows and schema, classifiers, seed) -> Task
    sets: str
    delta: float
    relation: str
    seeds: str
    title: str


def table_of(name, load):
    """A set with its schema; excerpts are parts of sets."""
    if name not in EXCERPTS:
        return load(name)
    prefix, year = EXCERPTS[name]
    rows, schema = load("nist_acs")
    chosen = (rows.column("YEAR") == year) & np.array([puma.startswith(prefix) for puma in rows.column("PUMA")])
    schema = {**schema, "columns": [c for c in schema["columns"] if c["name"] != "YEAR"]}
    return rows.take(chosen), schema


def marginals(name, load, _, seed):
    """T1. Without a target: no column matters more than another."""
    rows, schema = table_of(name, load)
    schema = copy.deepcopy(schema)
    schema.pop("target", None)
    if name == "adult_pgm":  # the domain is given, so there are no other values
        for column in schema["columns"]:
            column["outside"] = "refuse" if "values" in column else "clamp"
    coder = Coder(schema, rows)
    real, widths = coder.codes(rows)

    def score(synthetic):
        made = coder.codes(synthetic)[0]
        scores = {f"{k}-way": distance(real, made, widths, k) for k in (1, 2, 3)}
        if name.startswith("nist"):
            scores["k-marginal"] = 1000 * (1 - scores["3-way"])
        return scores

    def bootstrap():
        return score(rows.take(np.random.default_rng(seed).integers(len(rows), size=len(rows))))

    return Task(rows, schema, score, {"bootstrap of the real rows": bootstrap})


def prediction(name, load, chosen, _):
    """T2."""
    rows, schema = table_of(name, load)
    column = next(c for c in schema["columns"] if c["name"] == schema["target"])

    def labelled(some):
        """Rows with a label, and the labels."""
        cells = some.column(column["name"])
        if "values" not in column:
            y = numbers(cells)
            return some.take(~np.isnan(y)), y[~np.isnan(y)]
        y = listed(column, cells)
        known = y < len(column["values"])
        return some.take(known), y[known]

    order = np.random.default_rng(SPLIT_SEED).permutation(len(rows))
    cut = int(0.8 * len(rows))
    train = rows.take(order[:cut])
    test, y_test = labelled(rows.take(order[cut:]))

    def score(synthetic):
        made, y = labelled(synthetic)
        inputs = Inputs(schema, made)
        if "values" not in column:
            return learners.score_regressors(chosen, inputs, made, y, test, y_test)
        return learners.score_classifiers(chosen, inputs, made, y, test, y_test, len(column["values"]))

    return Task(train, schema, score, {"real rows": lambda: score(train)})


def papers_table(name, load, chosen, seed):
    """T3. The number of rows is public, as it is to the papers."""
    paper = papers.PAPER_SETS[name]
    rows, schema = papers.prepared(name, *load(paper.table))
    column = next(c for c in schema["columns"] if c["name"] == schema["target"])
    train, test = papers.split(name, rows, schema, seed)
    inputs = papers.RawInputs(schema, rows)
    classes = len(column["values"])
    y_test = listed(column, test.column(column["name"]))

    def score(synthetic):
        y = listed(column, synthetic.column(column["name"]))
        known = y < classes
        made = inputs.matrix(synthetic.take(known))
        return learners.score_papers(chosen, made, y[known], inputs.matrix(test), y_test, classes)

    return Task(train, {**schema, "rows": len(train)}, score, {"real rows": lambda: score(train)}, paper.remark)


def log_density(squares):
    """Of points at these squared distances from the centres of some of the clusters, and of being in one of them."""
    exponents = -squares / (2 * SPREAD**2)
    top = exponents.max(axis=1)
    return top + np.log(np.exp(exponents - top[:, None]).sum(axis=1)) - np.log(2 * np.pi * SPREAD**2 * GRID**2)


def score_grid(made, centres, classes):
    """The likelihood of the points with their classes, and without; the clusters that hold a fifth of their rows or more."""
    points = np.stack([numbers(made.column("x")), numbers(made.column("y"))], axis=1)
    labels = numbers(made.column("class")).astype(int)
    squares = ((points[:, None, :] - centres) ** 2).sum(axis=2)
    with_class = np.concatenate([log_density(squares[labels == k][:, classes == k]) for k in range(GRID)])
    near = np.bincount(squares.argmin(axis=1)[squares.min(axis=1) < (3 * SPREAD) ** 2], minlength=len(centres))
    return {"NLL of 90,000": float(-with_class.mean() * POINTS),
            "without class": float(-log_density(squares).mean() * POINTS),
            "modes of 25": int((near >= 0.2 * len(points) / len(centres)).sum()),
            "class of the nearest mode": float((classes[squares.argmin(axis=1)] == labels).mean())}


def gaussian_grid(_name, _load, _chosen, seed):
    """G1. 25 clusters at whole numbers, 5 of each class: every class once in each row and column."""
    centres = np.array([(row, column) for row in range(GRID) for column in range(GRID)], dtype=float)
    classes = np.array([(2 * row + column) % GRID for row in range(GRID) for column in range(GRID)])
    which = np.repeat(np.arange(len(centres)), POINTS // len(centres))
    points = centres[which] + SPREAD * np.random.default_rng(seed).standard_normal((len(which), 2))
    cells = [[f"{x:.6f}", f"{y:.6f}", str(label)] for (x, y), label in zip(points, classes[which])]
    number = {"type": "real", "min": -1, "max": GRID, "decimals": 6, "missing": False, "outside": "clamp"}
    label = {"name": "class", "type": "categorical", "values": [str(k) for k in range(GRID)], "missing": False,
             "outside": "refuse"}
    schema = {"sosia-schema": 1, "target": "class", "rows": len(cells),
              "columns": [{"name": "x", **number}, {"name": "y", **number}, label]}
    rows = Rows(["x", "y", "class"], np.array(cells, dtype=object))

    def score(made):
        return score_grid(made, centres, classes)

    return Task(rows, schema, score, {"real rows": lambda: score(rows)})


def mixed_types(name, load, _, seed):
    """T5. As many training rows as the paper has, drawn once, the same for all seeds."""
    train, test, schema = mixed.paper_rows(*load(name), SPLIT_SEED)
    score = mixed.scorer(train, test, schema)

    def bootstrap():
        return score(train.take(np.random.default_rng(seed).integers(len(train), size=len(train))))

    return Task(train, schema, score, {"bootstrap of the real rows": bootstrap})


PROTOCOLS = {
    "T1": Protocol(marginals, "any set of bench/tables.py, " + ", ".join(EXCERPTS), 1e-9, "add-remove", "1,2,3",
                   "mean total variation distance of all k-way tables"),
    "T2": Protocol(prediction, "any set of bench/tables.py with a target", 1e-5, "add-remove", "1,2,3",
                   "train on synthetic rows, test on the real 20 %"),
    "T3": Protocol(papers_table, ", ".join(papers.PAPER_SETS), 1e-5, "replace", "0,1,2,3,4",
                   "the papers' table: labels that are said; the published runs were not private as coded"),
    "T5": Protocol(mixed_types, "adult", 1e-5, "add-remove", "1,2,3",
                   "divergences of eight categories, and a forest that tells the salary"),
    "G1": Protocol(gaussian_grid, "grid", 1e-5, "replace", "1,2,3",
                   "25 Gaussian clusters; samples under the true mixture"),
}
