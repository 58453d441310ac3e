import inspect
import pickle

import numpy as np
import pytest

import gpunp
from gpunp import random

METHODS = [
    name
    for name in dir(np.random.RandomState)
    if not name.startswith("_") and callable(getattr(np.random.RandomState, name))
]
# The methods have these parameters besides NumPy's.
EXTRA = {"dtype", "method", "out"}
# Arguments of the methods that take a dtype, after which size and dtype follow.
FLOATS = {
    "beta": (2.0, 3.0),
    "chisquare": (3.0,),
    "dirichlet": ([1.0, 2.0],),
    "exponential": (20.0,),
    "f": (3.0, 9.0),
    "gamma": (20.0, 2.0),
    "gumbel": (1.0, 9.0),
    "laplace": (1.0, 9.0),
    "logistic": (1.0, 9.0),
    "lognormal": (1.0, 0.5),
    "noncentral_chisquare": (3.0, 9.0),
    "noncentral_f": (3.0, 9.0, 2.0),
    "normal": (1.0, 9.0),
    "pareto": (3.0,),
    "power": (3.0,),
    "random": (),
    "random_sample": (),
    "rayleigh": (9.0,),
    "standard_cauchy": (),
    "standard_exponential": (),
    "standard_gamma": (9.0,),
    "standard_normal": (),
    "standard_t": (3.0,),
    "triangular": (-9.0, 1.0, 20.0),
    "uniform": (-9.0, 20.0),
    "vonmises": (0.5, 3.0),
    "wald": (3.0, 9.0),
    "weibull": (3.0,),
}
COUNTS = {
    "binomial": (9, 0.3),
    "geometric": (0.3,),
    "hypergeometric": (9, 7, 5),
    "logseries": (0.6,),
    "negative_binomial": (9, 0.3),
    "poisson": (9.0,),
    "zipf": (3.0,),
}


@pytest.mark.parametrize("name", METHODS)
def test_signatures_begin_with_those_of_numpy(name):
    expected = list(inspect.signature(getattr(np.random.RandomState, name)).parameters.values())
    actual = list(inspect.signature(getattr(random.RandomState, name)).parameters.values())
    if name != "random":
        assert [str(p) for p in actual[: len(expected)]] == [str(p) for p in expected]
        assert {p.name for p in actual[len(expected) :]} <= EXTRA


def test_the_module_has_the_functions_of_numpy():
    other = {"Generator", "RandomState", "BitGenerator", "SeedSequence", "default_rng"}
    bits = {"MT19937", "PCG64", "PCG64DXSM", "SFC64", "Philox"}
    assert set(np.random.__all__) - other - bits <= set(random.__all__)
    assert all(hasattr(random, name) for name in random.__all__)


def test_seed_and_state():
    random.seed(3)
    first = gpunp.asnumpy(random.rand(4)).tolist()
    state, dictionary = random.get_state(), random.get_state(legacy=False)
    second = gpunp.asnumpy(random.normal(size=4)).tolist()
    random.seed(3)
    assert gpunp.asnumpy(random.random_sample(4)).tolist() == first
    for saved in (state, dictionary):
        random.set_state(saved)
        assert gpunp.asnumpy(random.normal(size=4)).tolist() == second
    assert state[0] == dictionary["bit_generator"] == "Philox4x32"
    assert gpunp.asnumpy(random.RandomState(3).rand(4)).tolist() == first
    for wrong in (-1, 2**32):
        with pytest.raises(ValueError, match="between 0 and"):
            random.seed(wrong)
    with pytest.raises(ValueError, match="parts"):
        random.set_state(("Philox4x32", 1))


def test_samples_are_not_empty():
    state, modern = random.RandomState(1), gpunp.random.default_rng(1)
    assert modern.hypergeometric(3, 3, 0).item() == 0
    for nsample in (0, -1, [0, 1]):
        with pytest.raises(ValueError, match="nsample < 1") as expected:
            np.random.RandomState(1).hypergeometric(3, 3, nsample)
        for draw in (state.hypergeometric, random.hypergeometric):
            with pytest.raises(ValueError, match="nsample") as actual:
                draw(3, 3, nsample)
            assert str(actual.value) == str(expected.value)
    assert 0 <= state.hypergeometric(3, 3, 1).item() <= 1


def test_parameters_of_dirichlet_are_positive():
    assert gpunp.random.default_rng(1).dirichlet([0, 1]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="alpha <= 0"):
        np.random.RandomState(1).dirichlet([0, 1])
    with pytest.raises(ValueError, match="alpha <= 0"):
        random.RandomState(1).dirichlet([0, 1])
    with pytest.raises(ValueError, match="outside the domain"):
        random.RandomState(1).dirichlet(gpunp.asarray([0.0, 1.0])).get()
    assert random.RandomState(1).dirichlet([1, 2], 3).shape == (3, 2)


@pytest.mark.parametrize("bounds", [(2, 1), ([2.0, -3.0], [1.0, 4.0]), (5, [4.0, 6.0])], ids=str)
def test_bounds_of_uniform_in_any_order(bounds):
    least, greatest = np.minimum(*bounds), np.maximum(*bounds)
    state = random.RandomState(1)
    for draw, convert in (
        (np.random.RandomState(1).uniform, np.asarray),
        (state.uniform, np.asarray),
        (state.uniform, gpunp.asarray),
        (random.uniform, gpunp.asarray),
    ):
        drawn = np.asarray(draw(*map(convert, bounds), size=(50, 2)).tolist())
        assert ((least <= drawn) & (drawn <= greatest)).all()
    with pytest.raises(ValueError, match="high - low < 0"):
        gpunp.random.default_rng(1).uniform(*bounds)
    with pytest.raises(OverflowError, match="range exceeds"):
        random.uniform(np.inf, 1)
    with pytest.raises(ValueError, match="outside the domain"):
        random.uniform(gpunp.asarray([np.inf]), 1).get()


def test_shapes_and_dtypes():
    state = random.RandomState(1)
    assert state.rand().shape == state.randn().shape == ()
    assert state.rand(2, 3).shape == state.randn(2, 3).shape == (2, 3)
    assert random.ranf(3).shape == random.sample(3).shape == random.random(3).shape == (3,)
    assert state.randint(5, size=4).dtype == np.int64
    assert state.randint(0, 5, 4, "u1").dtype == np.uint8
    with pytest.deprecated_call():
        assert set(gpunp.asnumpy(state.random_integers(3, size=100)).tolist()) == {1, 2, 3}
    assert gpunp.asnumpy(state.tomaxint(1000)).max() > 2**62
    assert state.choice([1, 2, 3], 2, False, [0.2, 0.3, 0.5]).shape == (2,)
    assert sorted(gpunp.asnumpy(state.permutation(5)).tolist()) == list(range(5))
    assert state.multivariate_normal([0, 0], np.eye(2), 3).shape == (3, 2)
    assert state.standard_gamma(2.0, 3).shape == state.standard_exponential(3).shape == (3,)
    a = gpunp.arange(10)
    state.shuffle(a)
    assert sorted(gpunp.asnumpy(a).tolist()) == list(range(10))
    assert "RandomState(Philox4x32)" in repr(state)


def test_errors_are_those_of_numpy():
    for name, args in (
        ("randint", (5, 1)),
        ("randint", (5, None, None, "f4")),
        ("choice", ([[1, 2]],)),
        ("normal", (0, -1)),
        ("rand", (2, -1)),
    ):
        with pytest.raises((ValueError, TypeError)) as expected:
            getattr(np.random.RandomState(1), name)(*args)
        with pytest.raises(expected.type) as actual:
            getattr(random.RandomState(1), name)(*args)
        assert str(actual.value) == str(expected.value)


def test_sizes_in_arrays():
    for size in (np.asarray([2, 3]), gpunp.asarray([2, 3])):
        assert gpunp.random.random_sample(size).shape == gpunp.random.normal(0, 1, size).shape == (2, 3)
        assert gpunp.random.randint(5, size=size).shape == gpunp.random.choice(5, size).shape == (2, 3)


def test_seeds_and_bounds_on_the_device():
    seeds = gpunp.asarray([7, 8])
    first = gpunp.random.RandomState(seeds[0]).random_sample(3).tolist()
    assert first == gpunp.random.RandomState(7).random_sample(3).tolist()
    both = gpunp.random.RandomState(seeds).random_sample(3).tolist()
    assert both == gpunp.random.RandomState([7, 8]).random_sample(3).tolist()
    # NumPy takes arrays with one axis longer than one for one-dimensional.
    for same in (seeds[None], np.array([[[7], [8]]])):
        np.random.RandomState(gpunp.asnumpy(same))
        assert both == gpunp.random.RandomState(same).random_sample(3).tolist()
    gpunp.random.seed(seeds[1])
    assert 2 <= int(gpunp.random.RandomState(1).randint(gpunp.asarray(2), 5)) < 5


INVALID_SEEDS = [
    -1,
    2**32,
    2**64,
    [2**32],
    [1, -2],
    [],
    np.zeros(0, int),
    [[1, 2], [3, 4]],
    np.array([[1, 2], [3, 4]]),
    [[1, 2]],
    1.5,
    [1.5],
    "abc",
]


@pytest.mark.parametrize("seed", INVALID_SEEDS, ids=repr)
def test_invalid_seeds(seed):
    with pytest.raises((ValueError, TypeError)) as expected:
        np.random.RandomState(seed)
    with pytest.raises(expected.type) as actual:
        random.RandomState(seed)
    assert str(actual.value) == str(expected.value)


def test_classes_are_no_bit_generators():
    for kind in (random.Generator, random.RandomState):
        with pytest.raises(ValueError, match="must be instantiated"):
            kind(random.Philox4x32)


def test_multinomial_has_one_row_of_probabilities():
    state = random.RandomState(1)
    assert state.multinomial(10, []).shape == (0,)
    assert state.multinomial(10, [], (2, 3)).shape == (2, 3, 0)
    assert state.multinomial(10, [0.5, 0.5], 4).sum(axis=1).tolist() == [10] * 4
    for args, error in (
        ((10, 0.3), TypeError),
        ((10, [[0.5, 0.5]]), ValueError),
        (([1, 2], [1.0]), TypeError),
    ):
        with pytest.raises(error):
            np.random.RandomState(1).multinomial(*args)
        with pytest.raises(error):
            state.multinomial(*args)


def test_random_integers_is_deprecated():
    with pytest.deprecated_call():
        random.random_integers(5)


@pytest.mark.parametrize("char", "efdihl")
@pytest.mark.parametrize("name", [*FLOATS, *COUNTS])
def test_dtypes_follow_the_size(name, char, device):
    args = FLOATS.get(name, COUNTS.get(name))
    state = random.RandomState(5)
    values = getattr(state, name)(*args, 1000, char)
    assert values.dtype == char
    plain = getattr(random.RandomState(5), name)(*args, 1000)
    assert plain.dtype == (float if name in FLOATS else int)
    assert values.shape == plain.shape
    if char == "f" and name in FLOATS:
        # Other bits of the generator are used.
        assert 0.5 < np.median(abs(values)) / np.median(abs(plain)) < 2
    else:
        np.testing.assert_array_equal(values, plain.astype(char))
    assert getattr(random, name)(*args, dtype=char).dtype == char
    with pytest.raises(TypeError, match=r"Unsupported dtype|no timedelta"):
        getattr(state, name)(*args, 3, "m8[s]")


def test_dtypes_of_shapes(device):
    assert random.rand(2, 3, dtype="f").dtype == random.randn(2, 3, dtype="f").dtype == np.float32
    values = random.RandomState(1).multivariate_normal([0, 1], np.eye(2), 5, method="cholesky", dtype="f")
    assert (values.dtype, values.shape) == (np.float32, (5, 2))
    into = gpunp.empty(3, np.float32)
    assert random.RandomState(1).normal(size=3, dtype=np.float32, out=into) is into


def test_the_state_of_the_module():
    before = random.get_random_state()
    state = random.RandomState(7)
    try:
        random.set_random_state(state)
        assert random.get_random_state() is state
        first = random.rand(3).tolist()
        second = state.rand(3).tolist()
        expected = random.RandomState(7)
        assert [first, second] == [expected.rand(3).tolist(), expected.rand(3).tolist()]
        for seeded, other in ((random, state), (state, random)):
            seeded.seed(4)
            expected.seed(4)
            assert other.rand(3).tolist() == expected.rand(3).tolist()
    finally:
        random.set_random_state(before)
    assert random.get_random_state() is before
    state.seed(7)
    assert random.get_random_state().bit_generator is not state.bit_generator
    with pytest.raises(TypeError, match=r"must be a gpunp\.random\.RandomState"):
        random.set_random_state(np.random.RandomState(1))


def test_generators_by_number():
    for method, expected in ((100, "Philox4x32"), (101, "XORWOW"), (121, "MRG32k3a"), (161, "Philox4x3210")):
        state = random.RandomState(3, method)
        assert isinstance(state.bit_generator, getattr(random, expected))
        state.seed(3)
        assert isinstance(pickle.loads(pickle.dumps(state)).bit_generator, getattr(random, expected))
    with pytest.raises(ValueError, match="method must be one of"):
        random.RandomState(3, method=142)
