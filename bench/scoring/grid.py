# SPDX-License-Identifier: Apache-2.0
"""G1: a mixture of Gaussians on a grid, whose density is known."""
import numpy as np

from scoring.rows import Rows, numbers
from scoring.task import Task

GRID, SPREAD, POINTS = 5, 0.2, 90_000


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
    """25 clusters at whole numbers, 5 of each class: every class once in each row and column."""
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
    return Task(rows, schema, lambda made: score_grid(made, centres, classes))
