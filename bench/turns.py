# SPDX-License-Identifier: Apache-2.0
"""Steps of training, sosia's and PyTorch's in turns on as many threads of the same cores: what *_speed.py have in common.

Times are medians by the clock; CPU times of all threads stand beside, as other programs may run at the same time. A ratio is
PyTorch's time over sosia's, of neighbouring turns; its median is held against the target.
"""
import json
import statistics
import subprocess
import sys
import time

import torch

TURNS = 9
MILLISECONDS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0}


def start():
    """The program and the number of threads from the command line, and a first line."""
    program, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {threads} threads, medians of {TURNS} turns; ms a step, CPU in brackets")
    return program, threads


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


def compare(label, program, name, step, steps, target, other="PyTorch"):
    """Takes turns, and prints a line."""
    torch_turn(step, steps)
    ours, theirs = [], []
    for _ in range(TURNS):
        ours.append(sosia_turn(program, name))
        theirs.append(torch_turn(step, steps))
    ratio = statistics.median(t[0] / o[0] for o, t in zip(ours, theirs))
    of_cpu = statistics.median(t[1] / o[1] for o, t in zip(ours, theirs))
    middle = [statistics.median(x[i] for x in turns) for turns in (ours, theirs) for i in (0, 1)]
    print(f"{label}: sosia {middle[0]:8.3f} ({middle[1]:.3f})  {other} {middle[2]:8.3f} ({middle[3]:.3f})  "
          f"ratio {ratio:5.1f} (CPU {of_cpu:.1f}), target {target:g}", flush=True)
