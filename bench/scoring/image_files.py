# SPDX-License-Identifier: Apache-2.0
"""Sets of images in IDX files, as arrays."""
import gzip
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.task import Form

FOLDERS = {"mnist": "mnist", "fashion": "fashion_mnist"}
HEADS = {1: 8, 3: 16}  # bytes before the first number, by dimensions


@dataclass
class Images:
    """Bytes (count, height, width), and labels."""
    pixels: np.ndarray
    labels: np.ndarray

    def __len__(self):
        return len(self.labels)

    def take(self, index):
        return Images(self.pixels[index], self.labels[index])

    def rows(self):
        """Of numbers from 0 to 1."""
        return self.pixels.reshape(len(self), -1).astype(np.float32) / 255

    def write(self, path):
        """As an .npz file, which `sosia` reads."""
        np.savez(path, images=self.pixels, labels=self.labels.astype(np.uint8))


def read_idx(path):
    with gzip.open(path) as file:
        data = file.read()
    dimensions = data[3]
    shape = [int.from_bytes(data[4 * i:4 * i + 4], "big") for i in range(1, dimensions + 1)]
    return np.frombuffer(data, np.uint8, offset=HEADS[dimensions]).reshape(shape)


def read_images(name, data, part):
    """`part`: train or t10k, of a set of FOLDERS below the folder of data sets."""
    folder = Path(data) / FOLDERS[name]
    return Images(read_idx(folder / f"{part}-images-idx3-ubyte.gz"), read_idx(folder / f"{part}-labels-idx1-ubyte.gz"))


def read_made(path):
    """An .npz file, packed or not."""
    with (gzip.open(path) if path.suffix == ".gz" else open(path, "rb")) as file:
        arrays = np.load(io.BytesIO(file.read()))
        labels = arrays["labels"].astype(int)
        return Images(arrays["images"].reshape(len(labels), *arrays["images"].shape[1:3]), labels)


FORM = Form(".npz", lambda path, images: images.write(path), read_made)
