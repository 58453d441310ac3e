import numpy as np
import pytest
from calls import call_test
from records import Record, assert_same, record_test

import gpunp

COVERS = ("fft.fftfreq", "fft.rfftfreq")
SHAPES = ((5,), (0,), (3, 4), (2, 3, 4))
RECORDS = tuple(
    record
    for name in ("fft.fftshift", "fft.ifftshift")
    for record in (
        Record(name, dtypes="?bfD", shapes=SHAPES),
        Record(name, lambda f, a: f(a, -1), shapes=SHAPES),
        Record(name, lambda f, a: f(a, axes=np.int64(0)), dtypes="d", shapes=SHAPES),
        Record(name, lambda f, a: f(a, axes=(0, 1)), shapes=((3, 4), (2, 3, 4))),
        Record(name, lambda f, a: f(a, axes=[1]), dtypes="d", shapes=((3, 4),)),
        Record(name, lambda f, a: f(a, 9), dtypes="d", shapes=SHAPES, raises=True),
    )
)
test_records = record_test(RECORDS)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 33])
@pytest.mark.parametrize("d", [1.0, 0.1, 3])
def test_frequencies(n, d, device):
    for name in ("fftfreq", "rfftfreq"):
        function, reference = getattr(gpunp.fft, name), getattr(np.fft, name)
        assert_same(function(n, d), reference(n, d))
        assert function(n).device is device
        assert function(n, device="cpu").device.is_cpu
        assert_same(function(np.int16(n), d=d), reference(n, d=d))
        with pytest.raises(ValueError, match="integer"):
            function(2.5)
        with pytest.raises(ZeroDivisionError):
            function(0)


test_calls = call_test(
    """
    xp.fft.fftfreq(True)
    xp.fft.rfftfreq(True)
    xp.fft.fftfreq(np.array(3))
    xp.fft.rfftfreq(3.0)
    xp.fft.fftfreq(np.uint8(4))
    """,
    own=True,
)
