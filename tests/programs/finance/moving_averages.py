"""Averages that move, crossings, the largest loss."""

import numpy as np


def moving_average(x, n):
    total = np.cumsum(np.insert(x, 0, 0.0))
    return (total[n:] - total[:-n]) / n


rng = np.random.default_rng(99)
price = 100 * np.exp(np.cumsum(rng.normal(0.0002, 0.01, 1500)))
fast, slow = moving_average(price, 20)[80:], moving_average(price, 100)
position = np.where(fast > slow, 1, -1)
crossings = np.flatnonzero(np.diff(position))
returns = np.diff(np.log(price[99:])) * position[:-1]
equity = np.exp(returns.cumsum())
loss = 1 - equity / np.maximum.accumulate(equity)
print(len(crossings), f"{equity[-1]:.6f} {loss.max():.6f}", crossings[:4])
