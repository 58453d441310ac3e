"""Programs of array operations in plain NumPy, which automatic fusion is measured and tested on.

Nothing in the functions names a library: they run on the arrays that they get. `adam`, `jacobi` and
`gray_scott` write into their arguments.
"""

import math
import random
from dataclasses import dataclass

import numpy as np

ITERATIONS = 100


@dataclass(frozen=True)
class Program:
    """A program, and what it works on.

    Attributes
    ----------
    name : str
        The name, also that of the benchmark.
    title : str
        The text in tables.
    function : callable
        The program.
    arguments : callable
        ``arguments(make, count)`` returns its arguments, with about ``count`` elements in each large array.
        ``make(low, high, *shape)`` returns an array of numbers in a range, ``make.upload(host)`` a copy.
    count : int
        The number of elements of the full size.
    moved : int
        The bytes per element that must be read and written.
    """

    name: str
    title: str
    function: object
    arguments: object
    count: int
    moved: int


PROGRAMS = {}


def program(title, count, moved, arguments):
    """Register the decorated function as a program."""

    def register(function):
        name = function.__name__
        PROGRAMS[name] = Program(name, title, function, arguments, count, moved)
        return function

    return register


def vectors(number, low=0.5, high=1.5):
    """Arguments: some one-dimensional arrays."""
    return lambda make, count: [make(low, high, count) for _ in range(number)]


def squares(number, low=0.5, high=1.5):
    """Arguments: some square matrices."""
    return lambda make, count: [make(low, high, math.isqrt(count), math.isqrt(count)) for _ in range(number)]


def normal_distribution(x):
    """The cumulative distribution function, by the polynomial 26.2.17 of Abramowitz and Stegun."""
    k = 1 / (1 + 0.2316419 * np.abs(x))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * tail
    return np.where(x > 0, 1 - tail, tail)


def options(make, count):
    """Prices of stocks, strikes and times to expiry."""
    return [make(20, 60, count), make(20, 60, count), make(0.25, 4, count)]


@program("Black-Scholes, 2^26", 1 << 26, 16, options)
def black_scholes(price, strike, years, rate=0.02, volatility=0.3):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * years)
    return price * normal_distribution(d1) - discounted * normal_distribution(d2)


@program("`0.5*x*(1+np.tanh(0.79788456*(x+0.044715*x*x*x)))`, 2^26", 1 << 26, 8, vectors(1, -3, 3))
def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


@program("`np.sqrt(x*x+y*y)`, 2^26", 1 << 26, 12, vectors(2))
def distance(x, y):
    return np.sqrt(x * x + y * y)


@program("`np.sum((x-y)**2)`, 2^26", 1 << 26, 8, vectors(2))
def squared_difference(x, y):
    return np.sum((x - y) ** 2)


@program("5-point stencil of slices, 16384^2", 1 << 28, 8, squares(1))
def stencil(a):
    return 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])


@program("`(M-np.mean(M,axis=0))/np.std(M,axis=0)`, 16384^2", 1 << 28, 12, squares(1))
def standardisation(m):
    return (m - np.mean(m, axis=0)) / np.std(m, axis=0)


@program("softmax along rows, 16384^2", 1 << 28, 8, squares(1, -5, 5))
def softmax(m):
    exponentials = np.exp(m - np.max(m, axis=1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=1, keepdims=True)


@program("`a*2+1`, 2^28", 1 << 28, 8, vectors(1))
def scale_and_shift(a):
    return a * 2 + 1


@program("`np.where(x>y, x, y*2)`, 2^28", 1 << 28, 12, vectors(2))
def choose(x, y):
    return np.where(x > y, x, y * 2)


@program("`np.allclose(x, y)`, 2^28", 1 << 28, 8, lambda make, count: [make(0.5, 1.5, count)] * 2)
def close(x, y):
    return np.allclose(x, y)


def training(make, count):
    """Parameters, their gradients and two moments, of which the second is positive."""
    return [make(-1, 1, count), make(-1, 1, count), make(-0.1, 0.1, count), make(0.1, 0.2, count)]


@program("Adam step, `m`, `v` and `p` in place, 2^26", 1 << 26, 28, training)
def adam(p, gradient, m, v, step=10):
    m *= 0.9
    m += 0.1 * gradient
    v *= 0.999
    v += 0.001 * gradient * gradient
    p -= 0.001 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    return p, m, v


def plane(make, count):
    """Coordinates around the Mandelbrot set."""
    side = math.isqrt(count)
    return [make.upload(np.linspace(-2, 0.5, side)), make.upload(np.linspace(-1.25, 1.25, side))]


@program("Mandelbrot, 1000^2, 100 iterations of `z[mask] = ...`", 1000**2, 0, plane)
def mandelbrot_masks(x, y):
    c = x + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    counts = np.zeros_like(c, dtype=np.int64)
    for _ in range(ITERATIONS):
        inside = np.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        counts[inside] += 1
    return counts


@program("Mandelbrot, 1000^2, 100 iterations of `np.where`", 1000**2, 0, plane)
def mandelbrot_where(x, y):
    c = x + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    counts = np.zeros_like(c, dtype=np.int64)
    for _ in range(ITERATIONS):
        inside = z.real * z.real + z.imag * z.imag < 4
        z = np.where(inside, z * z + c, z)
        counts += inside
    return counts


@program("Jacobi, 2048^2, 100 iterations in place", 2048**2, 12 * ITERATIONS, squares(2))
def jacobi(u, f):
    for _ in range(ITERATIONS):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - f[1:-1, 1:-1])
    return u


def laplacian(a):
    """The sum of four neighbours less four times the middle, for all inner elements."""
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]


@program("Gray-Scott, 2048^2, 100 iterations in place", 2048**2, 16 * ITERATIONS, squares(2, 0.2, 0.8))
def gray_scott(u_all, v_all):
    u, v = u_all[1:-1, 1:-1], v_all[1:-1, 1:-1]
    for _ in range(ITERATIONS):
        reaction = u * v * v
        u_change = 0.16 * laplacian(u_all) - reaction + 0.035 * (1 - u)
        v_change = 0.08 * laplacian(v_all) + reaction - 0.1 * v
        u += u_change
        v += v_change
    return u_all, v_all


UNARY = (np.tanh, np.sin, np.abs, np.negative, np.square, np.cos, np.floor, np.sign)
BINARY = (np.add, np.subtract, np.multiply, np.maximum, np.minimum, np.hypot, np.copysign)


def random_calls(arrays, seed, calls=64):
    """Calls in an order that depends on the seed, so that chains hardly ever repeat.

    Parameters
    ----------
    arrays : sequence of arrays
        Arrays of one shape.
    seed : int
        The seed.
    calls : int, optional
        The number of calls.

    Returns
    -------
    list of arrays
        The values that no later call replaced.
    """
    draw = random.Random(seed)
    values = list(arrays)
    for _ in range(calls):
        if draw.random() < 0.4:
            result = draw.choice(UNARY)(draw.choice(values))
        else:
            result = draw.choice(BINARY)(draw.choice(values), draw.choice((*values, 0.5)))
        # Bounded values, which stay clear of infinities and NaN.
        values[draw.randrange(len(values))] = np.minimum(result, 4) if draw.random() < 0.5 else result
    return values
