#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of how tables are scored and kept, on made-up rows: needs NumPy alone."""
import json
import stat
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import scores  # first: it ends here where there is no NumPy

import numpy as np

import night
import public_nets
import recorded
import results
from scoring import divergences, marginals, runs
from scoring.rows import Rows, distance
from scoring.task import Protocol, Task

# Counts its fits in a file beside itself; a model is a copy of the rows.
PROGRAM = """#!/bin/sh
here=$(dirname "$0")
while [ $# -gt 0 ]; do case "$1" in -o) out=$2;; fit) echo fit >> "$here/fits"; source=$2;; sample) source=$2;; esac; shift; done
cp "$source" "$out"
"""
# A net is what the program was told, a line a training.
TRAINER = """#!/bin/sh
said="$*"
while [ $# -gt 0 ]; do case "$1" in -o) echo "$said" >> "$2";; esac; shift; done
"""


class Counting(unittest.TestCase):
    def test_published_bins_are_those_of_histogramdd(self):
        rng = np.random.default_rng(1)
        real = np.stack([rng.integers(0, top + 1, 4000) for top in (1, 5, 9, 40)], axis=1).astype(float)
        made = np.minimum(real[:3000] + (rng.random((3000, 4)) < 0.3), real.max(axis=0) - [0, 1, 0, 7])  # ends that differ
        low, high = real.min(axis=0), real.max(axis=0)
        (a, widths), (b, _) = marginals.as_published(real, low, high), marginals.as_published(made, low, high)
        bins = (high - low).astype(int)
        shares = [np.histogramdd(x, bins=bins)[0] / len(x) for x in (real, made)]
        self.assertAlmostEqual(distance(a, b, widths, 4), 0.5 * np.abs(shares[0] - shares[1]).sum(), places=12)

    def test_divergences(self):
        p, q = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])
        m = (p + q) / 2
        half = 0.5 * sum(x * np.log(x / y) for x, y in zip(p, m) if x) + 0.5 * sum(x * np.log(x / y) for x, y in zip(q, m) if x)
        self.assertAlmostEqual(divergences.jsd(p, q), half, places=12)
        self.assertAlmostEqual(divergences.jsd(p, np.array([0, 0, 1.0])), np.log(2), places=12)  # nothing in common
        mu = np.exp(-2)
        self.assertAlmostEqual(divergences.smoothed_kl(p, q), (0.5 + mu) * np.log((0.5 + mu) / (0.25 + mu)), places=12)


class Durations(unittest.TestCase):
    CONFIG = {"sets": ["s"], "methods": ["m", "n"], "epsilons": ["1", "inf"], "seeds": [1, 2, 3]}
    REAL = {"set": "s", "who": "real", "epsilon": "", "scoring_seconds": [3.0]}
    M = {"set": "s", "who": "m", "epsilon": "1", "seconds": [1.0], "cpu_seconds": [2.0, 4.0], "scoring_seconds": [5.0]}
    N = {"set": "s", "who": "n", "epsilon": "1", "seconds": [10.0]}  # no CPU time was recorded

    def test_a_run_takes_what_others_of_its_set_and_method_took(self):
        self.assertAlmostEqual(night.whole(self.CONFIG, [self.REAL, self.M, self.N]), 6 * (3.0 + 4.0) + 6 * (10.0 + 4.0))

    def test_one_seed_where_one_will_do(self):
        config = self.CONFIG | {"one_seed_at": ["inf"]}
        self.assertEqual(len(night.asked(config)), 8)
        slow = self.M | {"epsilon": "inf", "cpu_seconds": [50.0]}
        self.assertAlmostEqual(night.whole(config, [self.REAL, self.M, slow, self.N]), 3 * 3.0 + 50.0 + 4 * 10.0 + 8 * 13.0 / 3)

    def test_what_never_ran_has_no_time(self):
        self.assertIsNone(night.whole(self.CONFIG, [self.REAL, self.M]))
        self.assertIsNone(night.whole(self.CONFIG, [{k: v for k, v in e.items() if k != "scoring_seconds"} for e in (self.M, self.N)]))


class Expecting(unittest.TestCase):
    def test_a_quick_run_sees_what_it_does_not_expect(self):
        entry = {"set": "s", "who": "m", "epsilon": "1", "seeds": [1], "scores": {"a": [0.5]}}
        self.assertEqual(list(scores.surprises({"m 1": {"a": [0.4, 0.6]}}, [entry])), [])
        for wrong in ({"a": [0.6, 0.7]}, {"b": [0, 1]}):
            self.assertEqual(len(list(scores.surprises({"m 1": wrong}, [entry]))), 1)


class Keeping(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "program"
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.options = SimpleNamespace(sosia=program, work=self.folder / "work", threads=1, settings={}, classifiers=[], rows=0,
                                       evaluate="", nets=None, delta=1e-5, relation="add-remove", data=None)
        rows = Rows(["x"], np.array([[str(i)] for i in range(50)], dtype=object))
        self.scored = 0

        def score(made):
            self.scored += 1
            return {"rows": len(made)}

        runs.PROTOCOLS["made_up"] = Protocol(lambda *_: Task(rows, {"rows": 50, "columns": []}, score), "", 1e-5, "replace", "")
        self.addCleanup(runs.PROTOCOLS.pop, "made_up")

    def fits(self):
        return (self.folder / "fits").read_text(encoding="utf-8").count("fit")

    def fit(self, *of, **other):
        return runs.Runs("made_up", "set", SimpleNamespace(**vars(self.options) | other)).fit(*of)

    def test_what_is_done_is_not_done_again(self):
        first = self.fit("m", "1", 1)
        self.assertEqual(first["scores"], {"rows": 50})
        self.assertEqual(self.fit("m", "1", 1), first)
        self.assertEqual((self.fits(), self.scored), (1, 1))

    def test_runs_side_by_side_lose_nothing(self):
        by = mock.patch.object(recorded, "versions", lambda _: {"sosia": "1"})
        with mock.patch.object(recorded, "FOLDER", self.folder), by, ThreadPoolExecutor(8) as pool:
            entries = [recorded.entry("s", f"m{i}", "1", [1], [{"scores": {"a": 0.5}}]) for i in range(40)]
            list(pool.map(lambda e: recorded.keep("t", e, self.options.sosia), entries))
            self.assertEqual({e["who"] for e in recorded.load("t")}, {e["who"] for e in entries})

    def test_every_setting_makes_another_fit(self):
        self.fit("m", "1", 1)
        for count, (of, other) in enumerate([
                (("n", "1", 1), {}), (("m", "2", 1), {}), (("m", "1", 2), {}), (("m", "1", 1), {"delta": 1e-6}),
                (("m", "1", 1), {"relation": "replace"}), (("m", "1", 1), {"rows": 20}), (("m", "1", 1), {"settings": {"m": ["a=1"]}})], 2):
            self.fit(*of, **other)
            self.assertEqual(self.fits(), count, (of, other))

    def test_the_number_of_rows_is_public_under_replace_alone(self):
        schemas = [runs.Runs("made_up", "set", SimpleNamespace(**vars(self.options) | {"relation": r})).task(1).schema
                   for r in ("add-remove", "replace")]
        self.assertEqual([schema.get("rows") for schema in schemas], [None, 50])


class Recording(unittest.TestCase):
    def test_only_what_a_program_made_is_dropped_for_another(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(recorded, "FOLDER", Path(folder)), \
                mock.patch.object(recorded, "versions", lambda sosia: {"sosia": sosia}):
            for who, epsilon in (("real rows", ""), ("m", "1")):
                full = {"scores": {"s": 1.0}, "evaluate": {"t": 2.0}}
                recorded.keep("X", recorded.entry("a", who, epsilon, [1], [full]), "first")
                recorded.keep("X", recorded.entry("a", who, epsilon, [1], [{"scores": {"s": 3.0}}]), "second")
            found = {e["who"]: e for e in recorded.load("X")}
            self.assertEqual([e["scores"]["s"] for e in found.values()], [[3.0], [3.0]])
            self.assertEqual(["evaluate" in found[who] for who in ("real rows", "m")], [True, False])

    def test_our_own_scores_may_be_of_the_first_seeds_alone(self):
        found = recorded.entry("a", "m", "1", [1, 2], [{"scores": {"s": 1.0}, "evaluate": {"t": 2.0}}, {"scores": {"s": 3.0}}])
        self.assertEqual((found["scores"], found["evaluate"]), ({"s": [1.0, 3.0]}, {"t": [2.0]}))


class PublicImages(unittest.TestCase):
    def test_no_set_is_judged_by_the_net_that_it_is_learned_by(self):
        self.assertEqual(public_nets.LEARNED_BY.keys(), public_nets.JUDGED_BY.keys())
        for name, net in public_nets.LEARNED_BY.items():
            self.assertIsNot(net, public_nets.JUDGED_BY[name])

    def test_a_net_is_trained_once_and_one_that_is_given_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(TRAINER, encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            nets = public_nets.Nets(program, folder, folder, 1)
            self.assertEqual(nets.to_learn_by("mnist"), nets.to_judge_by("fashion"))
            said = nets.to_learn_by("mnist").read_text(encoding="utf-8").splitlines()
            self.assertEqual(len(said), 1)
            self.assertEqual(said[0].count("--schema"), 2)
            self.assertEqual(public_nets.Nets(program, folder, folder, 1, Path("given")).to_learn_by("mnist"), Path("given"))


class Page(unittest.TestCase):
    def test_absent_runs_are_named(self):
        config = {"sets": ["a", "b"], "methods": ["m", "n"], "epsilons": ["1"], "seeds": [1, 2]}
        entry = recorded.entry("a", "m", "1", [1], [{"scores": {"s": 0.25}, "seconds": 300, "cpu_seconds": 120}])
        self.assertEqual(results.missing_text(config, [entry]),
                         "1 fit, 2 minutes of one core. One seed, of 2 that the table asks for. Not run yet: a (epsilon 1: n), b.")
        self.assertIn("| a | 1 | .250 | .100 |", results.table_text(config, [entry], "scores", ["s"], {"them": {"a 1": [0.1]}}))

    def test_seeds_are_said_where_a_table_lacks_some(self):
        def of(*counts):
            return results.seeds_text({"seeds": [1, 2, 3]}, [{"set": "a", "who": "m", "epsilon": str(n), "seeds": list(range(n))} for n in counts])
        self.assertEqual(of(3), "3 seeds, mean ± standard deviation.")
        private = {"set": "a", "who": "m", "epsilon": "1", "seeds": [1, 2, 3]}
        self.assertEqual(results.seeds_text({"seeds": [1, 2, 3], "one_seed_at": ["inf"]}, [private, private | {"epsilon": "inf", "seeds": [1]}]),
                         "3 seeds, mean ± standard deviation; at inf one at least.")
        self.assertEqual(results.seeds_text({"seeds": [1, 2], "seeds_of": {"a": [1, 2, 3]}}, [private, private | {"set": "b", "seeds": [1, 2]}]),
                         "2 seeds, mean ± standard deviation; 3 of a.")
        self.assertEqual(of(1, 2, 3), "3 seeds, mean ± standard deviation, where a deviation is shown, else one; 2: a m at 2.")

    def test_undefined_scores_are_left_out(self):
        found = recorded.entry("a", "m", "1", [1], [{"scores": json.loads('{"s": null, "t": 1}')}])
        self.assertEqual(found["scores"], {"t": [1.0]})


if __name__ == "__main__":
    unittest.main()
