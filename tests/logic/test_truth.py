import numpy as np
from records import ALL, SHAPES, Record, record_test

RECORDS = tuple(
    Record(name, call, dtypes=ALL, shapes=SHAPES)
    for name in ("all", "any")
    for call in (
        lambda f, a: f(a),
        lambda f, a: f(a, axis=-1, keepdims=True),
        lambda f, a: f(a, axis=0),
        lambda f, a: f(a * 0),
        lambda f, a: f(a, axis=tuple(range(a.ndim))[::2]),
    )
) + tuple(
    Record(name, lambda f, a, b: f(a, where=b > 0), dtypes="?ild", arrays=2, shapes=SHAPES)
    for name in ("all", "any")
)
test_records = record_test(RECORDS)


def test_nan_is_true(rng):
    import gpunp

    a = gpunp.asarray(np.array([[0.0, np.nan], [0.0, 0.0]]))
    assert gpunp.asnumpy(np.any(a, axis=1)).tolist() == [True, False]
    assert gpunp.asnumpy(np.all(a, axis=0)).tolist() == [False, False]
