# SPDX-License-Identifier: Apache-2.0
"""B1: the metrics that the DP-auto-GAN paper has for binary columns: how often each is 1, and how well the others tell it."""
from functools import cache

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from scoring.task import Task

TRAIN = 0.8
SPLIT_SEED = 0
RARE = 10  # columns with fewer rows of either kind among the test rows are no test of a prediction


def ones(rows):
    return (rows.cells == "1").astype(np.float64)


def probabilities(rows):
    """Of a 1, column by column."""
    return ones(rows).mean(axis=0)


def predictions(made, test):
    """Areas under the ROC curve of logistic regression from all other columns, trained on `made`; 0.5 where that is constant.
    Columns that are no test have NaN."""
    x, y = ones(made), ones(test)
    found = np.full(x.shape[1], np.nan)
    for column in range(x.shape[1]):
        if not RARE <= y[:, column].sum() <= len(y) - RARE:
            continue
        found[column] = 0.5
        if 0 < x[:, column].sum() < len(x):
            others = np.delete(np.arange(x.shape[1]), column)
            learner = LogisticRegression(solver="liblinear", max_iter=100).fit(csr_matrix(x[:, others]), x[:, column])
            found[column] = roc_auc_score(y[:, column], learner.decision_function(csr_matrix(y[:, others])))
    return found


def compared(real, made):
    """Mean absolute difference, and correlation."""
    both = ~np.isnan(real) & ~np.isnan(made)
    spread = min(np.std(real[both]), np.std(made[both]))
    return np.mean(abs(real - made)[both]), np.corrcoef(real[both], made[both])[0, 1] if spread > 0 else 0.0


def binary_columns(name, load, _chosen, _seed):
    """All columns that say 0 or 1, the label left out; nothing else occurs in them."""
    rows, schema = load(name)
    columns = [{"name": c["name"], "type": c["type"], "values": ["0", "1"], "missing": False, "outside": "refuse"}
               for c in schema["columns"] if c.get("values") == ["0", "1"]]
    rows = rows.only([c["name"] for c in columns])
    order = np.random.default_rng(SPLIT_SEED).permutation(len(rows))
    cut = int(TRAIN * len(rows))
    train, test = rows.take(order[:cut]), rows.take(order[cut:])

    @cache
    def of_real():
        return predictions(train, test)

    def score(made):
        scores = {}
        for what, pair in (("probability", (probabilities(train), probabilities(made))),
                           ("prediction", (of_real(), predictions(made, test)))):
            scores[f"{what}, difference"], scores[f"{what}, correlation"] = map(float, compared(*pair))
        return scores

    public = {key: value for key, value in schema.items() if key != "target"}
    return Task(train, {**public, "columns": columns}, score, test, remark="the label left out")
