from records import ALL, Record, record_test

VECTORS = ((5,), (0,), (1,), (300,))
LINES = ("C", "negative", "steps", "offset")

RECORDS = (
    Record("vander", dtypes=ALL, shapes=VECTORS[:3], layouts=LINES, exact=False),
    Record("vander", lambda f, a: f(a, 4), dtypes=ALL, shapes=VECTORS, layouts=LINES, exact=False),
    Record("vander", lambda f, a: f(a, 3, True), dtypes=ALL, shapes=VECTORS, layouts=LINES, exact=False),
    Record(
        "vander",
        lambda f, a: f(a, increasing=True),
        dtypes="bld",
        shapes=VECTORS[:3],
        layouts=LINES,
        exact=False,
    ),
    *(
        Record("vander", lambda f, a, n=n: f(a, n), dtypes="bldD", shapes=VECTORS, layouts=LINES, exact=False)
        for n in (0, 1, 2)
    ),
    Record("vander", lambda f, a: f(a, 2.5), dtypes="ld", shapes=VECTORS, layouts=LINES, raises=True),
    Record("vander", dtypes="ld", shapes=((), (2, 3)), layouts=("C",), raises=True),
)
test_records = record_test(RECORDS)
