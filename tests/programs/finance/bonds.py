"""Yields of bonds by Newton's method on Python's numbers."""

import numpy as np


def price(yield_, coupon, years):
    t = np.arange(1, years + 1)
    return np.sum(coupon / (1 + yield_) ** t) + 100 / (1 + yield_) ** years


def solve(target, coupon, years):
    guess = 0.05
    for _ in range(50):
        slope = (price(guess + 1e-6, coupon, years) - price(guess - 1e-6, coupon, years)) / 2e-6
        step = (price(guess, coupon, years) - target) / slope
        guess -= step
        if abs(step) < 1e-12:
            break
    return guess


for years in (2, 10, 30):
    found = solve(95.0, 4.0, years)
    print(years, f"{found:.8f}", isinstance(found, float), round(float(price(found, 4.0, years)), 6))
