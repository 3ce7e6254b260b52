#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One step of DP-MERF, sosia and PyTorch in turns, on as many threads of the same cores.

    python3 -m venv build/torch && build/torch/bin/pip install torch
    build/torch/bin/python bench/step_speed.py build/release/bench/fourier_bench [THREADS] [--record]

Codes and labels through a generator with batch norm, cosines and sines of random frequencies summed by class, squared
distance to a target, back, Adam: rows of a table in two classes, and images in ten by the paper's convolutional generator.
"""
import torch

from conv_speed import image_generator
from turns import Turns

CODES, CLASSES = 10, 2
# Rows, columns, features, the ratio to reach, and steps a turn.
SIZES = [(200, 14, 500, 5.0, 100), (500, 100, 2_000, 3.0, 10), (2_000, 14, 50_000, 10.0, 1)]


def torch_step(rows, columns, features, codes, classes, net):
    """A function that takes one step."""
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    frequencies = torch.randn(columns, features // 2) / columns ** 0.5
    target = torch.full((classes, features), 0.01)
    one_hot = torch.nn.functional.one_hot(torch.arange(rows) % classes, classes).float()
    scale = (2 / features) ** 0.5 / rows

    def step():
        made = net(torch.cat([torch.randn(rows, codes), one_hot], 1))
        angles = made @ frequencies
        embedding = scale * torch.cat([one_hot.T @ angles.cos(), one_hot.T @ angles.sin()], 1)
        loss = ((embedding - target) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def dense_net(inputs, columns):
    nn = torch.nn
    return nn.Sequential(
        nn.Linear(inputs, 4 * columns), nn.BatchNorm1d(4 * columns), nn.ReLU(),
        nn.Linear(4 * columns, 2 * columns), nn.BatchNorm1d(2 * columns), nn.ReLU(),
        nn.Linear(2 * columns, columns))


def main():
    """Prints a line for each size."""
    turns = Turns(__doc__)
    for rows, columns, features, target, steps in SIZES:
        turns.compare(f"DP-MERF, {rows:>5} rows, {columns:>3} columns, {features:>6} features",
                      f"merf_step/rows:{rows}/columns:{columns}/features:{features}/threads:{turns.threads}",
                      torch_step(rows, columns, features, CODES, CLASSES, dense_net(CODES + CLASSES, columns)), steps, target)
    images = torch.nn.Sequential(image_generator(15), torch.nn.Flatten())
    turns.compare("DP-MERF,   100 images of 28 x 28,  10000 features", f"merf_image_step/threads:{turns.threads}",
                  torch_step(100, 784, 10_000, 5, 10, images), 5, 1.0)


if __name__ == "__main__":
    main()
