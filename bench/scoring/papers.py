# SPDX-License-Identifier: Apache-2.0
"""T3: the tables of the DP-MERF and DP-HP papers, with their rows, their undersampling and their splits."""
import copy
from dataclasses import dataclass

import numpy as np

from scoring.rows import LISTED, MISSING, Rows, listed, numbers

SDGYM_TEST = 10_000  # rows of Adult's first file that the papers' loader left out
ATTACKS = {"dos": "back land neptune pod smurf teardrop", "normal": "normal", "probe": "ipsweep nmap portsweep satan",
           "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
           "u2r": "buffer_overflow loadmodule perl rootkit"}
CERVICAL_NUMBERS = ["Age", "Number of sexual partners", "First sexual intercourse", "Num of pregnancies", "Smokes (years)",
                    "Smokes (packs/year)", "Hormonal Contraceptives (years)", "IUD (years)", "STDs (number)",
                    "STDs: Number of diagnosis", "STDs: Time since first diagnosis", "STDs: Time since last diagnosis"]
VOWELS = {"1", "5", "9", "15", "21"}


@dataclass
class Paper:
    """A row of their table: the class that is undersampled, by how much, and the share of rows that is trained on."""
    table: str
    thinned: str
    rate: float
    share: float
    remark: str
    drop: tuple = ()


PAPER_SETS = {
    "adult": Paper("adult", "<=50K", 0.4, 0.9, "adult.data, 22,561 of its rows"),
    "census": Paper("census_kdd", "- 50000", 0.4, 0.8, "the official test half in the place of the training half",
                    ("instance_weight",)),
    "cervical": Paper("cervical", "0", 1.0, 0.8, "whole", ("STDs:vaginal condylomatosis",)),
    "credit": Paper("creditcard", "0", 1422 / 4163, 0.8, "all 492 frauds and as many other rows as they had", ("Time",)),
    "epileptic": Paper("epileptic", "0", 1.0, 0.7, "whole"),
    "isolet": Paper("isolet", "0", 1.0, 0.7, "isolet1 and isolet5 in the place of isolet1-4"),
    "covtype": Paper("covertype", "2", 0.03, 0.7, "the first 20,000 rows, as theirs"),
    "intrusion": Paper("kddcup99", "dos", 0.1, 0.7, "394,021 rows of the 10 % file"),
}


def relabelled(rows, schema, labels):
    """Other classes for the target; its column becomes that of these classes."""
    schema = copy.deepcopy(schema)
    kinds = sorted(set(labels))
    column = next(c for c in schema["columns"] if c["name"] == schema["target"])
    column.clear()
    column |= {"name": schema["target"], "type": "categorical", "values": kinds, "missing": False, "outside": "refuse"}
    cells = rows.cells.copy()
    cells[:, rows.names.index(schema["target"])] = labels
    return Rows(rows.names, cells), schema


def filled(rows, schema):
    """Cervical: rows with less than 10 cells missing; missing answers to yes or no are 0. Missing numbers stay so: the papers
    filled them with medians of all rows, which are private."""
    cells = rows.cells[(np.isin(rows.cells, list(MISSING))).sum(axis=1) < 10].copy()
    schema = copy.deepcopy(schema)
    for j, column in enumerate(schema["columns"]):
        if column["name"] not in CERVICAL_NUMBERS:
            cells[np.isin(cells[:, j], list(MISSING)), j] = "0.0"
            column["missing"] = False
    return Rows(rows.names, cells), schema


def prepared(name, rows, schema):
    """The rows and classes that the papers used."""
    paper = PAPER_SETS[name]
    keep = [c["name"] for c in schema["columns"] if c["name"] not in paper.drop]
    schema = {**schema, "columns": [c for c in schema["columns"] if c["name"] in keep]}
    rows = rows.only(keep)
    target = rows.column(schema["target"])
    if name == "adult":
        first = np.random.RandomState(0).permutation(32_561)[:-SDGYM_TEST]
        rows = rows.take(first)
    elif name == "cervical":
        rows, schema = filled(rows, schema)
    elif name == "epileptic":
        rows, schema = relabelled(rows, schema, np.where(target == "1", "1", "0").astype(object))
    elif name == "isolet":
        rows, schema = relabelled(rows, schema, np.where(np.isin(target, list(VOWELS)), "1", "0").astype(object))
    elif name == "intrusion":
        group = {attack: kind for kind, attacks in ATTACKS.items() for attack in attacks.split()}
        rows, schema = relabelled(rows, schema, np.array([group[label] for label in target], dtype=object))
        rows = rows.take(np.random.RandomState(0).permutation(len(rows))[:-100_000])
    return rows, schema


def split(name, rows, schema, seed):
    """Training and test rows of a repetition; the test rows are undersampled too, as the papers did."""
    from sklearn.model_selection import train_test_split
    paper = PAPER_SETS[name]
    thinned = np.flatnonzero(rows.column(schema["target"]) == paper.thinned)
    others = np.setdiff1d(np.arange(len(rows)), thinned)
    kept = np.random.RandomState(seed).choice(thinned, round(paper.rate * len(thinned)), replace=False)
    chosen = rows.take(np.sort(np.concatenate([others, kept])))
    train, test = train_test_split(np.arange(len(chosen)), train_size=paper.share, random_state=seed)
    return chosen.take(train), chosen.take(test)


class RawInputs:
    """Numbers as they are, codes of values by frequency in the real rows: what the papers gave to their classifiers. The codes are
    seen by the score alone."""

    def __init__(self, schema, real):
        self.columns = [c for c in schema["columns"] if c["name"] != schema["target"]]
        self.ranks = {}
        for column in (c for c in self.columns if c["type"] in LISTED - {"ordinal"}):
            counts = np.bincount(listed(column, real.column(column["name"])), minlength=len(column["values"]) + 2)
            self.ranks[column["name"]] = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")

    def _matrix(self, rows):
        columns = []
        for column in self.columns:
            cells = rows.column(column["name"])
            if column["type"] not in LISTED:
                columns.append(numbers(cells))
            elif column["name"] in self.ranks:
                columns.append(self.ranks[column["name"]][listed(column, cells)])
            else:
                columns.append(listed(column, cells))
        return np.stack(columns, axis=1).astype(np.float64)

    def matrices(self, train, test):
        """Of both; a missing number becomes the median of the training rows, or 0 where they have none."""
        x, x_test = self._matrix(train), self._matrix(test)
        fill = np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else 0.0 for c in x.T])
        return np.where(np.isnan(x), fill, x), np.where(np.isnan(x_test), fill, x_test)
