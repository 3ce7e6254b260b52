#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One step of DP-MERF, sosia and PyTorch in turns, on as many threads of the same cores.

    python3 -m venv build/torch && build/torch/bin/pip install torch
    build/torch/bin/python bench/step_speed.py build/release/bench/fourier_bench [THREADS]

Codes and labels through a generator with batch norm, cosines and sines of random frequencies summed by class, squared
distance to a target, back, Adam. Times are medians by the clock; CPU times stand beside, as other programs may run at the
same time. A ratio is PyTorch's time over sosia's, of neighbouring turns; its median is held against the target.
"""
import json
import statistics
import subprocess
import sys
import time

import torch

TURNS = 9
CODES, CLASSES = 10, 2
# Rows, columns, features, the ratio to reach, and steps a turn.
SIZES = [(200, 14, 500, 5.0, 100), (500, 100, 2_000, 3.0, 10), (2_000, 14, 50_000, 10.0, 1)]


def torch_step(rows, columns, features):
    """A function that takes one step."""
    net = torch.nn.Sequential(
        torch.nn.Linear(CODES + CLASSES, 4 * columns), torch.nn.BatchNorm1d(4 * columns), torch.nn.ReLU(),
        torch.nn.Linear(4 * columns, 2 * columns), torch.nn.BatchNorm1d(2 * columns), torch.nn.ReLU(),
        torch.nn.Linear(2 * columns, columns))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    frequencies = torch.randn(columns, features // 2) / columns ** 0.5
    target = torch.full((CLASSES, features), 0.01)
    one_hot = torch.nn.functional.one_hot(torch.arange(rows) % CLASSES, CLASSES).float()
    scale = (2 / features) ** 0.5 / rows

    def step():
        made = net(torch.cat([torch.randn(rows, CODES), one_hot], 1))
        angles = made @ frequencies
        embedding = scale * torch.cat([one_hot.T @ angles.cos(), one_hot.T @ angles.sin()], 1)
        loss = ((embedding - target) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def torch_turn(step, steps):
    """Milliseconds a step, by the clock and of CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        step()
    return 1e3 * (time.perf_counter() - clock) / steps, 1e3 * (time.process_time() - cpu) / steps


def sosia_turn(program, rows, columns, features, threads):
    """The same."""
    name = f"^merf_step/rows:{rows}/columns:{columns}/features:{features}/threads:{threads}/"
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.2", f"--benchmark_filter={name}"]
    run, = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    return run["real_time"] / 1e3, run["cpu_time"] / 1e3


def main():
    program, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {threads} threads, medians of {TURNS} turns; ms a step, CPU in brackets")
    for rows, columns, features, target, steps in SIZES:
        step = torch_step(rows, columns, features)
        torch_turn(step, steps)
        ours, theirs = [], []
        for _ in range(TURNS):
            ours.append(sosia_turn(program, rows, columns, features, threads))
            theirs.append(torch_turn(step, steps))
        ratio = statistics.median(t[0] / o[0] for o, t in zip(ours, theirs))
        of_cpu = statistics.median(t[1] / o[1] for o, t in zip(ours, theirs))
        middle = [statistics.median(x[i] for x in turns) for turns in (ours, theirs) for i in (0, 1)]
        print(f"{rows:>5} rows {columns:>4} columns {features:>6} features: sosia {middle[0]:8.3f} ({middle[1]:.3f})  "
              f"PyTorch {middle[2]:8.3f} ({middle[3]:.3f})  ratio {ratio:5.1f} (CPU {of_cpu:.1f}), target {target:g}",
              flush=True)


if __name__ == "__main__":
    main()
