# SPDX-License-Identifier: Apache-2.0
"""T5: the metrics of the DP-auto-GAN paper, for Adult without education (a name for education_num) and without fnlwgt."""
from functools import cache

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Lasso
from sklearn.metrics import accuracy_score, f1_score, r2_score

from scoring.divergences import jsd, smoothed_kl
from scoring.rows import LISTED, listed, numbers
from scoring.task import Task

FIRST = 32_561  # rows of adult.data; those of adult.test come after
DROPPED = ("education", "fnlwgt")
DIVERSE = ("workclass", "marital_status", "occupation", "relationship", "race", "sex", "native_country", "income")
FOREST = 800


def shares(column, rows):
    places = listed(column, rows.column(column["name"]))
    return np.bincount(places, minlength=len(column["values"]) + 2) / len(places)


class Views:
    """What learners see: numbers by their public range, values one-hot (`dimension`) or as codes (`codes`)."""

    def __init__(self, schema):
        self.columns = schema["columns"]

    def codes(self, rows, without):
        columns = [c for c in self.columns if c["name"] != without]
        return np.stack([self.answer(c, rows) for c in columns], axis=1)

    def one_hot(self, rows, without):
        blocks = []
        for column in (c for c in self.columns if c["name"] != without):
            if column["type"] in LISTED:
                blocks.append(np.eye(len(column["values"]) + 2)[listed(column, rows.column(column["name"]))])
            else:
                blocks.append(self.answer(column, rows)[:, None])
        return np.hstack(blocks)

    @staticmethod
    def answer(column, rows):
        """The column itself."""
        cells = rows.column(column["name"])
        if column["type"] in LISTED:
            return listed(column, cells)
        return (numbers(cells) - column["min"]) / (column["max"] - column["min"])


def predicted(views, column, made, test):
    """How well the others tell this column: R2 of a number, F1 of the second of two values, else accuracy."""
    name = column["name"]
    x, y = views.one_hot(made, name), views.answer(column, made)
    x_test, y_test = views.one_hot(test, name), views.answer(column, test)
    if column["type"] not in LISTED:
        return r2_score(y_test, Lasso().fit(x, y).predict(x_test))
    said = RandomForestClassifier(10, random_state=0).fit(x, y).predict(x_test)
    if len(column["values"]) == 2:
        return f1_score(y_test == 1, said == 1)
    return accuracy_score(y_test, said)


def mixed_types(_name, load, _chosen, _seed):
    rows, schema = load("adult")
    columns = [c for c in schema["columns"] if c["name"] not in DROPPED]
    schema = {**schema, "columns": columns}
    rows = rows.only([c["name"] for c in columns])
    train, test = rows.take(slice(FIRST)), rows.take(slice(FIRST, None))
    views = Views(schema)
    by_name = {c["name"]: c for c in columns}
    target = by_name[schema["target"]]

    @cache
    def of_real():
        return {c["name"]: predicted(views, c, train, test) for c in columns}

    def score(made):
        pairs = [(shares(by_name[name], train), shares(by_name[name], made)) for name in DIVERSE]
        scores = {"JSD": sum(jsd(p, q) for p, q in pairs), "smoothed KL": sum(smoothed_kl(p, q) for p, q in pairs)}
        forest = RandomForestClassifier(FOREST, random_state=0)
        forest.fit(views.codes(made, target["name"]), views.answer(target, made))
        said = forest.predict(views.codes(test, target["name"]))
        scores["salary accuracy"] = accuracy_score(views.answer(target, test), said)
        states = [abs(shares(c, train) - shares(c, made)) for c in columns if c["type"] in LISTED]
        scores["probability, difference"] = np.mean(np.concatenate(states))
        found = {c["name"]: predicted(views, c, made, test) for c in columns}
        scores["prediction, difference"] = np.mean([abs(found[name] - of_real()[name]) for name in found])
        scores |= {f"prediction, {name}": value for name, value in found.items()}
        return {name: float(value) for name, value in scores.items()}

    return Task(train, schema, score, test, remark="32,561 rows of adult.data; tested on adult.test")
