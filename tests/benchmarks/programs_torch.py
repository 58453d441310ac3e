"""The programs of ``tests/programs.py`` for PyTorch, as its users write them.

Each function gets ``compiled``, which is ``torch.compile`` or leaves functions as they are, and returns the
program. Of loops, the body is compiled: a compilation of 100 unrolled iterations takes minutes.
"""

import torch
from programs import ITERATIONS


def whole(function):
    """A program that is compiled as a whole."""
    return lambda compiled: compiled(function)


def normal_distribution(x):
    k = 1 / (1 + 0.2316419 * torch.abs(x))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * torch.exp(-0.5 * x * x) * tail
    return torch.where(x > 0, 1 - tail, tail)


@whole
def black_scholes(price, strike, years, rate=0.02, volatility=0.3):
    spread = volatility * torch.sqrt(years)
    d1 = (torch.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / spread
    d2 = d1 - spread
    discounted = strike * torch.exp(-rate * years)
    return price * normal_distribution(d1) - discounted * normal_distribution(d2)


@whole
def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


@whole
def distance(x, y):
    return torch.sqrt(x * x + y * y)


@whole
def squared_difference(x, y):
    return torch.sum((x - y) ** 2)


@whole
def stencil(a):
    return 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])


@whole
def standardisation(m):
    return (m - torch.mean(m, dim=0)) / torch.std(m, dim=0, correction=0)


@whole
def softmax(m):
    return torch.softmax(m, dim=1)


@whole
def scale_and_shift(a):
    return a * 2 + 1


@whole
def choose(x, y):
    return torch.where(x > y, x, y * 2)


@whole
def close(x, y):
    return torch.all(torch.isclose(x, y))


@whole
def adam(p, gradient, m, v, step=10):
    m.mul_(0.9).add_(gradient, alpha=0.1)
    v.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
    p.sub_(0.001 * (m / (1 - 0.9**step)) / (torch.sqrt(v / (1 - 0.999**step)) + 1e-8))
    return p, m, v


def escaping(step, compiled):
    """Iterations of the Mandelbrot set by a step that returns the new values and counts."""
    step = compiled(step)

    def run(x, y):
        c = x + 1j * y[:, None]
        z = torch.zeros_like(c)
        counts = torch.zeros(c.shape, dtype=torch.int64, device=c.device)
        for _ in range(ITERATIONS):
            z, counts = step(z, c, counts)
        return counts

    return run


def mandelbrot_masks(compiled):
    def step(z, c, counts):
        inside = torch.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        counts[inside] += 1
        return z, counts

    return escaping(step, compiled)


def mandelbrot_where(compiled):
    def step(z, c, counts):
        inside = z.real * z.real + z.imag * z.imag < 4
        return torch.where(inside, z * z + c, z), counts + inside

    return escaping(step, compiled)


def jacobi(compiled):
    @compiled
    def step(u, f):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - f[1:-1, 1:-1])

    def run(u, f):
        for _ in range(ITERATIONS):
            step(u, f)
        return u

    return run


def laplacian(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]


def gray_scott(compiled):
    @compiled
    def step(u_all, v_all):
        u, v = u_all[1:-1, 1:-1], v_all[1:-1, 1:-1]
        reaction = u * v * v
        u_change = 0.16 * laplacian(u_all) - reaction + 0.035 * (1 - u)
        v_change = 0.08 * laplacian(v_all) + reaction - 0.1 * v
        u += u_change
        v += v_change

    def run(u_all, v_all):
        for _ in range(ITERATIONS):
            step(u_all, v_all)
        return u_all, v_all

    return run
