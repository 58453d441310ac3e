import numpy as np
import pytest
from calls import call_test
from records import ALL, Record, record_test

import gpunp

CHARS = ALL.replace("e", "")
VECTORS = (None, 2, 1, 0, 3, -1, 0.5, np.inf, -np.inf)
MATRICES = (None, "fro", 1, -1, np.inf, -np.inf, 2, -2, "nuc")
LAYOUTS = ("C", "transposed", "negative")
RECORDS = (
    Record("linalg.norm", dtypes=CHARS, shapes=((1,), (7,), (0,), (3, 4), (2, 3, 4), (33, 65)), exact=False),
    *(
        Record(
            "linalg.norm",
            lambda f, a, n=n: f(a + 10, n, axis=-1),
            dtypes="ilfdFD",
            shapes=((5,), (3, 4), (33, 65)),
            layouts=LAYOUTS,
            exact=False,
        )
        for n in VECTORS
    ),
    *(
        Record(
            "linalg.norm",
            lambda f, a, n=n: f(a, n, axis=(0, 1), keepdims=True),
            dtypes="ldD",
            shapes=((3, 4), (2, 3, 4)),
            layouts=LAYOUTS,
            exact=False,
        )
        for n in MATRICES
    ),
    Record("linalg.norm", lambda f, a: f(a, "fro", axis=(-1, 0)), shapes=((2, 3, 4),), exact=False),
    Record("linalg.norm", lambda f, a: f(a, 5, axis=(0, 1)), shapes=((3, 4),), raises=True),
    Record("linalg.norm", lambda f, a: f(a, "fro", axis=0), shapes=((3, 4),), raises=True),
    Record("linalg.norm", lambda f, a: f(a, 1), shapes=((2, 3, 4),), raises=True),
    Record("linalg.norm", lambda f, a: f(a, axis=(0, 0)), shapes=((3, 4),), raises=True),
    Record("linalg.vector_norm", dtypes="lfdFD", shapes=((5,), (3, 4), (2, 3, 4)), exact=False),
    *(
        Record(
            "linalg.vector_norm",
            lambda f, a, n=n: f(a, axis=(0, 2), ord=n, keepdims=True),
            dtypes="ldD",
            shapes=((2, 3, 4),),
            layouts=LAYOUTS,
            exact=False,
        )
        for n in (2, 1, np.inf, 0)
    ),
    *(
        Record(
            "linalg.matrix_norm",
            lambda f, a, n=n: f(a, ord=n),
            dtypes="ldD",
            shapes=((3, 4), (2, 3, 4)),
            layouts=LAYOUTS,
            exact=False,
        )
        for n in MATRICES[1:]
    ),
)
test_records = record_test(RECORDS)


def test_float32_squares_do_not_overflow():
    assert float(np.linalg.norm(gpunp.full(4, 1e30, "f4"))) == pytest.approx(2e30, rel=1e-6)


test_calls = call_test(
    """
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=[0])
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=[0, 1])
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=np.array([0, 1]))
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=np.array(1))
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=1.5)
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis='a')
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=2.0)
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=(True, 0))
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=(0.0, 1))
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=(0, 0))
    xp.linalg.vector_norm(A([[1., 2], [3, 4]]), axis=(0, 2))
    xp.linalg.norm(A([[1., 2], [3, 4]]), axis=[0])
    xp.linalg.norm(A([[1., 2], [3, 4]]), axis=1.5)
    xp.linalg.norm(A([[1., 2], [3, 4]]), axis=(0.0, 1))
    xp.linalg.norm(A([[1., 2], [3, 4]]), axis=(0, 0))
    xp.linalg.norm(A([[1., 2], [3, 4]]), axis=())
    xp.linalg.matrix_norm(A([1., 2]))
    xp.linalg.matrix_norm(A([[1., 2], [3, 4]]), ord=3)
    """,
    exact=False,
)
