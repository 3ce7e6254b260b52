#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The classifiers of `sosia evaluate` beside scikit-learn's and XGBoost's, with the same settings on the same features.

    build/scores-venv/bin/python bench/classifiers.py [SET]

Protocol T2 on real rows: 80 % to learn from, 20 % to test; or I1 on real images, mnist or fashion: 5,000 to learn from, 10,000 to
test. Prints areas under the ROC curve, of images accuracies, of both as a Markdown table, with the CPU seconds that each takes to
learn and to score, and fails if two differ by more than they may. Set-up: bench/README.md.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
import xgboost
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import tables
from scoring.image_files import FOLDERS, read_images
from scoring.protocols import SPLIT_SEED
from scoring.rows import LISTED, NUMBERS, listed, numbers, read_rows, write_rows

ROOT = Path(__file__).resolve().parent.parent
MOST = 0.01  # that two areas may differ by
MOST_IMAGES = 0.02  # that two accuracies of trees and nets may, which depend on what is drawn; over seeds they vary by .005
IMAGES = 5000  # to learn from, as `sosia evaluate` does

WITNESSES = {
    "logistic regression": lambda: OneVsRestClassifier(LogisticRegression(solver="liblinear")),
    "linear svm": lambda: LinearSVC(dual=False),
    "gaussian naive bayes": GaussianNB,
    "bernoulli naive bayes": BernoulliNB,
    "linear discriminant": lambda: LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-4),
    "small net": lambda: MLPClassifier((64,), alpha=0, batch_size=128, max_iter=20, random_state=0),
    "decision tree": lambda: DecisionTreeClassifier(random_state=0),
    "bagging": lambda: BaggingClassifier(random_state=0),
    "random forest": lambda: RandomForestClassifier(random_state=0),
    "adaboost": lambda: AdaBoostClassifier(random_state=0),
    "gradient boosting": lambda: GradientBoostingClassifier(random_state=0),
    "xgboost": lambda: xgboost.XGBClassifier(tree_method="hist", n_jobs=1),
}


def parsed():
    parser = argparse.ArgumentParser(description="Classifiers beside those of scikit-learn.")
    parser.add_argument("table", metavar="SET", nargs="?", default="adult", help="mnist, fashion, or one whose target has two classes (%(default)s)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", help="with the benchmarks (SOSIA_BENCH)")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SOSIA_DATA") or ROOT.parent / "shared/data"))
    return parser.parse_args()


def split(options):
    """Schema, training and test rows of T2."""
    folder = ROOT / "build/tables"
    folder.mkdir(parents=True, exist_ok=True)
    schema = json.loads((ROOT / f"bench/schemas/{options.table}.json").read_text(encoding="utf-8"))
    rows = read_rows(tables.make_table(options.table, options.data, folder, 0))
    rows = rows.only([column["name"] for column in schema["columns"]])
    order = np.random.default_rng(SPLIT_SEED).permutation(len(rows))
    cut = int(0.8 * len(rows))
    return schema, rows.take(order[:cut]), rows.take(order[cut:])


def features(schema, rows, real):
    """As docs/evaluation.md says."""
    for column in schema["columns"]:
        cells = rows.column(column["name"])
        if column["name"] == schema["target"]:
            continue
        if column["type"] in LISTED:
            places, values = listed(column, cells), len(column["values"])
            has_other, has_missing = column.get("outside") == "other", column.get("missing", False)
            kept = [*range(values), *([values] if has_other else []), *([values + 1] if has_missing else [])]
            yield np.eye(values + 2)[places][:, kept] / np.sqrt(2)
        elif column["type"] in NUMBERS:
            x, known = numbers(cells), numbers(real.column(column["name"]))
            yield np.nan_to_num((x - np.nanmean(known)) / (np.nanstd(known) or 1.0))[:, None]
            if column.get("missing"):
                yield np.isnan(x)[:, None] / np.sqrt(2)


def evaluated(options, folder):
    """The areas that `sosia evaluate` finds, by classifier."""
    subprocess.run([options.build / "src/cli/sosia", "evaluate", folder / "train.csv", "--real", folder / "train.csv",
                    "--holdout", folder / "test.csv", "--schema", ROOT / f"bench/schemas/{options.table}.json", "--metrics",
                    "transfer", "--threads", str(options.threads), "--quiet", "-o", folder / "scores.json"],
                   check=True, stdout=subprocess.DEVNULL)
    found = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["metrics"][0]
    return {part["of"][0]: part["synthetic"] for part in found["parts"] if part["of"][1] == "area under roc"}


def timed(options, folder, x, y, cut):
    """Success and CPU seconds of ours, by classifier."""
    with open(folder / "rows", "wb") as file:
        counts = np.array([cut, len(y) - cut, x.shape[1], y.max() + 1], np.uint64)
        file.write(counts.tobytes() + x.tobytes() + y.astype(np.uint32).tobytes())
    program = [options.build / "bench/classifier_speed", folder / "rows", str(options.threads)]
    lines = subprocess.run(program, check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split("\t")[0]: [float(line.split("\t")[i]) for i in (1, 3)] for line in lines}


def confidence(learner, x):
    """That the class is 1, on any rising scale. Naive Bayes is so sure that its probabilities round to 0 and 1."""
    if hasattr(learner, "predict_joint_log_proba"):
        logs = learner.predict_joint_log_proba(x)
        return logs[:, 1] - logs[:, 0]
    return learner.predict_proba(x)[:, 1] if hasattr(learner, "predict_proba") else learner.decision_function(x)


def witnessed(make, x, y, cut):
    """Area or accuracy, and CPU seconds."""
    start = time.process_time()
    with warnings.catch_warnings(), threadpool_limits(1):  # threads that wait in loops would count as busy
        warnings.simplefilter("ignore", ConvergenceWarning)  # a net has its fixed number of passes
        learner = make().fit(x[:cut], y[:cut])
    if y.max() > 1:
        said = learner.predict(x[cut:])
        return accuracy_score(y[cut:], said), time.process_time() - start
    sure = confidence(learner, x[cut:])
    return roc_auc_score(y[cut:], sure), time.process_time() - start


def of_table(options, folder):
    """Features, labels, rows to learn from, and the areas that `sosia evaluate` finds."""
    schema, train, test = split(options)
    target = next(c for c in schema["columns"] if c["name"] == schema["target"])
    rows = type(train)(train.names, np.vstack([train.cells, test.cells]))
    x = np.hstack(list(features(schema, rows, train))).astype(np.float32)
    y = listed(target, rows.column(target["name"]))
    if len(target["values"]) != 2 or y.max() > 1:
        sys.exit(f"{options.table}: the target must have two classes in every row")
    write_rows(folder / "train.csv", train)
    write_rows(folder / "test.csv", test)
    return x, y, len(train), evaluated(options, folder)


def of_images(options):
    """The same of images, whose learners need no detour to see what `sosia evaluate` shows them: pixels less one half."""
    train, test = (read_images(options.table, options.data, part) for part in ("train", "t10k"))
    train = train.take(np.random.default_rng(SPLIT_SEED).permutation(len(train))[:IMAGES])
    x = np.vstack([train.rows(), test.rows()]) - np.float32(0.5)
    return x, np.concatenate([train.labels, test.labels]).astype(int), len(train), {}


def main():
    options = parsed()
    with tempfile.TemporaryDirectory() as folder:
        is_images = options.table in FOLDERS
        x, y, cut, found = of_images(options) if is_images else of_table(options, Path(folder))
        ours = timed(options, Path(folder), x, y, cut)
    print(f"{options.table}: {cut:,} rows to learn from, {len(y) - cut:,} to test, {x.shape[1]} features.\n")
    print("| classifier | sosia | scikit-learn, XGBoost | difference | CPU s, sosia | CPU s, theirs |\n|---|---|---|---|---|---|")
    worst = 0.0
    for name, make in WITNESSES.items():
        theirs, spent = witnessed(make, x, y, cut)
        success, seconds = found.get(name, ours[name][0]), ours[name][1]
        worst = max(worst, abs(success - theirs))
        print(f"| {name} | {success:.4f} | {theirs:.4f} | {success - theirs:+.4f} | {seconds:.1f} | {spent:.1f} |", flush=True)
    print(f"\nSlowest: {max(ours, key=lambda name: ours[name][1])}. `bench/classifiers.py {options.table}`; scikit-learn "
          f"{sklearn.__version__}, xgboost {xgboost.__version__}; {options.threads} threads; {datetime.date.today()}.")
    if worst > (MOST_IMAGES if is_images else MOST):
        sys.exit(f"they differ by {worst:.4f}")


if __name__ == "__main__":
    main()
