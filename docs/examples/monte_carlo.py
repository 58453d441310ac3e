"""Price options by Monte Carlo with an ElementwiseKernel: each of its elements is one path of the price.

Its random numbers come from gpunp's own header of Philox4x32-10, a generator without a state: the number of
the path and of the step are its counter. NumPy code with the same generator draws the same paths, so that
the payoffs agree, and not only their means. The kernel keeps a path in registers; the NumPy code writes
each step to memory.

    python monte_carlo.py --size 10000000 --picture convergence.png
"""

import statistics

import numpy as np
from side_by_side import check, measure, options, pyplot, report

import gpunp

SPOT, STRIKE, RATE, VOLATILITY, YEARS, STEPS, SEED = 100.0, 105.0, 0.03, 0.25, 1.0, 64, 12345
# Of the logarithm of the price, in one step.
DRIFT = (RATE - 0.5 * VOLATILITY**2) * YEARS / STEPS
SPREAD = VOLATILITY * (YEARS / STEPS) ** 0.5
DISCOUNT = np.exp(-RATE * YEARS)

PREAMBLE = r"""
#include "gpunp/random/philox.h"

// Four normally distributed numbers from four random integers, by Box and Muller's method.
GPUNP_HD void normals(const gpunp::random::Words& w, float (&z)[4]) {
    const float unit = 2.3283064e-10f;  // 2^-32
    const float turn = 6.2831853f;
    const float first = sqrtf(-2 * logf((w.a + 0.5f) * unit)), second = sqrtf(-2 * logf((w.c + 0.5f) * unit));
    z[0] = first * cosf(turn * unit * w.b);
    z[1] = first * sinf(turn * unit * w.b);
    z[2] = second * cosf(turn * unit * w.d);
    z[3] = second * sinf(turn * unit * w.d);
}
"""
payoffs = gpunp.ElementwiseKernel(
    "float32 spot, float32 strike, float32 drift, float32 spread, int32 steps, uint32 seed",
    "float32 asian, float32 european",
    """
    float price = spot, total = 0;
    for (int step = 0; step < steps; step += 4) {
        float z[4];
        normals(gpunp::random::philox({(uint32_t)i, (uint32_t)step, 0, 0}, seed, 0), z);
        for (int k = 0; k < 4; k++) {
            price *= expf(drift + spread * z[k]);
            total += price;
        }
    }
    asian = fmaxf(total / steps - strike, 0);
    european = fmaxf(price - strike, 0);
    """,
    "payoffs",
    preamble=PREAMBLE,
)


def with_kernel(size):
    """The payoffs of an option on the mean of the price and of one on the last price, for each path."""
    return payoffs(SPOT, STRIKE, DRIFT, SPREAD, STEPS, SEED, size=size)


def philox(a, b, key):
    """Four arrays of random 32-bit integers for counters of two words, in NumPy."""
    low = 0xFFFFFFFF
    c = d = a * 0
    b = c + b
    keys = key, 0
    for _ in range(10):
        first, second = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = (second >> 32) ^ b ^ keys[0], second & low, (first >> 32) ^ d ^ keys[1], first & low
        keys = (keys[0] + 0x9E3779B9) & low, (keys[1] + 0xBB67AE85) & low
    return a, b, c, d


def with_numpy(paths):
    """The same in plain NumPy, for an array of the numbers of the paths."""
    price, total = np.full_like(paths, SPOT, np.float32), np.zeros_like(paths, np.float32)
    for step in range(0, STEPS, 4):
        a, b, c, d = (words.astype(np.float32) for words in philox(paths, step, SEED))
        for length, angle in ((a, b), (c, d)):
            radius = np.sqrt(-2 * np.log((length + np.float32(0.5)) * np.float32(2**-32)))
            turn = np.float32(2 * np.pi * 2**-32) * angle
            for z in (radius * np.cos(turn), radius * np.sin(turn)):
                price = price * np.exp(DRIFT + SPREAD * z)
                total = total + price
    return np.maximum(total / STEPS - STRIKE, 0), np.maximum(price - STRIKE, 0)


def black_scholes():
    """The exact price of the option on the last price."""
    spread = VOLATILITY * YEARS**0.5
    d = (np.log(SPOT / STRIKE) + RATE * YEARS) / spread + spread / 2
    cdf = statistics.NormalDist().cdf
    return SPOT * cdf(d) - STRIKE * DISCOUNT * cdf(d - spread)


def main():
    arguments = options(__doc__, 20_000, "paths", "a picture of the estimate for more and more paths")
    size = arguments.size
    (asian, european), own = measure(with_kernel, size, repeats=arguments.repeats)
    _, plain = measure(with_numpy, gpunp.arange(size, dtype="u8"), repeats=arguments.repeats)
    expected, numpys = measure(with_numpy, np.arange(size, dtype="u8"), repeats=arguments.repeats)
    differences = [
        check(ours, theirs, 1e-3) for ours, theirs in zip((asian, european), expected, strict=True)
    ]
    price = DISCOUNT * float(np.mean(european, dtype=float))
    error = DISCOUNT * float(np.std(european, dtype=float)) / size**0.5
    exact = black_scholes()
    if abs(price - exact) > 5 * error:
        raise SystemExit(f"the price {price:.4f} is more than five standard errors from {exact:.4f}")
    report(
        f"{size} paths of {STEPS} steps",
        {"NumPy": numpys, "gpunp, plain NumPy": plain, "ElementwiseKernel": own},
        price_of_the_asian_option=f"{DISCOUNT * float(np.mean(asian, dtype=float)):.4f}",
        of_the_european_one=f"{price:.4f}, standard error {error:.4f}, exact {exact:.4f}",
        differences_from_NumPy=", ".join(differences),
    )
    if arguments.picture:
        plt = pyplot()
        counts = np.unique(np.geomspace(10, size, 400).astype(int))
        means = DISCOUNT * gpunp.asnumpy(np.cumsum(european, dtype=float))[counts - 1] / counts
        plt.semilogx(counts, means, label="estimate")
        plt.axhline(exact, color="k", linewidth=0.8, label="Black-Scholes")
        width = 2 * error * np.sqrt(size / counts)
        plt.fill_between(counts, exact - width, exact + width, alpha=0.2, label="two standard errors")
        plt.xlabel("paths")
        plt.legend()
        plt.savefig(arguments.picture, dpi=120)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
