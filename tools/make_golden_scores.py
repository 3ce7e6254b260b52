#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden_scores/scores.json: small tables and their scores, as an independent witness for src/eval.

Run by hand when a metric is added; needs NumPy, SciPy and scikit-learn (made with 2.4.6, 1.17.1 and 1.9.1), which nothing
else here does. Where a library has the metric, the library is asked; else the definition of docs/evaluation.md is written
out. Draws follow src/random/public_rng.h and src/eval/rows.h, which is all that is taken from there.
"""
import itertools
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.stats import ks_2samp, wasserstein_distance
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, mutual_info_score, r2_score, roc_auc_score
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel

OUTPUT = Path(__file__).resolve().parent.parent / "tests" / "golden_scores" / "scores.json"
SEED = 7
STREAMS = {"sub_sample": 3, "queries": 4, "member_rows": 8, "test_rows": 14}
COLUMNS = [  # the last states of a category are `other` and, where it may be missing, missing
    {"name": "age", "type": "integer", "states": 8, "range": 80.0},
    {"name": "income", "type": "real", "states": 7, "range": 1000.0, "missing": True},
    {"name": "grade", "type": "ordinal", "states": 6, "values": 5},
    {"name": "city", "type": "categorical", "states": 6, "values": 4, "missing": True},
    {"name": "smoker", "type": "boolean", "states": 3, "values": 2},
]
TARGET, NUMBER_TARGET = 4, 1
NUMBERS = [c for c, column in enumerate(COLUMNS) if "range" in column]
CATEGORIES = [c for c, column in enumerate(COLUMNS) if "values" in column]


class Rng:
    """Philox4x32-10 as sosia seeds it (Salmon et al. 2011)."""

    def __init__(self, stream):
        self.block, self.stream, self.words = 0, STREAMS[stream], []

    def word(self):
        if not self.words:
            x, key = [self.block & 0xffffffff, self.block >> 32, self.stream, 0], [SEED, 0]
            for _ in range(10):
                a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
                x = [(b >> 32) ^ x[1] ^ key[0], b & 0xffffffff, (a >> 32) ^ x[3] ^ key[1], a & 0xffffffff]
                key = [(key[0] + 0x9E3779B9) & 0xffffffff, (key[1] + 0xBB67AE85) & 0xffffffff]
            self.words, self.block = x, self.block + 1
        return self.words.pop(0)

    def uniform(self):
        low = self.word()
        return ((low | self.word() << 32) >> 11) * 2.0 ** -53

    def below(self, count):
        return min(count - 1, int(self.uniform() * count))

    def rows(self, count, most):
        index = list(range(count))
        for i in range(min(count, most)):
            j = i + self.below(count - i)
            index[i], index[j] = index[j], index[i]
        return index[:most]


def make_table(rng, rows, shift):
    """Related columns; `shift` makes the made table another one. Returns codes and numbers by column."""
    age = np.clip(np.round(rng.normal(45 + 5 * shift, 15, rows)), 10, 90)
    income = np.round(np.minimum(rng.gamma(2.0, 60.0 + 10 * shift, rows) + age, 1000.0), 2)
    income[rng.random(rows) < 0.15] = np.nan
    grade = np.clip((age - 10) // 18 + rng.integers(-1, 2, rows), 0, 5).astype(int)
    city = rng.choice(6, rows, p=[0.5, 0.28 + 0.04 * shift, 0.12, 0.04 - 0.04 * shift, 0.02, 0.04])
    smoker = (rng.random(rows) < 0.15 + 0.6 * (grade > 2) + 0.1 * shift).astype(int)
    decades = np.minimum((age - 10) // 10, 7).astype(int)
    steps = np.where(np.isnan(income), 6, np.digitize(np.nan_to_num(income), [80, 120, 160, 200, 300]))
    return [decades, steps, grade, city, smoker], [age, income, None, None, None]


def shares(codes, column):
    return np.bincount(codes, minlength=COLUMNS[column]["states"]) / len(codes)


def cells(table, columns):
    count = Counter(zip(*(table[0][c].tolist() for c in columns)))
    return {cell: k / len(table[0][0]) for cell, k in count.items()}


def tvd(real, made, columns):
    a, b = cells(real, columns), cells(made, columns)
    return sum(abs(a.get(x, 0) - b.get(x, 0)) for x in set(a) | set(b)) / 2


def mean_tvd(real, made, k):
    return float(np.mean([tvd(real, made, s) for s in itertools.combinations(range(len(COLUMNS)), k)]))


def take(table, index):
    return [x[index] for x in table[0]], [None if x is None else x[index] for x in table[1]]


def equal_sub_sample(real, made):
    """The bisection of k_marginal.cc, with all sets of three columns."""
    count, rng = len(real[0][0]), Rng("sub_sample")
    order = rng.rows(count, count)
    wanted, low, high = mean_tvd(real, made, 3), 1, count
    for _ in range(10):
        if high - low <= 1:
            break
        middle = math.floor(math.sqrt(low * high))
        if mean_tvd(real, take(real, order[:middle]), 3) <= wanted:
            high = max(middle, low)
        else:
            low = max(middle, low)
    return high / count


def draw_value(values, rng):
    while np.isnan(value := values[rng.below(len(values))]):
        pass
    return value


def range_queries(real, made):
    rng, errors = Rng("queries"), []
    for _ in range(1000):
        answers = [np.ones(len(t[0][0]), bool) for t in (real, made)]
        for c in rng.rows(len(COLUMNS), 3):
            if c in NUMBERS or COLUMNS[c]["type"] == "ordinal":
                part = 1 if c in NUMBERS else 0
                low, high = sorted((draw_value(real[part][c], rng), draw_value(real[part][c], rng)))
                matches = [(t[part][c] >= low) & (t[part][c] <= high) for t in (real, made)]
            else:
                wanted = np.array([rng.uniform() < 0.5 for _ in range(COLUMNS[c]["states"])])
                matches = [wanted[t[0][c]] for t in (real, made)]
            answers = [a & m for a, m in zip(answers, matches)]
        errors.append(abs(answers[0].mean() - answers[1].mean()))
    return [float(np.mean(errors)), float(np.max(errors))]


def smoothed_kl(p, q):
    mu = math.exp(-1 / (1 - p.max()))
    return sum((a + mu) * math.log((a + mu) / (b + mu)) for a, b in zip(p, q) if a > 0)


def correlations(table):
    ordered = [0, 1, 2, 4]
    values = [table[1][c] if c in NUMBERS else np.where(table[0][c] < COLUMNS[c]["values"], table[0][c], np.nan)
              for c in ordered]
    found = []
    for x, y in itertools.combinations(values, 2):
        both = ~(np.isnan(x) | np.isnan(y))
        found.append(float(np.corrcoef(x[both], y[both])[0, 1]))
    return found


def informations(table):
    return [float(mutual_info_score(table[0][a], table[0][b]))
            for a, b in itertools.combinations(range(len(COLUMNS)), 2)]


def features(table, real, without=None):
    blocks = []
    for c, column in enumerate(COLUMNS):
        if c == without:
            continue
        if c in NUMBERS:
            present = real[1][c][~np.isnan(real[1][c])]
            blocks.append(np.nan_to_num((table[1][c] - present.mean()) / present.std())[:, None])
            if column.get("missing"):
                blocks.append(np.isnan(table[1][c])[:, None] / math.sqrt(2))
        else:
            blocks.append(np.eye(column["states"])[table[0][c]] / math.sqrt(2))
    return np.hstack(blocks)


def mmd(real, made):
    x, y = features(real, real), features(made, real)
    squared = euclidean_distances(x, squared=True)
    pairs = np.sort(squared[np.tril_indices(len(x), -1)])
    gamma = 1 / (2 * pairs[math.ceil(len(pairs) / 2) - 1])
    n, m = len(x), len(y)
    xx, yy, xy = rbf_kernel(x, x, gamma), rbf_kernel(y, y, gamma), rbf_kernel(x, y, gamma)
    return float((xx.sum() - n) / (n * (n - 1)) + (yy.sum() - m) / (m * (m - 1)) - 2 * xy.mean())


def pca(real, made):
    """Score, and the shares of variance."""
    x, y = features(real, real), features(made, real)
    mean, deviation = x.mean(0), x.std(0)
    scale = np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0)
    x, y = (x - mean) * scale, (y - mean) * scale
    fitted = PCA(2, svd_solver="full").fit(x)
    # An estimate of the population's variance, as ours; and our signs.
    signs = [np.sign(v[np.argmax(abs(v))]) for v in fitted.components_]
    unit = np.sqrt(fitted.explained_variance_ * (len(x) - 1) / len(x)) * signs
    grids = []
    for rows in (x, y):
        place = np.clip(np.floor((rows @ fitted.components_.T / unit + 4) / 0.5), 0, 15).astype(int)
        grids.append(np.bincount(place[:, 0] * 16 + place[:, 1], minlength=256) / len(rows))
    return [float(abs(grids[0] - grids[1]).sum() / 2), *map(float, fitted.explained_variance_ratio_)]


def minorities(real, made):
    found = [(shares(real[0][c], c)[s], shares(made[0][c], c)[s]) for c in CATEGORIES
             for s in range(COLUMNS[c]["values"])]
    small = [(a, b) for a, b in found if 0 < a <= 0.05]
    return [sum(b == 0 for _, b in small) / len(small), len(small)]


def placed(table, real):
    columns = []
    for c in range(len(COLUMNS)):
        if c in NUMBERS:
            present = real[1][c][~np.isnan(real[1][c])]
            scaled = np.clip((table[1][c] - present.min()) / (present.max() - present.min()), 0, 1)
            columns.append(np.where(np.isnan(scaled), 2, scaled))
        else:
            columns.append(table[0][c].astype(float))
    return np.array(columns, np.float32)


def gower(a, b):
    """In floats, column by column: ties must be ties."""
    total = np.zeros((a.shape[1], b.shape[1]), np.float32)
    for x, y in zip(a, b):
        total += np.minimum(abs(x[:, None] - y[None, :]), np.float32(1))
    return total * (np.float32(1) / np.float32(len(a)))


def lower_quantile(values, share):
    return float(np.sort(values)[math.ceil(share * len(values)) - 1])


def rows_as_tuples(table):
    columns = [[str(v) for v in (table[1][c] if c in NUMBERS else table[0][c])] for c in range(len(COLUMNS))]
    return list(zip(*columns))


def privacy(real, made, holdout):
    r, m, h = (placed(t, real) for t in (real, made, holdout))
    to_real, to_holdout = gower(m, r).min(1), gower(m, h).min(1)
    real_rows, made_rows, held_rows = map(rows_as_tuples, (real, made, holdout))
    labels = [1] * r.shape[1] + [0] * h.shape[1]
    rng = Rng("member_rows")
    shuffled = rng.rows(h.shape[1], h.shape[1])
    free = (h.shape[1] + 1) // 2
    members, others, reference = r[:, rng.rows(r.shape[1], free)], h[:, shuffled[:free]], h[:, shuffled[free:]]
    width = lower_quantile(gower(others, reference).min(1), 0.5) / 4
    densities = [[np.exp(-gower(x, y).astype(float) ** 2 / (2 * width ** 2)).sum(1) + 1 for y in (m, reference)]
                 for x in (members, others)]
    ratios = np.concatenate([np.log(a / b) for a, b in densities])
    return {
        "exact_matches": [float(np.mean([x in set(real_rows) for x in made_rows])),
                          float(np.mean([x in set(made_rows) for x in real_rows])),
                          float(np.mean([x in set(held_rows) for x in made_rows]))],
        "closest_record": [lower_quantile(d, s) for d in (to_real, to_holdout) for s in (0.5, 0.05)],
        "closest_share": [float(np.mean((to_real < to_holdout) + 0.5 * (to_real == to_holdout)))],
        "distance_attack": [float(roc_auc_score(labels, -np.concatenate([gower(r, m).min(1), gower(h, m).min(1)])))],
        "likelihood_attack": [float(roc_auc_score([1] * free + [0] * free, ratios))],
    }


def scores(real, made, holdout):
    """For each metric its score, then what else the test compares."""
    numbers = [(real[1][c][~np.isnan(real[1][c])], made[1][c][~np.isnan(made[1][c])]) for c in NUMBERS]
    states = [(shares(real[0][c], c), shares(made[0][c], c)) for c in range(len(COLUMNS))]
    per_column = {
        "tvd_1": [tvd(real, made, [c]) for c in range(len(COLUMNS))],
        "tvd_2": [tvd(real, made, pair) for pair in itertools.combinations(range(len(COLUMNS)), 2)],
        "ks": [float(ks_2samp(x, y).statistic) for x, y in numbers],
        "wasserstein": [float(wasserstein_distance(x, y) / x.std()) for x, y in numbers],
        "jsd": [float(jensenshannon(*states[c]) ** 2) for c in CATEGORIES],
        "smoothed_kl": [smoothed_kl(*states[c]) for c in CATEGORIES],
    }
    found = {name: [float(np.mean(values)), *values] for name, values in per_column.items()}
    for name, statistic in (("correlation", correlations), ("mutual_information", informations)):
        a, b = statistic(real), statistic(made)
        found[name] = [float(np.mean(np.abs(np.subtract(a, b)))), *b]
    p, q = (np.concatenate(x) for x in zip(*states))
    three = mean_tvd(real, made, 3)
    return found | {
        "probability": [float(abs(p - q).sum() / np.sum((p + q) > 0)), *q.tolist()],
        "tvd_3": [three], "tvd_4": [mean_tvd(real, made, 4)],
        "k_marginal": [1000 * (1 - three), equal_sub_sample(real, made)],
        "range_queries": range_queries(real, made),
        "mmd": [mmd(real, made)], "pca": pca(real, made), "minorities": minorities(real, made),
    } | use(real, made, holdout) | privacy(real, made, holdout)


def with_target(table, real, target):
    """Vectors and target of the rows that have one."""
    y = table[1][target] if target in NUMBERS else table[0][target]
    has = ~np.isnan(y) if target in NUMBERS else y < COLUMNS[target]["values"]
    return features(table, real, target)[has], y[has], has


def guessed(train, test, real, target):
    """R2 or accuracy of the model for a column."""
    (x, y, _), (x_test, y_test, _) = with_target(train, real, target), with_target(test, real, target)
    if target in NUMBERS:
        return max(-1.0, r2_score(y_test, Ridge(alpha=1.0).fit(x, y).predict(x_test)))
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=1e-4).fit(x, y)
    return accuracy_score(y_test, model.predict(x_test))


def logistic(table, real):
    x, y, _ = with_target(table, real, TARGET)
    return LogisticRegression(solver="liblinear", tol=1e-12, max_iter=10000).fit(x, y)


def importances(table, holdout, real):
    """Rows stand in the order in which they are drawn."""
    rng, model = Rng("test_rows"), logistic(table, real)
    index = np.array(rng.rows(80, 80))
    test = take(holdout, index[holdout[0][TARGET][index] < COLUMNS[TARGET]["values"]])
    truth, found = test[0][TARGET], []
    whole = accuracy_score(truth, model.predict(features(test, real, TARGET)))
    for c in range(len(COLUMNS)):
        if c != TARGET:
            order = rng.rows(len(truth), len(truth))
            mixed = [[x[order] if i == c and x is not None else x for i, x in enumerate(part)] for part in test]
            found.append(whole - accuracy_score(truth, model.predict(features(mixed, real, TARGET))))
    return found


def group_errors(table, holdout, real):
    x, y, has = with_target(holdout, real, TARGET)
    wrong, groups = logistic(table, real).predict(x) != y, []
    for c in CATEGORIES:
        states = holdout[0][c][has]
        groups += [float(wrong[states == s].mean()) for s in range(COLUMNS[c]["values"])
                   if c != TARGET and np.sum(states == s) >= 30]
    return groups


def use(real, made, holdout):
    columns = range(len(COLUMNS))
    by_made, by_real = ([guessed(t, holdout, real, c) for c in columns] for t in (made, real))
    found = {"regression": [guessed(made, holdout, real, NUMBER_TARGET)],
             "prediction": [float(np.mean(np.abs(np.subtract(by_made, by_real)))), *by_made]}
    a, b = importances(real, holdout, real), importances(made, holdout, real)
    found["importance"] = [float(np.corrcoef(a, b)[0, 1]), *b]
    a, b = group_errors(real, holdout, real), group_errors(made, holdout, real)
    found["group_error"] = [float(np.mean(np.abs(np.subtract(a, b)))), *b]
    return found


def written(table):
    """JSON has no NaN: missing numbers are null."""
    numbers = [None if x is None else [None if np.isnan(v) else float(v) for v in x] for x in table[1]]
    return {"codes": [x.tolist() for x in table[0]], "numbers": numbers}


if __name__ == "__main__":
    generator = np.random.default_rng(20)
    tables = {"real": make_table(generator, 80, 0), "holdout": make_table(generator, 80, 0)}
    drawn = make_table(generator, 60, 1)
    copies = take(tables["real"], generator.choice(80, 10))
    tables["made"] = ([np.concatenate(x) for x in zip(drawn[0], copies[0])],
                      [None if a is None else np.concatenate([a, b]) for a, b in zip(drawn[1], copies[1])])
    out = {"seed": SEED, "columns": COLUMNS} | {name: written(t) for name, t in tables.items()}
    out["scores"] = scores(tables["real"], tables["made"], tables["holdout"])
    OUTPUT.parent.mkdir(exist_ok=True)
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in out.items())
    OUTPUT.write_text(f"{{{lines}}}\n", encoding="utf-8")
