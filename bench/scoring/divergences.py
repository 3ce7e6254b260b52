# SPDX-License-Identifier: Apache-2.0
"""How far two distributions over the same values are apart."""
import numpy as np


def jsd(p, q):
    """In nats, by the mixture."""
    def half(a, m):
        return np.sum(a[a > 0] * np.log(a[a > 0] / m[a > 0]))
    mixture = (p + q) / 2
    return 0.5 * half(p, mixture) + 0.5 * half(q, mixture)


def smoothed_kl(p, q):
    """With mu = exp(-1 / (1 - max p)), over the categories of the real rows."""
    mu = np.exp(-1 / (1 - p.max()))
    p, q = p[p > 0] + mu, q[p > 0] + mu
    return np.sum(p * np.log(p / q))
