"""Arguments of the methods, and properties of generators: reproducible, shared, pickled, spawned."""

import inspect
import pickle

import numpy as np
import pytest

import gpunp
from gpunp import random

METHODS = [
    name
    for name in dir(np.random.Generator)
    if not name.startswith("_") and callable(getattr(np.random.Generator, name))
]
# One set of valid parameters for each distribution.
PARAMETERS = {
    "beta": (2, 3),
    "binomial": (10, 0.3),
    "chisquare": (3,),
    "exponential": (2,),
    "f": (3, 4),
    "gamma": (2, 3),
    "geometric": (0.3,),
    "gumbel": (1, 2),
    "hypergeometric": (20, 30, 12),
    "laplace": (1, 2),
    "logistic": (1, 2),
    "lognormal": (1, 2),
    "logseries": (0.7,),
    "negative_binomial": (3, 0.4),
    "noncentral_chisquare": (3, 2),
    "noncentral_f": (3, 4, 2),
    "normal": (1, 2),
    "pareto": (3,),
    "poisson": (4,),
    "power": (3,),
    "rayleigh": (2,),
    "standard_gamma": (2,),
    "standard_t": (4,),
    "triangular": (1, 2, 4),
    "uniform": (1, 3),
    "vonmises": (1, 2),
    "wald": (2, 3),
    "weibull": (2,),
    "zipf": (2.5,),
}
WITHOUT = ("random", "standard_normal", "standard_exponential", "standard_cauchy")
DISCRETE = ("binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson", "zipf")


def rng(seed=1):
    return random.default_rng(seed)


def draw(name, *args, seed=1, **options):
    return gpunp.asnumpy(getattr(rng(seed), name)(*args, **options))


@pytest.mark.parametrize("name", METHODS)
def test_signatures_begin_with_those_of_numpy(name):
    expected = list(inspect.signature(getattr(np.random.Generator, name)).parameters.values())
    actual = list(inspect.signature(getattr(random.Generator, name)).parameters.values())
    assert [str(p) for p in actual[: len(expected)]] == [str(p) for p in expected]
    assert {p.name for p in actual[len(expected) :]} <= {"dtype", "out"}


@pytest.mark.parametrize("name", [*PARAMETERS, *WITHOUT])
def test_sizes(name):
    args = PARAMETERS.get(name, ())
    assert draw(name, *args).shape == ()
    assert draw(name, *args, size=()).shape == ()
    assert draw(name, *args, size=5).shape == (5,)
    assert draw(name, *args, size=(2, 3)).shape == (2, 3)
    assert draw(name, *args, size=[2, np.int64(3)]).shape == (2, 3)
    assert draw(name, *args, size=(2, 0)).shape == (2, 0)
    assert draw(name, *args, size=3).dtype == (np.int64 if name in DISCRETE else np.float64)
    for wrong, error in ((-1, ValueError), ((2, -1), ValueError), (1.5, TypeError), ("a", TypeError)):
        with pytest.raises(error):
            draw(name, *args, size=wrong)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("on_device", [False, True])
def test_parameters_broadcast(name, on_device):
    scalars = draw(name, *PARAMETERS[name], size=(4, 3, 5))
    shapes = ((3, 1), (5,), (4, 1, 1))
    arrays = [np.full(s, float(x)) for s, x in zip(shapes, PARAMETERS[name], strict=False)]
    given = [gpunp.asarray(a) if on_device else a for a in arrays]
    values = draw(name, *given, size=(4, 3, 5))
    if name not in ("uniform", "normal"):
        # These two have a faster kernel for scalars, which uses the bits differently.
        assert values.tolist() == scalars.tolist()
    assert draw(name, *given).shape == np.broadcast_shapes(*(a.shape for a in arrays))
    mixed = (given[0], *PARAMETERS[name][1:])
    assert draw(name, *mixed).shape == (3, 1)
    with pytest.raises(ValueError, match=r"broadcast|mismatch|compatible"):
        draw(name, *mixed, size=(2, 7))
    with pytest.raises(ValueError, match="compatible"):
        draw(name, *mixed, size=(1, 1))


def test_every_element_has_its_own_parameter():
    location = np.arange(24.0).reshape(2, 3, 4) * 100
    for shape in ((2, 3, 4), (1, 3, 1), (2, 1, 4), (4,), (2, 1, 1), (1, 1, 1)):
        part = location[tuple(slice(n) for n in (1,) * (3 - len(shape)) + shape)].reshape(shape)
        values = gpunp.asnumpy(rng().normal(gpunp.asarray(part), 0.1, (2, 3, 4)))
        assert np.abs(values - np.broadcast_to(part, (2, 3, 4))).max() < 1
    turned = gpunp.asarray(np.arange(12.0).reshape(3, 4) * 100).T
    assert np.abs(gpunp.asnumpy(rng().normal(turned, 0.1) - turned)).max() < 1
    assert np.abs(gpunp.asnumpy(rng().normal(turned.astype("i4"), 0.1) - turned)).max() < 1


ERRORS = [
    ("exponential", (-1,)),
    ("exponential", ([1, -1],)),
    ("gamma", (-1,)),
    ("gamma", (1, -1)),
    ("standard_gamma", (-1,)),
    ("beta", (0, 1)),
    ("beta", (1, [0, 1])),
    ("poisson", (-1,)),
    ("poisson", (1e20,)),
    ("poisson", ([1, -1.0],)),
    ("poisson", (np.nan,)),
    ("binomial", (-1, 0.5)),
    ("binomial", (1, 1.5)),
    ("binomial", ([1, -1], 0.5)),
    ("binomial", (5, np.nan)),
    ("negative_binomial", (0, 0.5)),
    ("negative_binomial", (1, 0)),
    ("geometric", (0,)),
    ("geometric", ([0, 0.5],)),
    ("hypergeometric", (1, 2, 4)),
    ("hypergeometric", (2 * 10**9, 2, 4)),
    ("hypergeometric", ([1, 2], 2, [5, 1])),
    ("logseries", (1,)),
    ("logseries", (-1,)),
    ("zipf", (1,)),
    ("zipf", ([1, 2],)),
    ("vonmises", (0, -1)),
    ("wald", (0, 1)),
    ("wald", (1, 0)),
    ("triangular", (0, 2, 1)),
    ("triangular", (2, 1, 3)),
    ("triangular", (1, 1, 1)),
    ("triangular", ([1, 1], [0, 0], 2)),
    ("uniform", (0, np.inf)),
    ("normal", (0, -1)),
    ("normal", (0, [1, -1])),
    ("noncentral_chisquare", (0, 1)),
    ("noncentral_chisquare", (1, -1)),
    ("noncentral_f", (0, 1, 1)),
    ("noncentral_f", (1, 0, 1)),
    ("f", (0, 1)),
    ("f", (1, 0)),
    ("standard_t", (0,)),
    ("power", (0,)),
    ("pareto", (0,)),
    ("weibull", (-1,)),
    ("rayleigh", (-1,)),
    ("laplace", (0, -1)),
    ("logistic", (0, -1)),
    ("gumbel", (0, -1)),
    ("lognormal", (0, -1)),
    ("chisquare", (0,)),
    ("chisquare", ([1, 0],)),
    ("normal", ("a",)),
    ("normal", (1j,)),
    ("gamma", ([1j, 2],)),
]


# Counts beyond int64.
BIG_COUNTS = [
    (name, args)
    for big in (2**70, 2**63, -(2**70))
    for name, args in (
        ("binomial", (big, 0.0)),
        ("binomial", ([1, big], 0.5)),
        ("hypergeometric", (big, 5, 1)),
        ("hypergeometric", (5, big, 1)),
        ("hypergeometric", (5, 5, big)),
        ("multinomial", (big, [0.5, 0.5])),
    )
]


@pytest.mark.parametrize("kind", ["default_rng", "RandomState"])
@pytest.mark.parametrize(("name", "args"), BIG_COUNTS, ids=str)
def test_counts_fit_64_bits(kind, name, args):
    for module in (np.random, gpunp.random):
        with pytest.raises(OverflowError):
            getattr(getattr(module, kind)(1), name)(*args)


@pytest.mark.parametrize(("name", "args"), ERRORS, ids=str)
def test_errors_are_those_of_numpy(name, args):
    with pytest.raises((ValueError, TypeError, OverflowError)) as expected:
        getattr(np.random.default_rng(1), name)(*args)
    with pytest.raises(expected.type) as actual:
        getattr(rng(), name)(*args)
    if "1j" not in str(args) and "'a'" not in str(args):
        assert str(actual.value) == str(expected.value)


def test_device_parameters_are_checked_on_the_device():
    cases = (
        ("exponential", ([1.0, -1.0],)),
        ("binomial", ([5.0, np.nan], 0.5)),
        ("poisson", ([-1.0],)),
        ("triangular", ([1.0], 0.0, 2.0)),
        ("hypergeometric", ([3.0], 4.0, 9.0)),
        ("beta", ([0.0], 1.0)),
        ("geometric", ([0.0],)),
        ("logseries", ([1.0],)),
        ("zipf", ([1.0],)),
        ("uniform", ([3.0], 1.0)),
        ("dirichlet", ([1.0, -1.0],)),
    )
    for name, args in cases:
        # The error is raised by the fetch of the values at the latest.
        with pytest.raises(ValueError, match="outside the domain"):
            draw(name, gpunp.asarray(args[0]), *args[1:])
    for weights in ([0.5, 0.6, 0.7], [-0.5, 0.5], [1.5, 0.0], [[0.5, 0.5, 0.0], [0.9, 0.2, 0.0]]):
        with pytest.raises(ValueError, match="outside the domain"):
            draw("multinomial", 10, gpunp.asarray(weights))
    # What remains for the last one is not its own probability: NumPy does not look at it either.
    assert draw("multinomial", 10, gpunp.asarray([0.1] * 10 + [0.0])).sum() == 10


@pytest.mark.parametrize("name", [n for n in (*PARAMETERS, *WITHOUT) if n not in DISCRETE])
def test_dtype_and_out(name):
    args = PARAMETERS.get(name, ())
    single = draw(name, *args, size=100, dtype="f4")
    assert single.dtype == np.float32
    for dtype in (np.float32, np.float64):
        out = gpunp.zeros((4, 25), dtype)
        assert getattr(rng(), name)(*args, out=out, dtype=dtype) is out
        assert gpunp.asnumpy(out).reshape(-1).tolist() == draw(name, *args, size=100, dtype=dtype).tolist()
    with pytest.raises(TypeError, match="Unsupported dtype"):
        draw(name, *args, size=3, dtype="i4")
    with pytest.raises(TypeError, match="wrong type"):
        draw(name, *args, out=gpunp.zeros(3, "f4"))
    with pytest.raises(TypeError, match="ndarray"):
        draw(name, *args, out=np.zeros(3))
    with pytest.raises(TypeError, match="ndarray"):
        draw(name, *args, out=[1.0])
    assert draw(name, *args, size=np.int64(3), out=gpunp.zeros(3)).shape == (3,)
    with pytest.raises(ValueError, match="contiguous"):
        draw(name, *args, out=gpunp.zeros(6)[::2])
    with pytest.raises(ValueError, match=r"size must match|compatible"):
        draw(name, *args, size=4, out=gpunp.zeros(3))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 33, 1000])
@pytest.mark.parametrize("name", ["random", "standard_normal", "integers"])
def test_prefixes_agree_and_out_may_start_anywhere(name, count):
    for dtype in ("u1", "u2", "i4", "i8") if name == "integers" else ("f4", "f8"):
        args = (0, 100) if name == "integers" else ()
        long = draw(name, *args, size=1003, dtype=dtype)
        assert draw(name, *args, size=count, dtype=dtype).tolist() == long[:count].tolist()
        if name != "integers":
            out = gpunp.zeros(count + 1, dtype)
            getattr(rng(), name)(out=out[1:], dtype=dtype)
            assert gpunp.asnumpy(out).tolist() == [0, *long[:count].tolist()]


def test_draws_follow_each_other():
    g, h = rng(), rng()
    first, second = g.random(6), g.random(4)
    both = gpunp.asnumpy(h.random(10))
    assert gpunp.asnumpy(first).tolist() + gpunp.asnumpy(second).tolist() == both.tolist()
    assert len({float(g.standard_gamma(2.0)) for _ in range(50)}) == 50


def test_the_cpu_device_gives_the_same_numbers():
    # A guarantee for GPUs; on the CPU device the comparison is trivial.
    for name, args in {**PARAMETERS, **dict.fromkeys(WITHOUT, ()), "integers": (0, 1000)}.items():
        here = gpunp.asnumpy(getattr(rng(5), name)(*args, size=20_001))
        there = gpunp.asnumpy(getattr(random.default_rng(5, "cpu"), name)(*args, size=20_001))
        assert here.tobytes() == there.tobytes(), name


# The first values of seed 12345 on every device: a change here changes the results of users.
FIXED = {
    "random": ((), ["0x1.50b96da58a180p-8", "0x1.27ccb553f2f0ep-2", "0x1.f7d2c28cf8feap-2"]),
    "standard_normal": ((), ["-0x1.9344bd3113a5fp+1", "0x1.91f2788917ca8p-1", "0x1.88fb6f10f5002p-1"]),
    "standard_exponential": ((), ["0x1.51598b28f5a41p+2", "0x1.6b2252743e1e8p-1", "0x1.50cb6aeb00ed7p+0"]),
    "standard_gamma": ((2.5,), ["0x1.f6b0fa5153e19p-1", "0x1.c08a014c5d776p+1", "0x1.3c8d25a44fc00p-1"]),
    "beta": ((0.5, 0.7), ["0x1.464650025dd92p-13", "0x1.ff969d1b70f39p-6", "0x1.825c9f45baf02p-3"]),
    "poisson": ((30,), [39, 30, 26]),
    "binomial": ((100, 0.3), [27, 36, 29]),
    "hypergeometric": ((500, 100, 300), [249, 244, 252]),
    "logseries": ((0.9,), [8, 5, 3]),
    "zipf": ((1.5,), [37880, 1, 13]),
    "vonmises": ((1, 2), ["0x1.fa333d53fb89dp-1", "0x1.3139eb9583290p+0", "0x1.47fdfb42c20a4p+1"]),
    "integers": ((0, 1000), [5, 288, 492]),
    "permutation": ((8,), [1, 4, 3, 5, 0, 6, 7, 2]),
}
FIXED_SINGLE = {
    "random": ["0x1.4b143cp-1", "0x1.50b9p-8", "0x1.f9787ap-1", "0x1.27ccb4p-2"],
    "standard_normal": ["0x1.ddd7ecp-1", "0x1.edcfaep-6", "-0x1.3e634cp-3", "0x1.3d583cp-5"],
}


@pytest.mark.parametrize("name", FIXED)
def test_seeds_give_the_same_numbers_for_ever(name):
    args, expected = FIXED[name]
    options = {} if name == "permutation" else {"size": 3}
    values = draw(name, *args, seed=12345, **options).tolist()
    assert values == [float.fromhex(x) if isinstance(x, str) else x for x in expected]
    if name in FIXED_SINGLE:
        values = draw(name, size=4, dtype="f4", seed=12345).tolist()
        assert values == [float.fromhex(x) for x in FIXED_SINGLE[name]]


def test_generators_are_made_from_many_things():
    bits = random.XORWOW(3)
    g = random.default_rng(bits)
    assert g.bit_generator is bits
    assert random.default_rng(g) is g
    assert random.default_rng(random.RandomState(bits)).bit_generator is bits
    same = [random.default_rng(seed) for seed in (7, np.random.SeedSequence(7), np.int64(7))]
    assert len({float(x.random()) for x in same}) == 1
    assert float(random.default_rng().random()) != float(random.default_rng().random())
    for wrong, error in ((-1, ValueError), ("a", TypeError), (1.5, TypeError)):
        with pytest.raises(error):
            random.default_rng(wrong)


def test_device(device):
    assert rng().device is device
    cpu = random.default_rng(1, "cpu")
    assert cpu.device == "cpu"
    assert cpu.random(3).device == "cpu"
    assert cpu.spawn(1)[0].device == "cpu"
    assert random.default_rng(cpu, device) is not cpu
    assert cpu.permutation(5).device == "cpu"
    assert cpu.gamma([1.0, 2.0]).device == "cpu"


def test_pickle_and_spawn():
    g = rng()
    g.random(5)
    other = pickle.loads(pickle.dumps(g))
    assert gpunp.asnumpy(other.random(5)).tolist() == gpunp.asnumpy(g.random(5)).tolist()
    children = rng().spawn(2)
    assert [type(child) for child in children] == [random.Generator] * 2
    assert gpunp.asnumpy(children[0].random(3)).tolist() != gpunp.asnumpy(children[1].random(3)).tolist()
    assert "Generator(Philox4x32)" in repr(g)
