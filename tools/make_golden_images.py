#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden_scores/images.json: small sets of images and their scores, as an independent witness for src/eval/images.

Run by hand when a metric is added; needs NumPy, SciPy and scikit-learn (made with 2.4.6, 1.17.1 and 1.9.1), which nothing else
here does. Sets are so small that nothing is drawn from them. Pixels are floats of 32 bits, and computed with in 64.
"""
import json
from pathlib import Path

import numpy as np
from scipy.linalg import eigvals
from sklearn.metrics import roc_auc_score
from sklearn.metrics.pairwise import euclidean_distances

OUTPUT = Path(__file__).resolve().parent.parent / "tests" / "golden_scores" / "images.json"
WIDTH, HEIGHT, CLASSES, NEIGHBOURS = 4, 3, 3, 5
REAL, MADE, HELD = 60, 45, 60


def make_set(rng, count, spread, bias):
    """Images around one of each class; the first pixel is always black, the last two are equal: covariances are singular."""
    centres = np.random.default_rng(1).random((CLASSES, WIDTH * HEIGHT))
    classes = rng.choice(CLASSES, count, p=[0.5, 0.3, 0.2])
    images = np.clip(centres[classes] + bias + spread * rng.standard_normal((count, WIDTH * HEIGHT)), 0, 1)
    images[:, 0] = 0
    images[:, -1] = images[:, -2]
    return images.astype(np.float32).astype(float), classes


def moments(real, made, statistic):
    def distance(a, b):
        return float(np.sqrt(np.mean((statistic(a, axis=0) - statistic(b, axis=0)) ** 2)))
    (x, k), (y, l) = real, made
    return [distance(x, y), *(distance(x[k == c], y[l == c]) for c in range(CLASSES))]


def balance(real, made):
    p, q = (np.bincount(classes, minlength=CLASSES) / len(classes) for _, classes in (real, made))
    return [float(np.abs(p - q).sum() / 2), *q.tolist()]


def frechet(x, y):
    s, t = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
    means = float(((x.mean(axis=0) - y.mean(axis=0)) ** 2).sum())
    traces = float(np.trace(s) + np.trace(t) - 2 * np.sqrt(np.maximum(eigvals(s @ t).real, 0)).sum())
    return [means + traces, means, traces]


def balls(x, y):
    """Density, precision, coverage, recall."""
    def radii(rows):
        return np.sort(euclidean_distances(rows), axis=1)[:, NEIGHBOURS]  # the first is the row itself
    between = euclidean_distances(x, y)
    in_real, in_made = between < radii(x)[:, None], between < radii(y)[None, :]
    return ([float(in_real.sum() / NEIGHBOURS / len(y)), float(in_real.any(axis=0).mean())],
            [float(in_real.any(axis=1).mean()), float(in_made.any(axis=1).mean())])


def copies(x, y, z):
    """Closest record, closest share, and the area of the attack by distance."""
    def quantile(values, share):
        return float(np.quantile(values, share, method="inverted_cdf"))
    real, held = euclidean_distances(y, x).min(axis=1), euclidean_distances(y, z).min(axis=1)
    record = [quantile(real, 0.5), quantile(real, 0.05), quantile(held, 0.5), quantile(held, 0.05)]
    share = float(np.mean((real < held) + 0.5 * (real == held)))
    closeness = -np.concatenate([euclidean_distances(s, y).min(axis=1) for s in (x, z)])
    return record, [share], [float(roc_auc_score([1] * len(x) + [0] * len(z), closeness))]


def main():
    rng = np.random.default_rng(20)
    real, made, held = make_set(rng, REAL, 0.15, 0.0), make_set(rng, MADE, 0.2, 0.05), make_set(rng, HELD, 0.15, 0.0)
    density, coverage = balls(real[0], made[0])
    record, share, attack = copies(real[0], made[0], held[0])
    scores = {"pixel_mean": moments(real, made, np.mean), "pixel_deviation": moments(real, made, np.std),
              "class_balance": balance(real, made), "frechet": frechet(real[0], made[0]), "density": density,
              "coverage": coverage, "closest_record": record, "closest_share": share, "distance_attack": attack}
    sets = {name: {"pixels": pixels.ravel().tolist(), "classes": classes.tolist()}
            for name, (pixels, classes) in (("real", real), ("made", made), ("holdout", held))}
    OUTPUT.write_text(json.dumps({"width": WIDTH, "height": HEIGHT, "classes": CLASSES, **sets, "scores": scores}) + "\n",
                      encoding="utf-8")


if __name__ == "__main__":
    main()
