import numpy as np
import pytest
from records import ALL, INEXACT, SHAPES, Record, outcome, record_test

import gpunp

NAMES = ("max", "min", "amax", "amin", "nanmax", "nanmin")
FULL = ((), (1,), (7,), (3, 4), (2, 3, 4), (33, 65))
RECORDS = (
    *(Record(name, dtypes=ALL, shapes=FULL, exact=False) for name in NAMES),
    *(Record(name, lambda f, a: f(a, axis=0), dtypes=ALL, shapes=FULL, exact=False) for name in NAMES),
    *(
        Record(name, lambda f, a: f(a, axis=-1, keepdims=True), dtypes=ALL, shapes=FULL, exact=False)
        for name in NAMES
    ),
    *(Record(name, lambda f, a: f(a, initial=3), dtypes=ALL, shapes=SHAPES, exact=False) for name in NAMES),
    *(
        Record(name, lambda f, a, b: f(a, initial=0, where=b > 0), dtypes="ild", arrays=2, exact=False)
        for name in NAMES
    ),
    *(Record(name, shapes=((0,), (4, 0, 2)), raises=True) for name in NAMES),
    Record("ptp", dtypes=ALL.replace("?", ""), shapes=FULL, exact=False),
    Record("ptp", lambda f, a: f(a, axis=0, keepdims=True), dtypes="ilfdD", shapes=FULL, exact=False),
    Record("ptp", dtypes="?", raises=True),
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("char", INEXACT)
@pytest.mark.parametrize("name", ["max", "min", "nanmax", "nanmin"])
def test_one_nan_anywhere(name, char):
    function = getattr(np, name)
    for place in (0, 1, 255, 256, 4999):
        host = np.linspace(-3, 3, 5000).astype(char)
        host[place] = np.nan
        ours = gpunp.asnumpy(function(gpunp.asarray(host)))
        np.testing.assert_array_equal(ours, function(host))


def test_masked_without_identity():
    with pytest.raises(ValueError, match="where mask one has to specify 'initial'"):
        np.max(gpunp.ones(3), where=gpunp.asarray([True, False, True]))
    with pytest.raises(
        ValueError, match="zero-size array to reduction operation maximum which has no identity"
    ):
        np.max(gpunp.ones((0, 3)), axis=0)
    assert np.max(gpunp.ones((0, 3)), axis=1).shape == (0,)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
def test_where_nothing_is_a_number_the_first_element_stays(name, char):
    nan = np.nan
    host = np.array(
        [[complex(1, nan), complex(nan, 2)], [complex(nan, 3), 4 + 1j], [complex(2, nan), nan]], char
    )
    for a in (host, host[:1], host[2:], host[:, :1], np.array(complex(nan, 1), char)):
        for axis in (None, 0, -1, (0, 1)) if a.ndim else (None,):
            for keepdims in (False, True):
                expected, error = outcome(lambda: getattr(np, name)(a, axis=axis, keepdims=keepdims))  # noqa: B023
                assert error is None
                actual = getattr(np, name)(gpunp.asarray(a), axis=axis, keepdims=keepdims).get()
                np.testing.assert_array_equal(actual.real, expected.real)
                np.testing.assert_array_equal(actual.imag, expected.imag)
