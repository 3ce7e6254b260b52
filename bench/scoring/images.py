# SPDX-License-Identifier: Apache-2.0
"""I1: train on synthetic images, test on real ones."""
import numpy as np

from scoring.task import Task, real_rows

CLASSES = 10
LEARNT = 5_000  # images that classifiers learn from


def images(name, load, chosen, _seed):
    """The official split. The number of images is public, as it is to the papers."""
    train, test = load(name, part="train"), load(name, part="t10k")
    height, width = train.pixels.shape[1:]
    schema = {"sosia-images": 1, "width": width, "height": height, "classes": [str(k) for k in range(CLASSES)],
              "rows": len(train)}

    def score(made):
        from scoring import learners
        some = made.take(np.random.default_rng(0).permutation(len(made))[:LEARNT])
        return learners.score_images(chosen, some.rows(), some.labels, test.rows(), test.labels)

    return Task(train, schema, score, test, {"real images": real_rows}, f"classifiers learn from {LEARNT:,} images")
