from calls import call_test
from records import Record, record_test

RECORDS = (
    Record("split", lambda f, a: f(a, 1)),
    Record("split", lambda f, a: f(a, 2)),
    Record("split", lambda f, a: f(a, [1, 3], axis=-1)),
    Record("array_split", lambda f, a: f(a, 3)),
    Record("array_split", lambda f, a: f(a, 0), raises=True),
    Record("array_split", lambda f, a: f(a, [2, 1, 9])),
    Record("hsplit", lambda f, a: f(a, [2])),
    Record("vsplit", lambda f, a: f(a, [1])),
    Record("dsplit", lambda f, a: f(a, [1, 2])),
    Record("unstack"),
    Record("unstack", lambda f, a: f(a, axis=1)),
)
test_records = record_test(RECORDS)

# A number of parts that is an array without dimensions is checked like any other.
test_numbers_of_parts = call_test(
    """
    xp.split(A([1, 2, 4]), A(3))
    xp.split(A([1, 2, 4]), A(2))
    xp.split(A([1, 2, 4]), A([2])[0])
    xp.split(A([1, 2, 4]), np.array(2))
    xp.hsplit(A([1, 2, 4]), A(2))
    xp.dsplit(A(np.zeros((2, 2, 3))), A(2))
    xp.array_split(A([1, 2, 4]), A(2))
    """
)
