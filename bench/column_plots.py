# SPDX-License-Identifier: Apache-2.0
"""Columns one by one, synthetic against real, as the DP-auto-GAN paper draws them: on the diagonal a column is as in the real rows.

Adult: how well the other columns tell each; scores that `bench/scores.py T5 --record` has put into bench/paper_tables. Binary columns:
how often each is 1, and how well the others tell it; rows of `bench/scores.py B1`, which are used if they are there.
"""
import os
from types import SimpleNamespace

import numpy as np

import recorded
import scores
from scoring import runs
from scoring.rows import read_rows

SIDE, GAP, EDGE = 220, 76, 44  # of a panel, between panels, around
MIXED = (["pairwise", "dp-hp", "dp-merf"], ["dp-auto-gan", "dp-syn", "dp-vae"])
MIXED_EPSILON, BINARY_EPSILON = "1.01", "2.7"
PREDICTED = "prediction, "  # the columns' scores in T5 begin so


def panel(place, title, low, high, points):
    """A square of points with its diagonal and its ends. `place`: its row and number; points outside lie on the edge."""
    left, top = EDGE + place[1] * (SIDE + GAP), EDGE + place[0] * (SIDE + GAP)
    right, bottom = left + SIDE, top + SIDE

    def at(x, y):
        return left + (x - low) / (high - low) * SIDE, bottom - (y - low) / (high - low) * SIDE
    parts = [f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888"/>',
             f'<line x1="{left}" y1="{bottom}" x2="{right}" y2="{top}" stroke="#888" stroke-dasharray="4 4"/>',
             f'<text x="{left + SIDE / 2}" y="{top - 12}" text-anchor="middle" font-weight="bold">{title}</text>',
             f'<text x="{left + SIDE / 2}" y="{bottom + 30}" text-anchor="middle">real rows</text>',
             f'<text x="{left - 26}" y="{top + SIDE / 2}" text-anchor="middle" transform="rotate(-90 {left - 26} {top + SIDE / 2})">synthetic rows</text>']
    for value in (low, high):
        x, y = at(value, value)
        parts.append(f'<text x="{x:.0f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{value:g}</text>')
    for real, made in points:
        x, y = at(np.clip(real, low, high), np.clip(made, low, high))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>')
    return "\n".join(parts)


def picture(rows, columns, panels):
    width, height = (columns * (length := SIDE + GAP)) + EDGE, rows * length + EDGE
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>', '<g fill="#222">',
        '<style>circle { fill: #1f6fb4; fill-opacity: 0.5 }</style>', *panels, "</g>", "</svg>", ""])


def mixed_picture():
    """Of what is recorded: a panel a method, a point a column."""
    means = {e["who"]: {name: np.mean(found) for name, found in e["scores"].items() if name.startswith(PREDICTED) and name != f"{PREDICTED}difference"}
             for e in recorded.load("T5") if e["epsilon"] in ("", MIXED_EPSILON)}
    real = means["real rows"]
    panels = [panel((i, k), method, 0, 1, [(real[name], means[method][name]) for name in real])
              for i, methods in enumerate(MIXED) for k, method in enumerate(methods)]
    return picture(len(MIXED), len(MIXED[0]), panels)


def binary_picture(options, methods):
    """Of the rows: a line of two panels a method, a point a column."""
    from scoring import binary  # needs scikit-learn, as the other picture does not
    plan = scores.plan_of(SimpleNamespace(table="B1", quick=False, method=",".join(methods), epsilon=BINARY_EPSILON, classifiers=None, seeds="1", sets=[]))
    done = runs.Runs("B1", plan["sets"][0], scores.run_options(
        SimpleNamespace(table="B1", sosia=options.sosia, data=options.data, work=options.work, threads=os.cpu_count(), set=[],
                        no_evaluate=True, delta=None, relation=None, features=None), plan))
    task = done.task(1)
    real = binary.probabilities(task.train), binary.predictions(task.train, task.test)
    panels = []
    for i, method in enumerate(methods):
        rows = read_rows(done.made(method, BINARY_EPSILON, 1))
        found = binary.probabilities(rows), binary.predictions(rows, task.test)
        panels.append(panel((i, 0), f"{method}: how often it is 1", 0, 1, zip(real[0], found[0])))
        panels.append(panel((i, 1), f"{method}: how well the others tell it", 0.5, 1, [p for p in zip(real[1], found[1]) if not np.isnan(p).any()]))
    return picture(len(methods), 2, panels)
