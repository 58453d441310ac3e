"""Prices and sensitivities of options."""

import numpy as np


def normal_cdf(x):
    # Abramowitz and Stegun, 26.2.17.
    t = 1 / (1 + 0.2316419 * np.abs(x))
    poly = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi) * poly
    return np.where(x >= 0, 1 - tail, tail)


spot = np.linspace(50, 150, 800)
strike, rate, sigma, time = 100.0, 0.03, 0.25, 0.75
d1 = (np.log(spot / strike) + (rate + sigma**2 / 2) * time) / (sigma * np.sqrt(time))
d2 = d1 - sigma * np.sqrt(time)
call = spot * normal_cdf(d1) - strike * np.exp(-rate * time) * normal_cdf(d2)
put = call - spot + strike * np.exp(-rate * time)
print(call[::200].round(5), put[::200].round(5))
print("delta", np.gradient(call, spot)[400].round(5))
