#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden_scores/learners.json: what scikit-learn's and XGBoost's learners and measures make of small examples.

Run by hand when a learner is added; needs what bench/requirements.txt names.
"""
import json
from pathlib import Path

import numpy as np
import xgboost
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier, GradientBoostingRegressor,
                              RandomForestClassifier)
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

OUTPUT = Path(__file__).resolve().parent.parent / "tests" / "golden_scores" / "learners.json"


def margins(scores):
    """By how much each class but the first is ahead of the first; all of it for one class against the rest."""
    return np.ravel(scores if scores.ndim == 1 else scores[:, 1:] - scores[:, :1]).tolist()


def learner_case(rng, classes):
    """What scikit-learn makes of some examples with weights; linear_discriminant takes none."""
    labels = rng.integers(0, classes, 60)
    x = (rng.normal(size=(60, 4)) + labels[:, None] * [1.0, -0.5, 0.2, 0.0]).astype(np.float32)
    x[:, 3] = rng.random(60) < 0.3 + 0.2 * labels
    weights = rng.integers(1, 4, 60).astype(float)
    naive = {"gaussian naive bayes": GaussianNB(), "bernoulli naive bayes": BernoulliNB()}
    linear = {"logistic regression": LogisticRegression(solver="liblinear", tol=1e-12, max_iter=10000),
              "linear svm": LinearSVC(dual=False, tol=1e-12, max_iter=100000)}
    x64, found = x.astype(float), {}
    for name, learner in naive.items():
        found[name] = margins(learner.fit(x64, labels, sample_weight=weights).predict_joint_log_proba(x64))
    for name, learner in linear.items():
        columns = [learner.fit(x64, labels == k, sample_weight=weights).decision_function(x64) for k in range(classes)]
        found[name] = margins(columns[1]) if classes == 2 else margins(np.stack(columns, 1))
    discriminant = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-4).fit(x64, labels)
    found["linear discriminant"] = margins(discriminant.predict_log_proba(x64))
    return {"classes": classes, "x": x64.tolist(), "labels": labels.tolist(), "weights": weights.tolist(), "margins": found}


def tree_rows(rng, rows, classes, levels):
    """Features, and classes and numbers that follow them. Few levels: else two features often make the same split, and chance
    decides which of them is taken."""
    x = (2 * rng.integers(0, levels, (rows, 3)) + 1) / levels - 1
    bent = 2 * x[:, 0] * x[:, 1] + x[:, 2]
    labels = np.digitize(bent + rng.normal(size=rows), np.linspace(-1, 1, classes + 1)[1:-1])
    return x, labels, np.round(64 * (bent + 0.3 * rng.normal(size=rows))) / 64


def without_chance(make, of):
    """What a learner makes of the examples, if it is the same whatever the seed."""
    results = [np.asarray(of(make(random_state=seed))) for seed in range(5)]
    assert np.ptp(results, axis=0).max() < 1e-9, "chance has decided between equal splits"
    return results[0]


def tree_case(rng, classes):
    """Trees that draw nothing, on examples with weights; the decision tree has one feature, which leaves it no choice."""
    (x, labels, numbers), (test, _, _) = tree_rows(rng, 300, classes, 5), tree_rows(rng, 60, classes, 64)
    weights = rng.integers(1, 4, len(x)).astype(float)
    boosted = {"adaboost": AdaBoostClassifier, "gradient boosting": GradientBoostingClassifier}
    found = {name: margins(without_chance(make, lambda m: m.fit(x, labels, sample_weight=weights).decision_function(test)))
             for name, make in boosted.items()}
    tree = DecisionTreeClassifier(random_state=0).fit(x[:, :1], labels, sample_weight=weights)
    shares = tree.predict_proba(test[:, :1])
    found["decision tree"] = margins(shares[:, 1] - shares[:, 0] if classes == 2 else shares)
    # Later versions start from the shares of the classes, that of the tests from equal chances.
    learner = xgboost.XGBClassifier(tree_method="hist", n_jobs=1, base_score=0.5)
    found["xgboost"] = margins(learner.fit(x, labels, sample_weight=weights).predict(test, output_margin=True).astype(float))
    predicted = without_chance(GradientBoostingRegressor, lambda m: m.fit(x, numbers).predict(test))
    return {"classes": classes, "x": x.tolist(), "labels": labels.tolist(), "weights": weights.tolist(), "test": test.tolist(),
            "margins": found, "numbers": numbers.tolist(), "predicted": predicted.tolist()}


def drawing_case(rng):
    """Mean and deviation over 200 seeds of the area that trees reach which draw rows and features."""
    (x, labels, _), (test, truth, _) = tree_rows(rng, 200, 2, 64), tree_rows(rng, 200, 2, 64)
    found = {}
    for name, make in (("bagging", BaggingClassifier), ("random forest", RandomForestClassifier)):
        areas = [roc_auc_score(truth, make(random_state=seed).fit(x, labels).predict_proba(test)[:, 1]) for seed in range(200)]
        found[name] = {"mean": float(np.mean(areas)), "deviation": float(np.std(areas, ddof=1))}
    return {"classes": 2, "x": x.tolist(), "labels": labels.tolist(), "test": test.tolist(), "truth": truth.tolist(),
            "areas": found}


def success_case(rng):
    """Ranks with ties, and guesses that leave a class out."""
    labels, ranks = rng.integers(0, 2, 50), rng.integers(0, 8, 50) / 4.0
    truth, guesses = rng.integers(0, 3, 50), rng.integers(1, 3, 50)
    return {"labels": labels.tolist(), "ranks": ranks.tolist(), "area": float(roc_auc_score(labels, ranks)),
            "precision": float(average_precision_score(labels, ranks)), "truth": truth.tolist(),
            "guesses": guesses.tolist(), "accuracy": float(accuracy_score(truth, guesses)),
            "macro_f1": float(f1_score(truth, guesses, average="macro"))}


if __name__ == "__main__":
    generator = np.random.default_rng(20)
    out = {"learners": [learner_case(generator, 2), learner_case(generator, 3)], "success": success_case(generator),
           "trees": [tree_case(generator, 2), tree_case(generator, 3)], "drawing": drawing_case(generator)}
    OUTPUT.parent.mkdir(exist_ok=True)
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in out.items())
    OUTPUT.write_text(f"{{{lines}}}\n", encoding="utf-8")
