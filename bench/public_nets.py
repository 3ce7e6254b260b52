# SPDX-License-Identifier: Apache-2.0
"""Feature nets of public images for I1, made by `sosia features train` where they are needed, and kept.

Each set has one to be learned by, and is judged by the other, so that dp-mepf is not judged by what it has aimed at.
"""
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

DIGITS = [str(k) for k in range(10)]
OBJECTS = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]


@dataclass
class PublicNet:
    name: str
    epochs: int
    sets: list  # of images: where they are, side, channels, classes


LETTERS = PublicNet("USPS and notMNIST", 4, [("usps/usps-images-idx3-ubyte.gz", 16, 1, DIGITS),
                                             ("notmnist/t10k-images-idx3-ubyte.gz", 28, 1, DIGITS)])
PHOTOS = PublicNet("CIFAR-10", 6, [("cifar10/cifar10_jpeg_q75.tar.zst", 32, 3, OBJECTS)])
LEARNED_BY = {"mnist": LETTERS, "fashion": PHOTOS}
JUDGED_BY = {"mnist": PHOTOS, "fashion": LETTERS}


class Nets:
    """`data`: the folder of data sets; `work`: where nets are kept; `given`: one to be learned by, from elsewhere, or none."""

    def __init__(self, sosia, data, work, threads, given=None):
        self.sosia, self.data, self.work, self.threads, self.given = sosia, Path(data), Path(work), threads, given

    def to_learn_by(self, name):
        return self.given or self.made(LEARNED_BY[name])

    def to_judge_by(self, name):
        return self.made(JUDGED_BY[name])

    def made(self, net):
        path = self.work / f"{net.name}.features".replace(" ", "_")
        if path.exists():
            return path
        command = [self.sosia, "features", "train"]
        for images, side, channels, classes in net.sets:
            schema = self.work / f"{Path(images).parent}.schema.json"
            schema.write_text(json.dumps({"sosia-images": 1, "width": side, "height": side, "channels": channels, "classes": classes}),
                              encoding="utf-8")
            command += [self.unpacked(images), "--schema", schema]
        command += ["--shape", "28x28x1", "--epochs", str(net.epochs), "--threads", str(self.threads), "--name", net.name, "-o", path]
        subprocess.run([str(part) for part in command], check=True)
        return path

    def unpacked(self, images):
        """The set, or the folder of training images in its archive."""
        if not images.endswith(".tar.zst"):
            return self.data / images
        folder = self.work / "public_images" / Path(images).parent
        if not folder.exists():
            part = folder.with_suffix(".part")
            part.mkdir(parents=True, exist_ok=True)
            subprocess.run(["tar", "--use-compress-program", "zstd -d --long=27", "-xf", str(self.data / images), "-C", str(part)], check=True)
            part.rename(folder)
        return next(path for path in sorted(folder.rglob("train")) if path.is_dir())
