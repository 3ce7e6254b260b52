# SPDX-License-Identifier: Apache-2.0
"""What a protocol asks for: rows to fit, and a score of rows."""
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from scoring.rows import Rows, read_rows, write_rows

CLASSIFIERS = ("lr", "gnb", "bnb", "svm", "tree", "lda", "ada", "bag", "rf", "gbm", "mlp", "xgb")


def real_rows(train, _seed):
    return train


def bootstrap(train, seed):
    """As many rows, drawn from the real ones: the best that can be had."""
    return train.take(np.random.default_rng(seed).integers(len(train), size=len(train)))


@dataclass
class Form:
    """Files that rows are in: tables, or sets of images."""
    ending: str
    write: Callable  # (path, rows)
    read: Callable  # path, which may be packed -> rows


TABLE = Form(".csv", write_rows, read_rows)


@dataclass
class Task:
    """Rows to fit, what is public about them, and the scores of other rows. `test`: real rows that no fit sees. `beside`: rows that
    are scored beside synthetic ones, from the rows to fit and the seed."""
    train: Rows
    schema: dict
    score: Callable
    test: Rows | None = None
    beside: dict = field(default_factory=lambda: {"real rows": real_rows})
    remark: str = ""


@dataclass
class Protocol:
    make: Callable  # (name of the set, function from a name to its rows and schema, classifiers, seed) -> Task
    sets: str
    delta: float
    relation: str
    title: str
    classifiers: bool = False  # whether it trains them
    one_split: bool = False  # whether real rows have the same scores for all seeds
    form: Form = field(default_factory=lambda: TABLE)
