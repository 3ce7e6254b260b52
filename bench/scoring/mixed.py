# SPDX-License-Identifier: Apache-2.0
"""T5: mixed-type metrics of the DP-auto-GAN paper, on Adult."""
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from scoring.rows import LISTED, Inputs, listed

TRAIN_ROWS = 32_561  # the published training part; the rest is held out
DROPPED = {"fnlwgt", "education"}  # education says what education_num says
NOT_SUMMED = {"education_num"}  # as in the paper's totals
TREES = 200


def shares(column, cells):
    """Of each value, of any other and of missing."""
    return np.bincount(listed(column, cells), minlength=len(column["values"]) + 2) / max(len(cells), 1)


def divergence(p, q):
    """Of Kullback and Leibler, in nats, where q is not 0 unless p is."""
    seen = p > 0
    return float(np.sum(p[seen] * np.log(p[seen] / q[seen])))


def js_divergence(p, q):
    middle = (p + q) / 2
    return 0.5 * divergence(p, middle) + 0.5 * divergence(q, middle)


def smoothed_kl(p, q):
    """Of shares to which mu = exp(-1 / (1 - largest share)) has been added."""
    mu = np.exp(-1 / (1 - p.max())) if p.max() < 1 else 0.0
    return divergence(p + mu, q + mu) if mu > 0 else 0.0


def paper_rows(rows, schema, seed):
    """The columns of the paper, and a training part of its size."""
    columns = [c for c in schema["columns"] if c["name"] not in DROPPED]
    rows = rows.only([c["name"] for c in columns])
    order = np.random.default_rng(seed).permutation(len(rows))
    return rows.take(order[:TRAIN_ROWS]), rows.take(order[TRAIN_ROWS:]), {**schema, "columns": columns}


def scorer(train, test, schema):
    """A function from synthetic rows to their scores."""
    summed = [c for c in schema["columns"] if c["type"] in LISTED and c["name"] not in NOT_SUMMED]
    target = next(c for c in schema["columns"] if c["name"] == schema["target"])

    def score(made):
        pairs = [(shares(c, train.column(c["name"])), shares(c, made.column(c["name"]))) for c in summed]
        labels = listed(target, made.column(target["name"]))
        inputs = Inputs(schema, made)
        forest = RandomForestClassifier(TREES, random_state=0).fit(inputs.scaled(made), labels)
        return {"JSD, sum of columns": sum(js_divergence(p, q) for p, q in pairs),
                "smoothed KL, sum": sum(smoothed_kl(p, q) for p, q in pairs),
                "accuracy": float(forest.score(inputs.scaled(test), listed(target, test.column(target["name"]))))}

    return score
