#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden_scores/learners.json: what scikit-learn's classifiers and measures make of small examples.

Run by hand when a learner is added; needs NumPy and scikit-learn (made with 2.4.6 and 1.9.1), which nothing else here does.
"""
import json
from pathlib import Path

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.svm import LinearSVC

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
    out = {"learners": [learner_case(generator, 2), learner_case(generator, 3)], "success": success_case(generator)}
    OUTPUT.parent.mkdir(exist_ok=True)
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in out.items())
    OUTPUT.write_text(f"{{{lines}}}\n", encoding="utf-8")
