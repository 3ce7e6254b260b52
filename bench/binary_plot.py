#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/pictures/binary_columns.svg: binary columns one by one, synthetic against real.

    bench/binary_plot.py [--epsilon E] [--sosia PROGRAM]

Left, how often a column is 1; right, how well the others tell it. Rows and scores are those of `bench/scores.py B1`, whose rows are used
if they are there. On the diagonal a column is as in the real rows.
"""
import argparse
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import scores
from scoring import binary, runs
from scoring.rows import read_rows

ROOT = Path(__file__).resolve().parent.parent
SIDE, GAP, EDGE = 260, 70, 40  # of a panel, between panels, around


def panel(left, title, low, high, points):
    """A square of points with its diagonal and its ends."""
    def at(x, y):
        return left + (x - low) / (high - low) * SIDE, EDGE + SIDE - (y - low) / (high - low) * SIDE
    top, bottom = EDGE, EDGE + SIDE
    parts = [f'<rect x="{left}" y="{top}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#888"/>',
             f'<line x1="{left}" y1="{bottom}" x2="{left + SIDE}" y2="{top}" stroke="#888" stroke-dasharray="4 4"/>',
             f'<text x="{left + SIDE / 2}" y="{top - 12}" text-anchor="middle" font-weight="bold">{title}</text>',
             f'<text x="{left + SIDE / 2}" y="{bottom + 30}" text-anchor="middle">real rows</text>',
             f'<text x="{left - 26}" y="{top + SIDE / 2}" text-anchor="middle" transform="rotate(-90 {left - 26} {top + SIDE / 2})">synthetic rows</text>']
    for value in (low, high):
        x, y = at(value, value)
        parts.append(f'<text x="{x:.0f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.0f}" text-anchor="end">{value:g}</text>')
    for real, made in points:
        x, y = at(np.clip(real, low, high), np.clip(made, low, high))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.2"/>')
    return "\n".join(parts)


def picture(probabilities, predictions):
    width, height = 2 * (SIDE + EDGE) + GAP, SIDE + 2 * EDGE
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>', '<g fill="#222">',
        '<style>circle { fill: #1f6fb4; fill-opacity: 0.45 }</style>',
        panel(EDGE, "how often it is 1", 0, 1, probabilities),
        panel(EDGE + SIDE + GAP, "how well the others tell it", 0.5, 1, predictions), "</g>", "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description="Binary columns one by one, as a picture.")
    parser.add_argument("--epsilon", default="2.7")
    parser.add_argument("--sosia", type=Path, default=ROOT / "build/release/src/cli/sosia")
    options = parser.parse_args()
    plan = scores.plan_of(SimpleNamespace(table="B1", quick=False, method="dp-auto-gan", epsilon=options.epsilon, classifiers=None, seeds="1", sets=[]))
    data = Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data")
    done = runs.Runs("B1", plan["sets"][0], scores.run_options(
        SimpleNamespace(table="B1", sosia=options.sosia, data=data, work=ROOT / "build/scores", threads=os.cpu_count(), set=[],
                        no_evaluate=True, delta=None, relation=None), plan))
    task = done.task(1)
    made = read_rows(done.made("dp-auto-gan", options.epsilon, 1))
    probabilities = zip(binary.probabilities(task.train), binary.probabilities(made))
    areas = zip(binary.predictions(task.train, task.test), binary.predictions(made, task.test))
    areas = [pair for pair in areas if not np.isnan(pair).any()]
    (ROOT / "docs/pictures/binary_columns.svg").write_text(picture(probabilities, areas), encoding="utf-8")


if __name__ == "__main__":
    main()
