#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One step of DP-SGD, sosia and PyTorch with Opacus in turns, on as many threads of the same cores.

    python3 -m venv build/torch && build/torch/bin/pip install torch opacus
    build/torch/bin/python bench/dp_sgd_speed.py build/release/bench/dp_sgd_bench [THREADS] [--record]

The nets of DP-auto-GAN for Adult, 106 numbers a row, samples of 128 of 32,561 rows on average: Poisson sampling, gradients of
single examples, clipping, noise, Adam. sosia draws its noise and its samples from a secure generator and adds up whole numbers;
Opacus does neither here (secure_mode is off), and its rows lie opened in memory.
"""
import warnings

import torch
from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer

from turns import Turns

STEPS = 40
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


def main():
    """Prints a line for each net."""
    warnings.filterwarnings("ignore")
    turns = Turns(__doc__)
    rows = (torch.rand(ROWS, WIDTH) < 0.12).float()
    for net, make in [("auto_encoder", auto_encoder_step), ("critic", critic_step)]:
        turns.compare(f"DP-SGD, {net.replace('_', '-'):>12}", f"{net}_step/threads:{turns.threads}", make(rows), STEPS, TARGET, "Opacus")


if __name__ == "__main__":
    main()
