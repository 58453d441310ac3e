"""Random samples, and keyword arguments that many functions of ``scipy.stats`` take."""

import numpy as np

CHARS = "ddddfil"
POLICIES = ("propagate", "omit", "raise")
SIDES = ("two-sided", "less", "greater")
YES_NO = (True, False)


def array(draw, shape, chars=CHARS):
    """Values, which now and then repeat or are unknown."""
    char = draw.pick(*chars)
    a = draw.rng.normal(size=shape) * 3
    if draw.rng.random() < 0.3:
        a = np.round(a)
    a = np.asarray(a.astype(char))
    if char in "fd" and a.size and draw.rng.random() < 0.15:
        a.flat[draw.whole(0, a.size - 1)] = np.nan
    return a


def sample(draw, chars=CHARS):
    n = draw.pick(0, 1, 2, 3, 5, 8, 9, 20)
    return array(draw, draw.pick((n,), (n,), (n, 2), (2, n), (2, 1, n)), chars)


def common(draw, a, policies=POLICIES):
    """Keyword arguments that most functions take."""
    return draw.some(
        axis=lambda: draw.pick(None, *range(-a.ndim, a.ndim)),
        nan_policy=lambda: draw.pick(*policies),
        keepdims=lambda: draw.pick(*YES_NO),
    )


def of_one(draw, **more):
    a = sample(draw)
    return (a,), common(draw, a) | draw.some(
        **{key: lambda each=each: draw.pick(*each) for key, each in more.items()}
    )


def of_two(draw, same=False, **more):
    a = sample(draw)
    shape = list(a.shape)
    if not same and draw.rng.random() < 0.5:
        shape[-1] = draw.pick(1, 2, 5, 9)
    b = array(draw, tuple(shape))
    options = draw.some(**{key: lambda each=each: draw.pick(*each) for key, each in more.items()})
    return (a, b), common(draw, a) | options


def one(**more):
    return lambda draw: of_one(draw, **more)


def two(same=False, **more):
    return lambda draw: of_two(draw, same, **more)


def of_several(draw, **more):
    arrays = tuple(array(draw, (draw.pick(2, 5, 8),)) for _ in range(draw.pick(1, 2, 3, 4)))
    options = draw.some(
        nan_policy=lambda: draw.pick(*POLICIES),
        **{key: lambda each=each: draw.pick(*each) for key, each in more.items()},
    )
    return arrays, options


def of_windows(draw):
    # Which of two errors of short samples is raised depends on NaN.
    a = array(draw, draw.pick((9,), (12, 2), (3, 20)))
    methods = ("auto", "vasicek", "van es", "ebrahimi", "correa", "x")
    options = draw.some(method=lambda: draw.pick(*methods), base=2, window_length=lambda: draw.pick(1, 3))
    return (a,), options | {"axis": -1 if len(a) == 3 else 0} | draw.some(
        nan_policy=lambda: draw.pick(*POLICIES)
    )


def of_cumulants(draw):
    # Those of fewer values than four are quotients by zero.
    a = array(draw, draw.pick((5,), (4, 6), (9, 5)))
    return (a,), common(draw, a) | {"n": draw.pick(1, 2)}


def several(**more):
    return lambda draw: of_several(draw, **more)
