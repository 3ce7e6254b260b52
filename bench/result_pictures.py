#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/results.md, from what `bench/scores.py` has recorded and kept.

    bench/result_pictures.py [--sosia PROGRAM] [--work FOLDER]

A picture whose rows were never made here is left as it is.
"""
import argparse
import os
import shutil
from pathlib import Path

import column_plots
import recorded
import utility_plot

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs/pictures"
GRID_EPSILON = "1"


def grids(work):
    """Samples of every method and set of images, as the newest run has drawn them."""
    for entry in (e for e in recorded.load("I1") if e["epsilon"] == GRID_EPSILON):
        drawn = sorted(work.glob(f"I1.{entry['set']}.{entry['who']}.{GRID_EPSILON}.{entry['seeds'][0]}.*.png"), key=lambda p: p.stat().st_mtime)
        if drawn:
            shutil.copyfile(drawn[-1], PICTURES / f"{entry['set']}_{entry['who'].replace('-', '_')}.png")


def main():
    parser = argparse.ArgumentParser(description="The pictures of docs/results.md.")
    parser.add_argument("--sosia", type=Path, default=ROOT / "build/release/src/cli/sosia")
    parser.add_argument("--work", type=Path, default=ROOT / "build/scores", help="where rows are kept")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data"))
    options = parser.parse_args()
    (PICTURES / "epsilon_utility.svg").write_text(utility_plot.picture(), encoding="utf-8")
    (PICTURES / "mixed_columns.svg").write_text(column_plots.mixed_picture(), encoding="utf-8")
    if any(options.work.glob("B1.*.csv.gz")):
        (PICTURES / "binary_columns.svg").write_text(column_plots.binary_picture(options, ["pairwise", "dp-auto-gan"]), encoding="utf-8")
    grids(options.work)


if __name__ == "__main__":
    main()
