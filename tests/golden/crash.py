#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed at any moment: what the ledger says is spent can be had, once and at no further charge.

    crash.py --sosia build/dev/src/cli/sosia [--points 200]

Each point kills a run with a ledger file by SIGKILL: one with discovery, and, at fewer points, one of DP-SGD that samples patients. Then
the folder is copied and both copies go on: they must end with the same published files to the byte, the same guarantee, and one
reservation in the ledger.
"""
import argparse
import json
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROWS = 600
PATIENCE = 300.0  # seconds, for machines that are busy
PUBLISHED = ("model.sosia", "schema.json", "certificate.json", "synthetic.csv", "report.html")
RUN = ("run", "clinic.csv", "--epsilon", 2, "--ledger", "clinic.ledger", "--quiet", "-o", "out")
DISCOVERS = ("--schema", "open.json", "--discover", 0.3, "--method", "independent")
SAMPLES = ("--schema", "schema.json", "--method", "dp-vae", "--set", "rows=600", "--set", "quantiles=0", "--set", "noise=20",
           "--set", "steps=200", "--set", "batch=30")


class Bench:
    """One command and one table; a fresh folder with a fresh ledger for each kill."""

    def __init__(self, sosia, folder, how, spending):
        self.sosia, self.folder, self.first = Path(sosia).resolve(), Path(folder), (*RUN, *how)
        self.run(self.folder, "example", "clinic", "-n", ROWS, "-o", "clinic.csv")
        self.run(self.folder, "example", "clinic", "--schema", "-o", "schema.json")
        schema = json.loads((self.folder / "schema.json").read_text())
        for column in schema["columns"]:
            if column["name"] in ("ward", "sex"):
                del column["values"]
        (self.folder / "open.json").write_text(json.dumps(schema))
        self.run(self.folder, "ledger", "create", "clinic.ledger", "--dataset", "clinic", "--epsilon", 3, "--delta", "1e-5",
                 "--unit", "patient", "--max-rows", 4, "--selection-delta", "1e-6", "--spending", spending)

    def command(self, *words):
        return [self.sosia, *map(str, words)]

    def run(self, folder, *words, code=0):
        done = subprocess.run(self.command(*words), cwd=folder, capture_output=True, text=True, check=False, timeout=PATIENCE)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stderr}"
        return done

    def fresh(self, name):
        folder = self.folder / name
        folder.mkdir()
        for file in ("clinic.csv", "schema.json", "open.json", "clinic.ledger"):
            shutil.copy(self.folder / file, folder / file)
        return folder

    def entries(self, folder):
        return len(json.loads(self.run(folder, "ledger", "show", "clinic.ledger", "--json").stdout)["entries"])

    def killed(self, folder, seconds):
        """Whether the run was still there to be killed."""
        with subprocess.Popen(self.command(*self.first), cwd=folder, stderr=subprocess.DEVNULL) as process:
            try:
                process.wait(timeout=seconds)
            except subprocess.TimeoutExpired:
                process.kill()
            return process.wait(timeout=PATIENCE) == -signal.SIGKILL


def published(folder):
    return {name: (folder / "out" / name).read_bytes() for name in PUBLISHED}


def check_point(bench, number, seconds):
    """Returns at which stage the kill came."""
    folder = bench.fresh(f"kill{number}")
    was_killed = bench.killed(folder, seconds)
    spent, can_go_on = bench.entries(folder), (folder / "out.resume").exists()
    assert spent <= 1, f"{spent} entries after one run"
    assert spent == 0 or can_go_on or not was_killed or (folder / "out" / "report.html").exists(), \
        f"after {seconds:.3f} s the budget is spent, and nothing can be had for it"
    if not can_go_on:
        shutil.rmtree(folder)
        return "done" if spent else "before the run file"
    has_model = (folder / "out" / "model.sosia").exists()
    twin = bench.folder / f"twin{number}"
    shutil.copytree(folder, twin)
    # The command remembers the folder that it was given in.
    bench.run(folder, "run", "--resume", "out")
    first, head = published(folder), bench.entries(folder)
    moved = json.loads((twin / "out.resume").read_text())
    moved["folder"] = str(twin)
    (twin / "out.resume").write_text(json.dumps(moved))
    bench.run(twin, "run", "--resume", "out")
    second = published(twin)
    assert (head, bench.entries(twin)) == (1, 1), f"{head} and {bench.entries(twin)} entries where {spent} was there, of two that went on"
    if spent:
        for name, text in first.items():
            assert second[name] == text, f"{name} differs between two that went on"
    else:  # each has made its own entry, at a time of its own: their heads differ, and all else is the same
        assert second["synthetic.csv"] == first["synthetic.csv"]
    certificate = json.loads(first["certificate.json"])
    assert certificate["guarantee"] and certificate["promise"]["epsilon"] == 2
    assert certificate["ledger_head"], "the certificate names no ledger"
    for place in (folder, twin):
        assert not (place / "out.resume").exists(), "the key is still there"
        left = sorted(file.name for file in (place / "out").iterdir())
        assert left == sorted(PUBLISHED), left
        shutil.rmtree(place)
    return "releases on the disk" if has_model else "a reservation" if spent else "a key, and no reservation"


def refuses_another_table(bench, length):
    """Another table would get the noise of the first one."""
    for attempt in range(500):
        folder = bench.fresh(f"other{attempt}")
        bench.killed(folder, length * (0.618 * attempt % 1.0))  # somewhere else each time
        if (folder / "out.resume").exists() and not (folder / "out" / "model.sosia").exists():
            break
        shutil.rmtree(folder)
    assert folder.exists(), "no kill came between the key and the releases"
    with open(folder / "clinic.csv", "a", encoding="utf-8") as table:
        table.write((bench.folder / "clinic.csv").read_text().splitlines()[1] + "\n")
    message = bench.run(folder, "run", "--resume", "out", code=3).stderr
    assert "not as it was when the run began: data" in message, message
    shutil.copy(bench.folder / "clinic.csv", folder / "clinic.csv")
    bench.run(folder, "run", "--resume", "out")
    shutil.rmtree(folder)


def check_command(sosia, how, spending, points, tries_another_table):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sosia, folder, how, spending)
        whole = bench.fresh("whole")
        start = time.monotonic()
        bench.run(whole, *bench.first)
        length = time.monotonic() - start
        stages = {}
        for number in range(points):
            stage = check_point(bench, number, length * (number + 0.5) / points)
            stages[stage] = stages.get(stage, 0) + 1
        if tries_another_table:
            refuses_another_table(bench, length)
        assert stages.get("a reservation", 0) + stages.get("releases on the disk", 0) > 0, f"no kill came in time: {stages}"
        print(f"{points} kills in {length:.2f} s: " + ", ".join(f"{n} {stage}" for stage, n in sorted(stages.items())))


def main():
    parser = argparse.ArgumentParser(description="Kills runs, and goes on with them.")
    parser.add_argument("--sosia", required=True)
    parser.add_argument("--points", type=int, default=12)
    options = parser.parse_args()
    check_command(options.sosia, DISCOVERS, "gaussian", options.points, tries_another_table=True)
    check_command(options.sosia, SAMPLES, "renyi", max(3, options.points // 4), tries_another_table=False)


if __name__ == "__main__":
    main()
