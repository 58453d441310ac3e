"""Results kept by the bytes of arrays, copies, generators and context managers."""

import contextlib
import copy
import functools
import hashlib
import itertools
import operator
import weakref

import numpy as np


def cached(function):
    known = {}

    @functools.wraps(function)
    def call(x):
        key = x.tobytes(), x.shape, x.dtype.str
        if key not in known:
            known[key] = function(x)
        return known[key]

    call.known = known
    return call


@cached
def spectrum(x):
    return np.abs(np.fft.rfft(x)) ** 2


@functools.lru_cache
def window(n, kind="hann"):
    return np.hanning(n) if kind == "hann" else np.ones(n)


x = np.sin(np.linspace(0, 20, 128))
y = x.copy()
print(
    spectrum(x) is spectrum(y),
    len(spectrum.known),
    spectrum(x * window(128)).argmax(),
    window.cache_info().misses,
)
print(hashlib.sha1(np.round(x, 6)).hexdigest()[:8], hash(x.tobytes()) == hash(y.tobytes()))


def chunks(values, size):
    for start in range(0, len(values), size):
        yield values[start : start + size]


print([round(float(c.mean()), 4) for c in chunks(x, 50)], sum(c.size for c in chunks(x, 30)))
total = functools.reduce(operator.add, (np.full(40, i) for i in range(5)))
print(total[:3], list(itertools.accumulate([np.ones(40)] * 3))[-1].sum(), max(map(float, x)), sorted(x)[:2])
nested = {"a": x, "b": [x, y], "c": (1, x)}
deep, shallow = copy.deepcopy(nested), copy.copy(nested)
x[0] = 99
print(deep["a"][0], shallow["a"][0], deep["b"][0] is deep["a"], deep["c"][1] is deep["a"], nested["b"][1][0])
first, *rest = np.arange(40.0)
print(first, len(rest), rest[-1])


@contextlib.contextmanager
def changed(array, value):
    saved = array.copy()
    array[...] = value
    try:
        yield array
    finally:
        array[...] = saved


with changed(x, 0) as z:
    print(z.sum(), z is x)
print(x[0], bool((x == y).sum() == 127))
ref = weakref.ref(x)
print(ref() is x, any(e is x for e in [x]), x in [x] if x.size == 1 else "many")
try:
    bool(x)
except ValueError as error:
    print(error)
try:
    if x == y:
        pass
except ValueError as error:
    print(type(error).__name__)
