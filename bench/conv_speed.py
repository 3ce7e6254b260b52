#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step of the DP-MERF paper's generator of images, sosia and PyTorch in turns, on as many threads of the same cores.

    python3 -m venv build/torch && build/torch/bin/pip install torch
    build/torch/bin/python bench/conv_speed.py build/release/bench/nn_bench [THREADS] [--record]

Codes and labels through two dense layers with batch norm to 16 x 7 x 7, twice the size, convolution 5 x 5 to 8 planes,
twice the size, convolution 5 x 5 to 28 x 28 pixels; squared error, back, Adam; 100 images. Then the same from 16 x 7 x 7
on, the convolutions alone.
"""
import torch

from turns import Turns

STEPS, TARGET = 20, 1.0
ROWS, CODES = 100, 15


def image_generator(codes):
    """From codes, or without any from 16 x 7 x 7, to 28 x 28 pixels."""
    nn = torch.nn
    dense = [nn.Linear(codes, 200), nn.BatchNorm1d(200), nn.ReLU(), nn.Linear(200, 784), nn.BatchNorm1d(784)] if codes else []
    return nn.Sequential(
        *dense, nn.Unflatten(1, (16, 7, 7)),
        nn.UpsamplingBilinear2d(scale_factor=2), nn.Conv2d(16, 8, 5, padding=2), nn.ReLU(),
        nn.UpsamplingBilinear2d(scale_factor=2), nn.Conv2d(8, 1, 5, padding=2), nn.Sigmoid())


def torch_step(is_whole):
    """A function that takes one step."""
    net = image_generator(CODES if is_whole else 0)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    target = torch.full((ROWS, 1, 28, 28), 0.1)

    def step():
        codes = torch.randn(ROWS, CODES if is_whole else 784).requires_grad_()
        loss = ((net(codes) - target) ** 2).sum() / ROWS
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def main():
    """Prints a line for each net."""
    turns = Turns(__doc__)
    for is_whole in (True, False):
        turns.compare(f"images of DP-MERF, {'the generator' if is_whole else 'its convolutions':>16}",
                      f"image_step/whole:{int(is_whole)}/threads:{turns.threads}", torch_step(is_whole), STEPS, TARGET)


if __name__ == "__main__":
    main()
