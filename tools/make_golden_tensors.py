#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden_tensors/nn.json: what PyTorch makes of small nets, as an independent witness for src/nn.

Run by hand when a layer, a loss or an optimiser is added; needs PyTorch (made with 2.5.1), which nothing else here does.
Everything is computed in double from numbers that are floats, and has the order of sosia's own buffers: a dense layer's
weights are inputs x outputs. Images have the same order in both.
"""
import json
from pathlib import Path

import torch

OUTPUT = Path(__file__).resolve().parent.parent / "tests" / "golden_tensors" / "nn.json"
STEPS = 5
RATE = 0.05
ACTIVATIONS = {
    "identity": lambda x: x,
    "relu": torch.relu,
    "leaky_relu": lambda x: torch.nn.functional.leaky_relu(x, 0.2),
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}
HEADS = {"sigmoid": torch.sigmoid, "tanh": torch.tanh, "linear": lambda x: x, "softmax": lambda x: torch.softmax(x, 1)}


def floats(*shape, scale=1.0):
    """Normals that a float holds exactly."""
    return (torch.randn(*shape, dtype=torch.float32) * scale).double()


class Layer(torch.nn.Module):
    """A layer from its description, the same that the test builds its own from."""

    def __init__(self, spec):
        super().__init__()
        self.spec = spec
        kind = spec["type"]
        if kind == "dense":
            self.weight = torch.nn.Parameter(floats(spec["inputs"], spec["outputs"], scale=0.5))
            self.bias = torch.nn.Parameter(floats(spec["outputs"], scale=0.5))
        elif kind == "batch_norm":
            self.norm = torch.nn.BatchNorm1d(spec["width"], dtype=torch.float64)
            self.norm.weight.data = 1.0 + floats(spec["width"], scale=0.25)
            self.norm.weight.data = self.norm.weight.data.float().double()
            self.norm.bias.data = floats(spec["width"], scale=0.5)
        elif kind == "convolution":
            self.weight = torch.nn.Parameter(
                floats(spec["channels"], spec["shape"][0], spec["side"], spec["side"], scale=0.5))
            self.bias = torch.nn.Parameter(floats(spec["channels"], scale=0.5))
        elif kind == "channel_norm":
            self.norm = torch.nn.BatchNorm2d(spec["shape"][0], dtype=torch.float64)
            self.norm.weight.data = (1.0 + floats(spec["shape"][0], scale=0.25)).float().double()
            self.norm.bias.data = floats(spec["shape"][0], scale=0.5)
        elif kind == "beside":
            self.inner = torch.nn.Sequential(*[Layer(s) for s in spec["layers"]])
        elif kind == "residual":
            self.inner = torch.nn.Sequential(*[Layer(s) for s in spec["layers"]])
            self.bypass = torch.nn.Sequential(*[Layer(s) for s in spec.get("bypass", [])])

    def forward(self, x):
        spec = self.spec
        kind = spec["type"]
        if kind == "dense":
            return ACTIVATIONS[spec["activation"]](x @ self.weight + self.bias)
        if kind == "batch_norm":
            return ACTIVATIONS[spec["activation"]](self.norm(x))
        if kind == "activation":
            return ACTIVATIONS[spec["activation"]](x)
        if kind == "residual":
            return self.bypass(x) + self.inner(x)
        if kind == "beside":
            first, passed = torch.split(x, [x.shape[1] - spec["passed"], spec["passed"]], dim=1)
            return torch.cat([self.inner(first), passed], dim=1)
        if kind == "drawn_codes":
            means, spreads, normals = torch.chunk(x, 3, dim=1)
            return torch.cat([means + spreads.exp() * normals, means, spreads], dim=1)
        if "shape" in spec:
            return self.image(x.reshape(-1, *spec["shape"])).flatten(1)
        parts = torch.split(x, [width for _, width in spec["blocks"]], dim=1)
        return torch.cat([HEADS[name](part) for (name, _), part in zip(spec["blocks"], parts)], dim=1)

    def image(self, x):
        """The same of images: rows, channels, height, width."""
        spec = self.spec
        functional = torch.nn.functional
        if spec["type"] == "convolution":
            return ACTIVATIONS[spec["activation"]](functional.conv2d(x, self.weight, self.bias, padding="same"))
        if spec["type"] == "channel_norm":
            return ACTIVATIONS[spec["activation"]](self.norm(x))
        if spec["type"] == "pool":
            return {"max": functional.max_pool2d, "mean": functional.avg_pool2d}[spec["how"]](x, spec["side"])
        size = (spec["height"], spec["width"])
        if spec["how"] == "linear":
            return functional.interpolate(x, size, mode="bilinear", align_corners=True)
        return functional.interpolate(x, size, mode="nearest")


def loss_of(name, y, target):
    """The mean over rows of a sum over columns. cross_entropy: blocks of 3 and 2 columns."""
    if name == "squared_error":
        total = (y - target).square().sum()
    elif name == "logistic_loss":
        total = torch.nn.functional.binary_cross_entropy_with_logits(y, target, reduction="sum")
    else:
        blocks = zip(torch.split(y, [3, 2], dim=1), torch.split(target, [3, 2], dim=1))
        total = sum(torch.nn.functional.cross_entropy(a, b, reduction="sum") for a, b in blocks)
    return total / y.shape[0]


def numbers(tensors):
    """All numbers in one list, short enough to read and exact enough for floats."""
    if isinstance(tensors, torch.Tensor):
        tensors = [tensors]
    return [float(f"{x:.9g}") for t in tensors for x in t.detach().flatten().tolist()]


def state_of(net):
    """Running means and variances, in the order of the layers."""
    norms = [m for m in net.modules() if isinstance(m, (torch.nn.BatchNorm1d, torch.nn.BatchNorm2d))]
    return [t for norm in norms for t in (norm.running_mean, norm.running_var)]


def targets(loss, rows, outputs):
    """What the loss takes."""
    if loss == "squared_error":
        return floats(rows, outputs)
    if loss == "logistic_loss":
        return torch.randint(0, 2, (rows, outputs)).double()
    one_hot = torch.nn.functional.one_hot
    return torch.cat([one_hot(torch.randint(0, 3, (rows,)), 3), one_hot(torch.randint(0, 2, (rows,)), 2)], 1).double()


def case(name, layers, inputs, loss="squared_error", optimizer=None, rows=5):
    """One net on one batch: result, loss, gradients, and the parameters after some steps."""
    torch.manual_seed(len(name) * 1000 + sum(map(ord, name)))
    net = torch.nn.Sequential(*[Layer(spec) for spec in layers])
    x = floats(rows, inputs).requires_grad_()
    result = {"name": name, "layers": layers, "loss": loss, "rows": rows, "inputs": inputs,
              "parameters": numbers(net.parameters()), "x": numbers(x)}
    y = net(x)
    target = targets(loss, rows, y.shape[1])
    value = loss_of(loss, y, target)
    value.backward()
    result |= {"target": numbers(target), "y": numbers(y), "loss_value": float(value.detach()),
               "gradient": numbers([p.grad for p in net.parameters()]), "input_gradient": numbers(x.grad),
               "state": numbers(state_of(net))}
    net.eval()
    result["evaluated"] = numbers(net(x))
    net.train()
    if optimizer:
        result["optimizer"] = optimizer
        result["steps"] = train(net, x.detach(), target, loss, optimizer)
    return result


def train(net, x, target, loss, name):
    """The parameters after each step."""
    make = {"sgd": lambda p: torch.optim.SGD(p, lr=RATE),
            "momentum": lambda p: torch.optim.SGD(p, lr=RATE, momentum=0.9),
            "adam": lambda p: torch.optim.Adam(p, lr=RATE),
            "rmsprop": lambda p: torch.optim.RMSprop(p, lr=RATE)}
    optimizer = make[name](net.parameters())
    after = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss_of(loss, net(x), target).backward()
        optimizer.step()
        after.append(numbers(net.parameters()))
    return after


def dense(inputs, outputs, activation="identity"):
    """Description of a dense layer."""
    return {"type": "dense", "inputs": inputs, "outputs": outputs, "activation": activation}


def convolution(shape, channels, side, activation="identity"):
    """Description of a convolution; shapes are channels, height, width."""
    return {"type": "convolution", "shape": shape, "channels": channels, "side": side, "activation": activation}


def resize(shape, height, width, how):
    """Description of a change of size."""
    return {"type": "resize", "shape": shape, "height": height, "width": width, "how": how}


def image_cases():
    """Layers of images alone, and the shape of the papers' generators with few numbers."""
    yield case("convolution", [convolution([2, 3, 4], 3, 3)], 24)
    yield case("convolution_wide", [convolution([1, 3, 4], 2, 5, "tanh")], 12)
    yield case("convolution_one", [convolution([3, 2, 3], 2, 1, "leaky_relu")], 18)
    norm = {"type": "channel_norm", "shape": [2, 2, 3]}
    yield from (case(f"channel_norm_{name}", [norm | {"activation": name}], 12) for name in ("identity", "relu"))
    yield from (case(f"resize_{how}", [resize([2, 2, 3], 5, 6, how)], 12) for how in ("linear", "nearest"))
    yield from (case(f"pool_{how}", [{"type": "pool", "shape": [2, 4, 6], "side": 2, "how": how}], 48)
                for how in ("max", "mean"))
    block = {"type": "residual", "layers": [norm | {"activation": "relu"}, convolution([2, 2, 3], 3, 3)],
             "bypass": [convolution([2, 2, 3], 3, 1)]}
    yield case("bypass", [block], 12)
    yield case("image_generator", [dense(3, 8), {"type": "batch_norm", "width": 8, "activation": "identity"},
                                   resize([2, 2, 2], 4, 4, "linear"), convolution([2, 4, 4], 2, 5, "relu"),
                                   convolution([2, 4, 4], 1, 3, "sigmoid")], 3, optimizer="momentum", rows=6)


def cases():
    """All of them."""
    yield from (case(f"dense_{name}", [dense(4, 3, name)], 4) for name in ACTIVATIONS)
    yield from (case(f"activation_{name}", [{"type": "activation", "width": 6, "activation": name}], 6)
                for name in ACTIVATIONS)
    yield from (case(f"batch_norm_{name}", [{"type": "batch_norm", "width": 4, "activation": name}], 4)
                for name in ("identity", "relu"))
    blocks = [["softmax", 3], ["softmax", 2], ["sigmoid", 2], ["tanh", 1], ["linear", 2], ["softmax", 4]]
    yield case("head", [{"type": "head", "blocks": blocks}], 14)
    yield case("residual", [{"type": "residual", "layers": [dense(4, 6, "tanh"), dense(6, 4, "relu")]}], 4)
    yield case("variational", [{"type": "beside", "layers": [dense(4, 3, "tanh"), dense(3, 4)], "passed": 2}, {"type": "drawn_codes", "width": 2},
                               {"type": "beside", "layers": [dense(2, 3, "relu")], "passed": 4}], 6)
    generator = [dense(3, 8), {"type": "batch_norm", "width": 8, "activation": "relu"}, dense(8, 5),
                 {"type": "head", "blocks": [["softmax", 3], ["softmax", 2]]}]
    # A bias before batch norm has no gradient but roundings, which Adam and RMSProp would make large.
    first = [{"type": "batch_norm", "width": 3, "activation": "identity"}, dense(3, 8, "relu"), *generator[2:]]
    for name, layers in (("sgd", generator), ("momentum", generator), ("adam", first), ("rmsprop", first)):
        yield case(f"generator_{name}", layers, 3, optimizer=name, rows=8)
    critic = [dense(5, 6, "leaky_relu"), dense(6, 1)]
    yield case("critic", critic, 5, loss="logistic_loss", optimizer="rmsprop")
    yield case("classifier", [dense(4, 7, "sigmoid"), dense(7, 5)], 4, loss="cross_entropy", optimizer="adam")
    yield from image_cases()


if __name__ == "__main__":
    OUTPUT.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(c) for c in cases())
    OUTPUT.write_text(f'{{"rate": {RATE}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")
