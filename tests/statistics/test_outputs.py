"""Means, deviations and variances with ``out=`` of another dtype."""

from calls import call_test

test_calls = call_test(
    """
    xp.mean(A([[-2.5, 1, 7, -3.25]], "f"), out=A(0.0, "d"))
    xp.mean(A([[-2.5, 1, 7, -3.25]], "e"), out=A(0.0, "f"))
    xp.mean(A([[-2.5, 1, 7, -3.25]], "d"), out=A(0.0, "f"))
    xp.mean(A([[-2.5, 1, 7, -3.25]], "f"), out=A(0.0, "D"))
    xp.mean(A([[-2.5, 1, 7, -3.25]], "F"), out=A(0.0, "D"))
    xp.mean(A([[-2.5, 1, 7, -3.25]], "d"), out=A(0, "i"))
    xp.nanmean(A([1, -3.25, 1], "f"), out=A(0.0, "d"))
    xp.std(A([[1, 4, 0.5]], "d"), out=A(0, "i"))
    xp.std(A([[1, 4, 0.5]], "d"), out=A(0, "?"))
    xp.std(A([[1, 4, 5]], "i"), out=A(0, "l"))
    xp.std(A([[1, 4, 0.5]], "d"), out=A(0.0, "e"))
    xp.std(A([[1 + 1j, 4 + 1.5j, 0.5j]], "D"), out=A(0.0, "f"))
    xp.var(A([[1 + 1j, 4 + 1.5j, 0.5j]], "D"), out=A(0, "i"))
    xp.nanstd(A([1, 3, 1], "l"), out=A(0, "l"))
    xp.std(A([1.0, 3, 1]), dtype=int)
    xp.std(A([[1.0, 3, 1]]), axis=0, dtype=int)
    xp.std(A([[1.0, 3, 1]]), axis=1, dtype="?", keepdims=True)
    xp.nanstd(A([[1, 3, 1]]), axis=1, dtype=int)
    xp.ptp(A([3]), out=A([[[1, 2, 3]]]))
    xp.ptp(A([3, 5]), out=A(1.0))
""",
    exact=False,
)
