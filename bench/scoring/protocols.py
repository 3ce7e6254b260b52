# SPDX-License-Identifier: Apache-2.0
"""The protocols: what is fitted, and how the synthetic rows are scored. bench/README.md describes them.

Modules that need scikit-learn or XGBoost are imported where they are used: T1, T4 and G1 need neither.
"""
import numpy as np

from scoring import grid, image_files, images, marginals, papers
from scoring.rows import Inputs, listed, numbers
from scoring.task import Protocol, Task

SPLIT_SEED = 0


def prediction(name, load, chosen, _):
    """T2."""
    from scoring import learners
    rows, schema = marginals.table_of(name, load)
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
    test, y_test = labelled(rows.take(order[cut:]))

    def score(synthetic):
        made, y = labelled(synthetic)
        inputs = Inputs(schema, made)
        if "values" not in column:
            return learners.score_regressors(chosen, inputs, made, y, test, y_test)
        return learners.score_classifiers(chosen, inputs, made, y, test, y_test, len(column["values"]))

    return Task(rows.take(order[:cut]), schema, score, test)


def papers_table(name, load, chosen, seed):
    """T3. The number of rows is public, as it is to the papers."""
    from scoring import learners
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
        made, real = inputs.matrices(synthetic.take(known), test)
        return learners.score_papers(chosen, made, y[known], real, y_test, classes)

    return Task(train, {**schema, "rows": len(train)}, score, test, remark=paper.remark)


def mixed_types(name, load, chosen, seed):
    """T5."""
    from scoring import mixed
    return mixed.mixed_types(name, load, chosen, seed)


def binary_columns(name, load, chosen, seed):
    """B1."""
    from scoring import binary
    return binary.binary_columns(name, load, chosen, seed)


PROTOCOLS = {
    "T1": Protocol(marginals.all_tables, "any set of bench/tables.py, " + ", ".join(marginals.EXCERPTS), 1e-9, "add-remove",
                   "mean total variation distance of all k-way tables"),
    "T2": Protocol(prediction, "any set of bench/tables.py with a target", 1e-5, "add-remove",
                   "train on synthetic rows, test on the real 20 %", classifiers=True, one_split=True),
    "T3": Protocol(papers_table, ", ".join(papers.PAPER_SETS), 1e-5, "replace",
                   "the papers' table: labels that are said; the published runs were not private as coded", classifiers=True),
    "T4": Protocol(marginals.discretised, ", ".join(marginals.FORMS), 1e-5, "replace",
                   "mean total variation distance of all 3- and 4-way tables, and as the published code counts"),
    "T5": Protocol(mixed_types, "adult", 1e-5, "add-remove", "columns by themselves and beside others, each by what suits it",
                   one_split=True),
    "A1": Protocol(prediction, "any set of bench/tables.py with a target", 1e-5, "add-remove",
                   "all methods beside each other, on 80 % of the rows", classifiers=True, one_split=True),
    "B1": Protocol(binary_columns, "location30", 1e-5, "add-remove", "binary columns: how often each is 1, and how well the others tell it",
                   one_split=True),
    "I1": Protocol(images.images, ", ".join(image_files.FOLDERS), 1e-5, "replace",
                   "train on synthetic images, test on the 10,000 real test images", classifiers=True, form=image_files.FORM),
    "G1": Protocol(grid.gaussian_grid, "grid", 1e-5, "replace", "25 Gaussian clusters; samples under the true mixture"),
}
