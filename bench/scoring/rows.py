# SPDX-License-Identifier: Apache-2.0
"""Rows of a table, and what scores make of them: codes to count, numbers to learn from."""
import csv
import gzip
import itertools
from dataclasses import dataclass

import numpy as np

MISSING = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}
NUMBERS = {"integer", "real"}
LISTED = {"boolean", "categorical", "ordinal"}
BINS = 20  # at quantiles, of numbers that have more than MANY values
MANY = 128


@dataclass
class Rows:
    """Cells as texts."""
    names: list
    cells: np.ndarray

    def __len__(self):
        return len(self.cells)

    def column(self, name):
        return self.cells[:, self.names.index(name)]

    def take(self, which):
        return Rows(self.names, self.cells[which])

    def only(self, names):
        return Rows(list(names), self.cells[:, [self.names.index(name) for name in names]])


def read_rows(path):
    with gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, encoding="utf-8", newline="") as file:
        table = csv.reader(file)
        names = next(table)
        return Rows(names, np.array([[cell.strip() for cell in row] for row in table], dtype=object))


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows.names)
        writer.writerows(rows.cells)


def numbers(cells):
    """As floats; what is missing becomes NaN."""
    return np.array([np.nan if cell in MISSING else float(cell) for cell in cells])


def spellings(value):
    """A whole number is the same with a decimal and without."""
    return [value, value.removesuffix(".0") if value.endswith(".0") else value + ".0"]


def listed(column, cells):
    """The place of each cell among the column's values; then one for any other value, and one for missing."""
    places = {spelling: i for i, value in enumerate(column["values"]) for spelling in spellings(value)}
    other = len(column["values"])
    return np.array([places.get(cell, other + 1 if cell in MISSING else other) for cell in cells])


def quantile_edges(values):
    """Inner edges of about equally full bins."""
    values = values[~np.isnan(values)]
    return np.unique(np.quantile(values, np.arange(1, BINS) / BINS)) if len(values) else np.array([])


def binned(values, edges):
    """The bin of each number; one more for missing."""
    return np.where(np.isnan(values), len(edges) + 1, np.searchsorted(edges, values, side="right"))


class Coder:
    """Columns as codes. Listed values and small ranges of whole numbers have a code each, other numbers bins at quantiles
    of the real rows: these are seen by the score alone."""

    def __init__(self, schema, real):
        self.columns = [c for c in schema["columns"] if c["type"] in NUMBERS | LISTED]
        self.edges = {c["name"]: self._edges(c, real) for c in self.columns if c["type"] in NUMBERS}

    @staticmethod
    def _edges(column, real):
        if column["type"] == "integer" and column["max"] - column["min"] < MANY:
            return np.arange(column["min"] + 1, column["max"] + 1) - 0.5
        return quantile_edges(numbers(real.column(column["name"])))

    def codes(self, rows):
        """A list of columns, and how many codes each may have."""
        found, widths = [], []
        for column in self.columns:
            cells = rows.column(column["name"])
            if column["type"] in NUMBERS:
                edges = self.edges[column["name"]]
                found.append(binned(numbers(cells), edges))
                widths.append(len(edges) + 2)
            else:
                found.append(listed(column, cells))
                widths.append(len(column["values"]) + 2)
        return found, widths


def distance(real, synthetic, widths, ways):
    """Total variation distance of the `ways`-way tables, mean over all sets of columns."""
    distances = []
    for chosen in itertools.combinations(range(len(widths)), ways):
        a, b, cells = np.zeros(len(real[0]), np.int64), np.zeros(len(synthetic[0]), np.int64), 1
        for f in chosen:
            a, b, cells = a * widths[f] + real[f], b * widths[f] + synthetic[f], cells * widths[f]
        if cells > 1 << 20:
            both = np.unique(np.concatenate([a, b]), return_inverse=True)[1]
            a, b, cells = both[:len(a)], both[len(a):], both.max() + 1
        difference = np.bincount(a, minlength=cells) / len(a) - np.bincount(b, minlength=cells) / len(b)
        distances.append(0.5 * np.abs(difference).sum())
    return float(np.mean(distances))


class Inputs:
    """What classifiers see. `scaled`: numbers with mean 0 and deviation 1 and a mark where missing, values one-hot. `bins`:
    numbers in bins at quantiles, all one-hot. Scales and bins are those of the training rows."""

    def __init__(self, schema, train):
        self.columns = [c for c in schema["columns"] if c["type"] in NUMBERS | LISTED and c["name"] != schema["target"]]
        self.scales, self.edges = {}, {}
        for name in (c["name"] for c in self.columns if c["type"] in NUMBERS):
            values = numbers(train.column(name))
            self.edges[name] = quantile_edges(values)
            known = values[~np.isnan(values)]
            self.scales[name] = (known.mean(), known.std() or 1.0) if len(known) else (0.0, 1.0)

    def _blocks(self, rows, in_bins):
        for column in self.columns:
            cells = rows.column(column["name"])
            if column["type"] in LISTED:
                yield np.eye(len(column["values"]) + 2, dtype=np.float32)[listed(column, cells)]
            elif in_bins:
                edges = self.edges[column["name"]]
                yield np.eye(len(edges) + 2, dtype=np.float32)[binned(numbers(cells), edges)]
            else:
                values = numbers(cells)
                mean, deviation = self.scales[column["name"]]
                yield np.nan_to_num((values - mean) / deviation)[:, None].astype(np.float32)
                if column.get("missing"):
                    yield np.isnan(values)[:, None].astype(np.float32)

    def scaled(self, rows):
        return np.hstack(list(self._blocks(rows, False)))

    def bins(self, rows):
        return np.hstack(list(self._blocks(rows, True)))
