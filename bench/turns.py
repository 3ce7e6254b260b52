# SPDX-License-Identifier: Apache-2.0
"""Steps of training, sosia's and PyTorch's in turns on as many threads of the same cores: what *_speed.py have in common.

Times are medians by the clock; CPU times of all threads stand beside, as other programs may run at the same time. A ratio is
PyTorch's time over sosia's, of neighbouring turns; its median is held against the target. With --record the lines go to
bench/paper_tables/s1.json, from where bench/results.py takes them.
"""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

import torch

RECORDED = Path(__file__).resolve().parent / "paper_tables/s1.json"

TURNS = 9
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}


class Turns:
    """What the command line says: a program with benchmarks, the number of threads, whether lines are recorded."""

    def __init__(self, about):
        parser = argparse.ArgumentParser(description=about.splitlines()[0])
        parser.add_argument("program")
        parser.add_argument("threads", type=int, nargs="?", default=2)
        parser.add_argument("--record", action="store_true", help="put the times into bench/paper_tables/s1.json")
        said = parser.parse_args()
        self.program, self.threads, self.is_recorded = said.program, said.threads, said.record
        torch.set_num_threads(self.threads)
        print(f"PyTorch {torch.__version__}, {self.threads} threads, medians of {TURNS} turns; ms a step, CPU in brackets")

    def compare(self, label, name, step, steps, target, other="PyTorch"):
        """Takes turns, and prints a line."""
        torch_turn(step, steps)
        ours, theirs = [], []
        for _ in range(TURNS):
            ours.append(sosia_turn(self.program, name))
            theirs.append(torch_turn(step, steps))
        ratio, of_cpu = (statistics.median(t[i] / o[i] for o, t in zip(ours, theirs)) for i in (0, 1))
        middle = [statistics.median(x[i] for x in turns) for turns in (ours, theirs) for i in (0, 1)]
        print(f"{label}: sosia {middle[0]:8.3f} ({middle[1]:.3f})  {other} {middle[2]:8.3f} ({middle[3]:.3f})  "
              f"ratio {ratio:5.1f} (CPU {of_cpu:.1f}), target {target:g}", flush=True)
        if self.is_recorded:
            keep({"step": " ".join(label.split()), "threads": self.threads, "beside": f"{other}, PyTorch {torch.__version__}" if other != "PyTorch" else
                  f"PyTorch {torch.__version__}", "ms": [float(f"{m:.4g}") for m in middle], "ratio": round(ratio, 2), "cpu_ratio": round(of_cpu, 2),
                  "target": target, "load": round(os.getloadavg()[0], 1), "on": f"{os.cpu_count()} cores, {platform.machine()}",
                  "date": str(datetime.date.today())})


def keep(new):
    """Puts a line in the place of the one of the same step and threads."""
    lines = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else []
    lines = [line for line in lines if (line["step"], line["threads"]) != (new["step"], new["threads"])] + [new]
    RECORDED.write_text("[\n" + ",\n".join(json.dumps(line) for line in lines) + "\n]\n", encoding="utf-8")


def torch_turn(step, steps):
    """Milliseconds a step, by the clock and of CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        step()
    return 1e3 * (time.perf_counter() - clock) / steps, 1e3 * (time.process_time() - cpu) / steps


def sosia_turn(program, name):
    """The same of the one benchmark whose name begins so."""
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.2", f"--benchmark_filter=^{name}/"]
    run, = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    unit = MILLISECONDS[run["time_unit"]]
    return run["real_time"] * unit, run["cpu_time"] * unit
