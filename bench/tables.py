#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public data sets as tables that sosia reads: one CSV file a set, under the name of its schema in bench/schemas.

    bench/tables.py [--data FOLDER] [--out FOLDER] [--rows N] [--then PROGRAM] [NAME ...]

A set that is a CSV file already is linked, the others are converted: lines of names are added, cells trimmed, parts joined,
and codes for "missing" that only the set's documentation knows are emptied. Nothing else is changed. With --rows, N evenly
spaced rows of every set are written. With --then, runs PROGRAM on the tables' folder and the schemas' folder. Exits with 77,
which test runners take for "skipped", if there is no folder of data.
"""
import argparse
import csv
import gzip
import io
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77

COVERTYPE = ["Elevation", "Aspect", "Slope", "Horizontal_Distance_To_Hydrology", "Vertical_Distance_To_Hydrology",
             "Horizontal_Distance_To_Roadways", "Hillshade_9am", "Hillshade_Noon", "Hillshade_3pm",
             "Horizontal_Distance_To_Fire_Points", *(f"Wilderness_Area{i}" for i in range(1, 5)),
             *(f"Soil_Type{i}" for i in range(1, 41)), "Cover_Type"]
ADULT = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship", "race", "sex",
         "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"]
WINE = ["fixed acidity", "volatile acidity", "citric acid", "residual sugar", "chlorides", "free sulfur dioxide",
        "total sulfur dioxide", "density", "pH", "sulphates", "alcohol", "quality"]


def lines_of(path):
    """The lines of a text file, packed or not."""
    opened = gzip.open(path, "rt", encoding="utf-8", newline="") if path.suffix == ".gz" else open(
        path, encoding="utf-8", newline="")
    with opened as file:
        yield from file


def rows_of(path):
    """Its rows with trimmed cells; blank lines are no rows."""
    for row in csv.reader(lines_of(path), skipinitialspace=True):
        if row:
            yield [cell.strip() for cell in row]


def named(folder, file):
    """The file's rows below the names that columns.txt lists; the labels of these old sets end in a full stop."""
    yield (folder / "columns.txt").read_text(encoding="utf-8").split()
    for row in rows_of(folder / file):
        row[-1] = row[-1].removesuffix(".")
        yield row


def array_of(data, letter):
    """The numbers of a NumPy file, row by row; of the type that `struct` calls by this letter."""
    start = 10 + int.from_bytes(data[8:10], "little")  # magic, version, length of the header, header
    return struct.unpack(f"<{(len(data) - start) // struct.calcsize(letter)}{letter}", data[start:])


def adult_codes(path):
    """A NumPy array of 64-bit whole numbers, 15 columns."""
    with gzip.open(path) as file:
        values = array_of(file.read(), "q")
    yield ADULT
    for i in range(0, len(values), len(ADULT)):
        yield values[i:i + len(ADULT)]


def covertype(folder):
    """The set has no line of names; its documentation has."""
    yield COVERTYPE
    yield from rows_of(folder / "covtype.20k.data.gz")


def creditcard_random(folder):
    """NumPy arrays of 16-bit floats and of bytes: the components and the amount, and the class."""
    with zipfile.ZipFile(folder / "creditcard_random20pct_float16.npz") as archive:
        values, classes = array_of(archive.read("X.npy"), "e"), array_of(archive.read("y.npy"), "b")
    width = len(values) // len(classes)
    yield [*(f"V{i}" for i in range(1, width)), "Amount", "Class"]
    for i, label in enumerate(classes):
        yield [*(f"{x:.6f}" for x in values[i * width:(i + 1) * width]), label]


def isolet(folder):
    """Both parts; the second one spells its classes with a decimal."""
    yield from rows_of(folder / "isolet1_1560x617.csv.gz")
    test = rows_of(folder / "isolet5_test_1559x617.csv.gz")
    next(test)
    for row in test:
        yield [*row[:-1], row[-1].removesuffix(".0")]


def location30(folder):
    """A class and 446 places that a person was seen at or not."""
    with tarfile.open(folder / "dataset_location.tgz") as archive:
        rows = csv.reader(io.TextIOWrapper(archive.extractfile("bangkok"), encoding="utf-8"))
        yield ["class", *(f"place_{i}" for i in range(1, 447))]
        yield from rows


def nist_acs(folder):
    """Two states in two years. "N" is not applicable, as the dictionary says: missing."""
    for number, (state, year) in enumerate((s, y) for s in ("ma", "tx") for y in (2018, 2019)):
        rows = rows_of(folder / f"{state}{year}.csv.gz")
        names = next(rows)
        if number == 0:
            yield ["YEAR", *names]
        for row in rows:
            yield [year, *("" if cell == "N" else cell for cell in row)]


def wine_quality(folder):
    """Red and white wines in one table."""
    yield ["color", *WINE]
    for color in ("red", "white"):
        for row in rows_of(folder / f"winequality-{color}.csv"):
            yield [color, *row]


# A path is a CSV file as it is; a function gives the rows of a set, the names first.
SETS = {
    "adult": "adult/adult_all_48842.csv.gz",
    "adult_bounded": lambda data: adult_codes(data / "adult/sdgym_bounded_adult.npy.gz"),
    "adult_simple": lambda data: adult_codes(data / "adult/sdgym_simple_adult.npy.gz"),
    "adult_pgm": "adult_pgm/adult.csv.gz",
    "bank_marketing": "bank_marketing/bank_marketing.csv.gz",
    "california_housing": "california_housing/housing.csv.gz",
    "census_kdd": lambda data: named(data / "census_kdd", "census-income.test.gz"),
    "cervical": "cervical/kag_risk_factors_cervical_cancer.csv",
    "covertype": lambda data: covertype(data / "covertype"),
    "creditcard": "creditcard/creditcard_492fraud_4163randnormal.csv.gz",
    "creditcard_random": lambda data: creditcard_random(data / "creditcard"),
    "epileptic": "epileptic/epileptic_uci_data.csv.gz",
    "isolet": lambda data: isolet(data / "isolet"),
    "kddcup99": lambda data: named(data / "kddcup99", "kddcup.data_10_percent.gz"),
    "location30": lambda data: location30(data / "location30"),
    "mushroom": "mushroom/mushrooms.csv.gz",
    "nist_acs": lambda data: nist_acs(data / "nist_acs"),
    "titanic": "titanic/titanic_kaggle_train.csv",
    "wine_quality": lambda data: wine_quality(data / "wine_quality"),
}


def write_rows(path, rows, limit):
    """Writes the table, or that many evenly spaced rows of it, under its name only when it is whole."""
    table = iter(rows)
    names = next(table)
    if limit:
        table = list(table)
        table = table[::max(1, len(table) // limit)][:limit]
    part = path.with_suffix(".part")
    with open(part, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(table)
    part.replace(path)


def make_table(name, data, out, limit):
    """Links or converts one set, unless that was done before; gives the path back."""
    source = SETS[name]
    is_file = isinstance(source, str)
    if is_file and not limit:
        path = out / (name + "".join(Path(source).suffixes))
        path.unlink(missing_ok=True)
        path.symlink_to((data / source).resolve())
        return path
    path = out / f"{name}.csv"
    if not path.exists() or path.stat().st_mtime < Path(__file__).stat().st_mtime:
        write_rows(path, csv.reader(lines_of(data / source)) if is_file else source(data), limit)
    return path


def main():
    parser = argparse.ArgumentParser(description="Public data sets as tables that sosia reads.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(SETS)}; all if none is given")
    parser.add_argument("--data", type=Path, help="where the sets are; SOSIA_DATA, or ../shared/data, if not said",
                        default=Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data"))
    parser.add_argument("--out", type=Path, default=ROOT / "build/tables", help="where the tables go")
    parser.add_argument("--rows", type=int, default=0, help="that many evenly spaced rows of each; 0: all")
    parser.add_argument("--then", metavar="PROGRAM", help="what to run on the tables and their schemas")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(SETS))
    if unknown:
        parser.error(f"no set is called {unknown[0]}; there are {', '.join(SETS)}")
    if not options.data.is_dir():
        print(f"tables: skipped, there is no folder {options.data}; say where the data sets are by SOSIA_DATA or --data")
        return SKIPPED
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or SETS:
        make_table(name, options.data, options.out, options.rows)
    if not options.then:
        return 0
    return subprocess.run([options.then, options.out, Path(__file__).with_name("schemas")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
