#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fit that is interrupted or killed: what was paid for is kept, and can be used.

    interrupt.py --sosia build/dev/src/cli/sosia
"""
import argparse
import json
import signal
import subprocess
import tempfile
import time
from pathlib import Path

ROWS = 2000
LONG = ["--set", "components=2000", "--set", "steps=1000000", "--set", "stop=0"]  # minutes, at the least
PATIENCE = 300.0  # seconds, for machines that are busy


class Fits:
    """Fits of one table in a folder of their own."""

    def __init__(self, sosia, folder):
        self.sosia, self.folder = Path(sosia).resolve(), Path(folder)
        self.run("example", "clinic", "-n", ROWS, "-o", "clinic.csv")
        self.run("example", "clinic", "--schema", "-o", "schema.json")

    def command(self, *words):
        return [self.sosia, *map(str, words)]

    def run(self, *words, code=0):
        done = subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stderr}"
        return done

    def fit(self, model, *more):
        return self.command("fit", "clinic.csv", "--schema", "schema.json", "--epsilon", 1, "--test-noise", 5, "-o", model,
                            *more)

    def start(self, model, *more):
        return subprocess.Popen(self.fit(model, *more), cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def wait_for(self, model):
        """Until the releases are saved: the training comes next."""
        end = time.monotonic() + PATIENCE
        while not (self.folder / model).exists():
            assert time.monotonic() < end, "no model file"
            time.sleep(0.002)

    def rows_from(self, model):
        return self.run("sample", model, "-n", 10).stdout.splitlines()[1:]


def interrupted_while_it_trains(fits):
    """Ctrl-C ends the training, with success and a model."""
    process = fits.start("trained.sosia", *LONG)
    fits.wait_for("trained.sosia")
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, f"exit {process.returncode}\n{text}"
    assert "interrupted: the model is usable" in text, text
    assert len(fits.rows_from("trained.sosia")) == 10


def interrupted_while_it_releases(fits):
    """Ctrl-C after the plan was shown: the releases are made and saved all the same."""
    process = fits.start("released.sosia", *LONG)
    while "counts of the chosen pairs" not in process.stderr.readline():
        assert process.poll() is None, "no plan"
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, f"exit {process.returncode}\n{text}"
    assert len(fits.rows_from("released.sosia")) == 10


def interrupted_while_it_trains_privately(fits):
    """Ctrl-C in a training by DP-SGD: the steps so far are kept, and the price is that of the whole plan."""
    process = fits.start("private.sosia", "--method", "dp-auto-gan", "--set", "rows=2000", "--set", "quantiles=0",
                         "--set", "auto_noise=90", "--set", "critic_noise=90", "--set", "auto_steps=100000")
    while "step " not in process.stderr.readline():
        assert process.poll() is None, "no progress"
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, f"exit {process.returncode}\n{text}"
    assert "private steps" in text, text
    assert len(fits.rows_from("private.sosia")) == 10


def killed_and_resumed(fits):
    """After a kill the releases are there; training on them gives the rows that the fit would have given."""
    for steps in (50, 200, 800, 3200):
        how = ["--set", "components=300", "--set", f"steps={steps}", "--set", "stop=0"]
        process = fits.start("killed.sosia", *how)
        fits.wait_for("killed.sosia")
        process.kill()
        process.communicate()
        if process.returncode == -signal.SIGKILL:
            break
        (fits.folder / "killed.sosia").unlink()  # it was too quick
    assert process.returncode == -signal.SIGKILL, "every training ended before it could be killed"
    fits.run("sample", "killed.sosia", "-n", 10, code=2)
    fits.run("fit", "--resume", "killed.sosia")
    subprocess.run(fits.fit("whole.sosia", *how), cwd=fits.folder, stderr=subprocess.DEVNULL, check=True)
    assert fits.rows_from("killed.sosia") == fits.rows_from("whole.sosia")


def ended_and_resumed(fits):
    """`kill` ends a run in the middle of a private training; it says what was charged and how to go on."""
    fits.run("ledger", "create", "clinic.ledger", "--dataset", "clinic", "--epsilon", 2, "--delta", "1e-5", "--unit", "patient",
             "--max-rows", 4, "--spending", "renyi")
    words = ("fit", "clinic.csv", "--schema", "schema.json", "--epsilon", 1, "--ledger", "clinic.ledger", "-o", "ended.sosia",
             "--method", "dp-vae", "--set", "rows=2000", "--set", "steps=300")
    process = subprocess.Popen(fits.command(*words), cwd=fits.folder, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + PATIENCE
    while not (fits.folder / "ended.sosia.resume").exists():
        assert time.monotonic() < end and process.poll() is None, "no run file"
        time.sleep(0.002)
    process.send_signal(signal.SIGTERM)
    text = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == -signal.SIGTERM, f"exit {process.returncode}\n{text}"
    assert "ended: epsilon 1 of clinic.ledger is charged once; go on with: sosia fit --resume ended.sosia" in text, text
    fits.run("fit", "--resume", "ended.sosia")
    assert len(fits.rows_from("ended.sosia")) == 10


def run_interrupted(fits):
    """Ctrl-C in a run: rows are made from the model as it is, and there is no report of real rows."""
    words = ("run", "clinic.csv", "--schema", "schema.json", "--epsilon", 1, "--test-noise", 5, "-o", "out", *LONG)
    process = subprocess.Popen(fits.command(*words), cwd=fits.folder, stderr=subprocess.PIPE, text=True)
    fits.wait_for("out/model.sosia")
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 0, f"exit {process.returncode}\n{text}"
    assert "Interrupted: no report" in text, text
    assert (fits.folder / "out" / "synthetic.csv").exists() and (fits.folder / "out" / "report.html").exists()
    assert not (fits.folder / "out.internal").exists()


def discovery_killed_at_its_end(fits):
    """Killed when the key is gone and the run file is not: what was bought stays where it is."""
    fits.run("schema", "clinic.csv", "--unit", "row", "-o", "draft.json")
    words = ("discover", "clinic.csv", "--schema", "draft.json", "--confirm", "type,precision,pattern", "--epsilon", 1,
             "-o", "found.json", "--certificate", "found.certificate.json")
    path, run = fits.folder / "found.json.resume", None
    process = subprocess.Popen(fits.command(*words), cwd=fits.folder, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            seen = json.loads(path.read_text())
            run = seen if seen["key"] else run
        except (OSError, ValueError):
            time.sleep(0.0005)
    assert process.returncode == 0 and run is not None, "no run file was seen"
    bought = [fits.folder / "found.json", fits.folder / "found.certificate.json"]
    before = [file.read_bytes() for file in bought]
    path.touch(0o600)  # others would be refused
    path.write_text(json.dumps({**run, "key": None}))
    fits.run("discover", "--resume", "found.json")
    assert [file.read_bytes() for file in bought] == before
    assert not path.exists()
    # Nor is the certificate lost where the schema has been moved away.
    path.touch(0o600)
    path.write_text(json.dumps({**run, "key": None}))
    bought[0].rename(fits.folder / "moved.json")
    fits.run("discover", "--resume", "found.json", code=6)
    assert bought[1].read_bytes() == before[1]


def goes_on_with_what_was_interrupted_alone(fits):
    """--resume begins no run of its own, which would be charged; a ledger that refuses what goes on takes nothing away."""
    fits.run("ledger", "create", "full.ledger", "--dataset", "clinic", "--epsilon", 0.1, "--delta", "1e-6", "--unit", "patient",
             "--max-rows", 4)
    fit = ("fit", "clinic.csv", "--schema", "schema.json", "--epsilon", 1)
    path = fits.folder / "once.sosia.resume"
    process = subprocess.Popen(fits.command(*fit, "-o", "once.sosia"), cwd=fits.folder, stderr=subprocess.DEVNULL)
    while not path.exists() and process.poll() is None:
        time.sleep(0.0005)
    process.kill()
    process.wait(timeout=PATIENCE)
    assert path.exists(), "it was too quick to be killed"
    fits.run(*fit, "--ledger", "full.ledger", "-o", "once.sosia", "--resume", "once.sosia", code=5)
    assert path.exists(), "a run that was paid for cannot go on"
    (fits.folder / "other.json").write_text("somebody's")
    discover = ("discover", "clinic.csv", "--schema", "draft.json", "--confirm", "type,precision,pattern", "--epsilon", 1)
    for words in ((*fit, "-o", "other.sosia"), ("run", *fit[1:], "-o", "other"), (*discover, "-o", "other.json")):
        refusal = fits.run(*words, "--resume", "once.sosia", code=6).stderr
        assert "there is nothing to go on with" in refusal, refusal
    assert (fits.folder / "other.json").read_text() == "somebody's"
    fits.run("fit", "--resume", "once.sosia")
    assert len(fits.rows_from("once.sosia")) == 10


def main():
    parser = argparse.ArgumentParser(description="Fits that are interrupted or killed.")
    parser.add_argument("--sosia", required=True)
    with tempfile.TemporaryDirectory() as folder:
        fits = Fits(parser.parse_args().sosia, folder)
        for test in (interrupted_while_it_trains, interrupted_while_it_releases, interrupted_while_it_trains_privately,
                     killed_and_resumed, ended_and_resumed, run_interrupted, discovery_killed_at_its_end,
                     goes_on_with_what_was_interrupted_alone):
            test(fits)
            print(f"{test.__name__}: ok")


if __name__ == "__main__":
    main()
