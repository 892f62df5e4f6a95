"""Multiclass classification with any costs, as a structured problem."""

import numpy as np


class Multiclass:
    """Classes with an arbitrary feature vector each, and a matrix of costs in {0, 1, 2, 3}."""

    def __init__(self, costs):
        self.costs = costs

    def joint_feature(self, x, y):
        return x[y]

    def decode(self, w, x):
        return int(np.argmax(x @ w))

    def loss_augmented_decode(self, w, x, y):
        return int(np.argmax(x @ w + self.costs[y]))

    def cost(self, y, y_hat):
        return float(self.costs[y, y_hat])

    def maximal_losses(self, u, xs, ys):
        values = [np.max(self.costs[y] + (x - x[y]) @ u) for x, y in zip(xs, ys, strict=True)]
        return np.maximum(0.0, values)
