#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step of the DP-MERF paper's generator of images, sosia and PyTorch in turns, on as many threads of the same cores.

    python3 -m venv build/torch && build/torch/bin/pip install torch
    build/torch/bin/python bench/conv_speed.py build/release/bench/nn_bench [THREADS]

Codes and labels through two dense layers with batch norm to 16 x 7 x 7, twice the size, convolution 5 x 5 to 8 planes,
twice the size, convolution 5 x 5 to 28 x 28 pixels; squared error, back, Adam; 100 images. Then the same from 16 x 7 x 7
on, the convolutions alone. Times are medians by the clock; CPU times stand beside, as other programs may run at the same
time. A ratio is PyTorch's time over sosia's, of neighbouring turns; its median is held against the target.
"""
import json
import statistics
import subprocess
import sys
import time

import torch

TURNS, STEPS, TARGET = 9, 20, 1.0
ROWS, CODES = 100, 15


def torch_step(is_whole):
    """A function that takes one step."""
    nn = torch.nn
    dense = [nn.Linear(CODES, 200), nn.BatchNorm1d(200), nn.ReLU(), nn.Linear(200, 784), nn.BatchNorm1d(784)]
    net = nn.Sequential(
        *(dense if is_whole else []), nn.Unflatten(1, (16, 7, 7)),
        nn.UpsamplingBilinear2d(scale_factor=2), nn.Conv2d(16, 8, 5, padding=2), nn.ReLU(),
        nn.UpsamplingBilinear2d(scale_factor=2), nn.Conv2d(8, 1, 5, padding=2), nn.Sigmoid())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    target = torch.full((ROWS, 1, 28, 28), 0.1)

    def step():
        codes = torch.randn(ROWS, CODES if is_whole else 784).requires_grad_()
        loss = ((net(codes) - target) ** 2).sum() / ROWS
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def torch_turn(step):
    """Milliseconds a step, by the clock and of CPU."""
    clock, cpu = time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        step()
    return 1e3 * (time.perf_counter() - clock) / STEPS, 1e3 * (time.process_time() - cpu) / STEPS


def sosia_turn(program, is_whole, threads):
    """The same."""
    name = f"^image_step/whole:{int(is_whole)}/threads:{threads}/"
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.2", f"--benchmark_filter={name}"]
    run, = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    return run["real_time"], run["cpu_time"]


def main():
    program, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {threads} threads, medians of {TURNS} turns; ms a step, CPU in brackets")
    for is_whole in (True, False):
        step = torch_step(is_whole)
        torch_turn(step)
        ours, theirs = [], []
        for _ in range(TURNS):
            ours.append(sosia_turn(program, is_whole, threads))
            theirs.append(torch_turn(step))
        ratio = statistics.median(t[0] / o[0] for o, t in zip(ours, theirs))
        of_cpu = statistics.median(t[1] / o[1] for o, t in zip(ours, theirs))
        middle = [statistics.median(x[i] for x in turns) for turns in (ours, theirs) for i in (0, 1)]
        print(f"{'generator' if is_whole else 'convolutions':>12}: sosia {middle[0]:7.2f} ({middle[1]:.2f})  "
              f"PyTorch {middle[2]:7.2f} ({middle[3]:.2f})  ratio {ratio:4.2f} (CPU {of_cpu:.2f}), target {TARGET:g}",
              flush=True)


if __name__ == "__main__":
    main()
