#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One step of DP-SGD, sosia and PyTorch with Opacus in turns, on as many threads of the same cores.

    python3 -m venv build/torch && build/torch/bin/pip install torch opacus
    build/torch/bin/python bench/dp_sgd_speed.py build/release/bench/dp_sgd_bench [THREADS]

The nets of DP-auto-GAN for Adult, 106 numbers a row, samples of 128 of 32,561 rows on average: Poisson sampling, gradients of
single examples, clipping, noise, Adam. sosia draws its noise and its samples from a secure generator and adds up whole numbers;
Opacus does neither here (secure_mode is off), and its rows lie opened in memory. Times are medians by the clock; CPU times stand
beside, as other programs may run at the same time. A ratio is Opacus' time over sosia's, of neighbouring turns.
"""
import json
import statistics
import subprocess
import sys
import time
import warnings

import torch
from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer

TURNS, STEPS = 9, 40
ROWS, WIDTH, BATCH, TARGET = 32_561, 106, 128, 5.0


def leaky(*widths):
    """Dense layers, all but the last followed by a leaky ReLU."""
    layers = []
    for before, after in zip(widths, widths[1:]):
        layers += [torch.nn.Linear(before, after), torch.nn.LeakyReLU(0.2)]
    return torch.nn.Sequential(*layers[:-1])


def private(net):
    """The net with gradients of single examples, and an optimiser that clips them and adds noise."""
    net = GradSampleModule(net)
    inner = torch.optim.Adam(net.parameters(), lr=0.005)
    return net, DPOptimizer(inner, noise_multiplier=20.0, max_grad_norm=1.0, expected_batch_size=BATCH)


def sample(rows):
    """A Poisson sample."""
    return rows[torch.rand(ROWS) < BATCH / ROWS]


def auto_encoder_step(rows):
    """A function that takes one step."""
    net, optimizer = private(leaky(WIDTH, 60, 15, 60, WIDTH))

    def step():
        batch = sample(rows)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(net(batch), batch, reduction="sum") / len(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def critic_step(rows):
    """The same of a critic: an example is a real and a made-up row."""
    net, optimizer = private(leaky(WIDTH, 70, 35, 1))
    made = torch.rand(ROWS, WIDTH)

    def step():
        batch = sample(rows)
        pairs = torch.stack([batch, made[:len(batch)]], 1)
        scores = net(pairs)
        loss = (scores[:, 1] - scores[:, 0]).mean()
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


def sosia_turn(program, name, threads):
    """The same. CPU of all threads."""
    command = [program, "--benchmark_format=json", "--benchmark_min_time=0.2",
               f"--benchmark_filter=^{name}/threads:{threads}/"]
    run, = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["benchmarks"]
    return run["real_time"] / 1e3, run["cpu_time"] / 1e3


def main():
    """Prints a line for each net."""
    warnings.filterwarnings("ignore")
    program, threads = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2
    torch.set_num_threads(threads)
    print(f"PyTorch {torch.__version__}, {threads} threads, medians of {TURNS} turns; ms a step, CPU in brackets")
    rows = (torch.rand(ROWS, WIDTH) < 0.12).float()
    for name, make in [("auto_encoder_step", auto_encoder_step), ("critic_step", critic_step)]:
        step = make(rows)
        torch_turn(step)
        ours, theirs = [], []
        for _ in range(TURNS):
            ours.append(sosia_turn(program, name, threads))
            theirs.append(torch_turn(step))
        ratio = statistics.median(t[0] / o[0] for o, t in zip(ours, theirs))
        of_cpu = statistics.median(t[1] / o[1] for o, t in zip(ours, theirs))
        middle = [statistics.median(x[i] for x in turns) for turns in (ours, theirs) for i in (0, 1)]
        print(f"{name:>18}: sosia {middle[0]:7.3f} ({middle[1]:.3f})  Opacus {middle[2]:7.3f} ({middle[3]:.3f})  "
              f"ratio {ratio:5.1f} (CPU {of_cpu:.1f}), target {TARGET:g}", flush=True)


if __name__ == "__main__":
    main()
