from calls import call_test
from records import ALL, SHAPES, Record, record_test

RECORDS = (
    *(
        Record(name, dtypes=ALL, shapes=SHAPES)
        for name in ("iscomplexobj", "isrealobj", "iscomplex", "isreal")
    ),
    *(Record(name, dtypes=ALL, shapes=((), (33, 65))) for name in ("isposinf", "isneginf")),
    *(
        Record(name, lambda f, a: f(a, out=(a > 0)), dtypes="fd", shapes=((33, 65),))
        for name in ("isposinf", "isneginf")
    ),
)
test_records = record_test(RECORDS)

test_memory_order = call_test(
    """
    np.iscomplex(A([[1, 2], [3, 4]]).T).flags.f_contiguous
    np.iscomplex(A([[1j, 2], [3, 4]]).T).flags.f_contiguous
    np.isreal(A([[1, 2], [3, 4]]).T).flags.f_contiguous
    """
)
