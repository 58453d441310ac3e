import importlib

import numpy as np
import pytest
from calls import call_test
from matrices import matrix
from records import ALL, CANCELLING, Record, assert_same, outcome, record_test

import gpunp

CHARS = ALL.replace("e", "")
PLAIN = ("C", "transposed", "negative")


def one(subscripts, dtypes=CHARS, shapes=((3, 3),), layouts=PLAIN, **kwargs):
    return Record(
        "einsum",
        lambda f, a: f(subscripts, a, **kwargs),
        dtypes,
        shapes,
        layouts,
        exact=False,
        absolute=CANCELLING,
    )


def two(subscripts, dtypes="?lfD", shapes=((3, 3),), layouts=PLAIN, **kwargs):
    return Record(
        "einsum",
        lambda f, a, b: f(subscripts, a, b, **kwargs),
        dtypes,
        shapes,
        layouts,
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    )


RECORDS = (
    one("ij->ji"),
    one("ii->i"),
    one("ii"),
    one("ij->", shapes=((3, 4),)),
    one("ij->j", shapes=((3, 4),)),
    one("ba", "ld"),
    one("...ij->...ji", "ld", ((2, 3, 4), (3, 4), (5, 2, 3, 4))),
    one("i...->...", "ld", ((2, 3, 4), (3,))),
    one("i...i->...", "ld", ((3, 2, 3), (3, 3))),
    one("...", "ld", ((), (3,), (2, 3))),
    one("", "ld", ((),)),
    one("->", "ld", ((),)),
    one("ij->ij", "ld", order="F"),
    one("ij->ij", "ld", order="A"),
    one("ij->i", "ild", dtype="D", casting="safe"),
    one("ij->ji", "ild", dtype="f", casting="unsafe"),
    one("  i j -> j i ", "l"),
    two("ij,jk"),
    two("ij,jk->ik", shapes=((3, 3), (0, 0))),
    two("ij,jk->ki"),
    two("ij,kj->ik"),
    two("ij,kj->ki"),
    two("ij,ij->ij"),
    two("ij,ij->"),
    two("ij,ij"),
    two("ij,ji->j"),
    two("ij,kl->ijkl"),
    two("ij,kl->likj"),
    two("ij,kl->jl"),
    two("ij,kl->"),
    two("ii,jj->ij"),
    two("ii,ij->j"),
    two("i,i", shapes=((5,), (1,), (0,))),
    two("i,j", shapes=((5,),)),
    two("bij,bjk->bik", shapes=((3, 3, 3),)),
    two("bij,bjk->ikb", shapes=((3, 3, 3),)),
    two("ibj,jbk->bik", shapes=((3, 3, 3),)),
    two("bij,bjk->ik", shapes=((3, 3, 3),)),
    two("bij,bij->b", shapes=((3, 4, 5),)),
    two("abc,acd->adb", shapes=((3, 3, 3),)),
    two("ijk,jkl->il", shapes=((3, 3, 3),)),
    two("ijk,kjl->il", shapes=((3, 3, 3),)),
    two("...ij,...jk->...ik", shapes=((3, 3), (2, 3, 3), (2, 1, 3, 3))),
    two("...ij,...jk", shapes=((2, 3, 3),)),
    two("...,...", shapes=((), (4,), (2, 3))),
    two("i...,i...->...", shapes=((2, 3),)),
    two("ij,jk->ik", "e", ((4, 4),), ("C",)),
    Record("einsum", lambda f, a: f(a, [0, 1]), "l", ((3, 4),)),
    Record("einsum", lambda f, a: f(a, [1, 0]), "l", ((3, 4),)),
    Record("einsum", lambda f, a: f(a, [27, 0]), "l", ((3, 4),)),
    Record("einsum", lambda f, a: f(a, [0, 0]), "l", ((3, 3),)),
    Record(
        "einsum",
        lambda f, a, b: f(a, [0, 1], b, [2, 1], [2, 0]),
        "ld",
        ((3, 3),),
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    Record(
        "einsum",
        lambda f, a, b: f(a, [..., 1], b, [1, ...], [...]),
        "ld",
        ((3, 3),),
        arrays=2,
        exact=False,
        absolute=CANCELLING,
    ),
    *(
        Record(
            "einsum",
            lambda f, a, b, o=o: f("ij,jk,kl->il", a, b, a, optimize=o),
            "lfD",
            ((3, 3),),
            ("C",),
            2,
            False,
        )
        for o in (
            False,
            True,
            "greedy",
            "optimal",
            ("greedy", 20),
            ["einsum_path", (1, 2), (0, 1)],
            ["einsum_path", (0, 1, 2)],
        )
    ),
    Record(
        "einsum",
        lambda f, a, b: f("ij,jk,i,k,lm->lm", a, b, a[0], b[0], a),
        "ld",
        ((3, 3),),
        ("C",),
        2,
        False,
    ),
    Record(
        "einsum",
        lambda f, a, b: f("ea,fb,abcd,gc,hd->efgh", a, b, (a[:, :, None, None] * b), a, b),
        "ld",
        ((3, 3),),
        ("C",),
        2,
        False,
    ),
    Record("einsum", lambda f, a, b: f("ij,jk", a, b.astype("f")), "?bilfD", ((3, 3),), ("C",), 2, False),
    Record("einsum", lambda f, a, b: f("ij,jk", a[:1], b[:, :1]), "ld", ((3, 3),), ("C",), 2, False),
    # Axes of length one are broadcast.
    Record("einsum", lambda f, a, b: f("ij,ij->ij", a[:1], b), "ld", ((3, 3),), ("C",), 2, False),
    Record("einsum", lambda f, a, b: f("ij,jk->ik", a[:, :1], b), "ld", ((3, 3),), ("C",), 2, False),
    Record(
        "einsum",
        lambda f, a, b: f("...ij,...jk->...ik", a[None, :1], b[:, None]),
        "ld",
        ((3, 1, 3),),
        ("C",),
        2,
        False,
    ),
    *(
        Record("einsum", lambda f, a, s=s: f(s, a), "d", ((2, 3),), ("C",), raises=True)
        for s in ("i", "ijk", "ii", "ij->k", "ij->ii", "i1", "i.j", "ij,jk", "i...->i", "ij->i>j", "ij-i", 3)
    ),
    Record("einsum", lambda f, a: f("ij,kj", a, a.T), "d", ((2, 3),), ("C",), raises=True),
    Record("einsum", lambda f, a: f("ij,ij", a, a, dtype="f"), "d", ((2, 3),), ("C",), raises=True),
    Record("einsum", lambda f, a: f("ij->i", a, other=1), "d", ((2, 3),), ("C",), raises=True),
    Record("einsum", lambda f, a: f(a, [0, 60]), "d", ((2, 3),), ("C",), raises=True),
    Record("einsum", lambda f, a: f(a, ["a", "b"]), "d", ((2, 3),), ("C",), raises=True),
)
test_records = record_test(RECORDS)


def test_views_can_be_written():
    a = gpunp.zeros((3, 3))
    diagonal = np.einsum("ii->i", a)
    diagonal[...] = 1
    np.testing.assert_array_equal(gpunp.asnumpy(a), np.eye(3))


@pytest.mark.parametrize("char", "dD")
def test_out(char):
    a, b = matrix(char, 4, 5), matrix(char, 5, 6, seed=1)
    out = gpunp.zeros((6, 4), "D")
    found = np.einsum("ij,jk->ki", gpunp.asarray(a), gpunp.asarray(b), out=out)
    assert found is out
    np.testing.assert_allclose(gpunp.asnumpy(out), (a @ b).T, rtol=1e-12, atol=1e-12)
    with pytest.raises(TypeError, match="cast"):
        np.einsum("ij->i", gpunp.asarray(a), out=gpunp.zeros(4, "f"))
    with pytest.raises(ValueError, match="shape"):
        np.einsum("ij->i", gpunp.asarray(a), out=gpunp.zeros(5, char))
    with pytest.raises(TypeError, match="host"):
        np.einsum("ij->i", gpunp.asarray(a), out=np.zeros(4, char))


def test_random_sums():
    rng = np.random.default_rng(5)
    letters = np.array(list("abcdef"))
    extents = dict(zip(letters, (2, 3, 4, 1, 5, 2), strict=True))
    for _ in range(300):
        count = rng.integers(1, 5)
        terms = ["".join(rng.choice(letters, rng.integers(0, 4))) for _ in range(count)]
        known = sorted(set("".join(terms)))
        output = "".join(rng.permutation(known)[: rng.integers(0, len(known) + 1)]) if known else ""
        text = ",".join(terms) + ("->" + output if rng.integers(4) else "")
        # Occasionally an axis of length one that is broadcast.
        host = [
            matrix("l", *(extents[c] if rng.integers(8) or t.count(c) > 1 else 1 for c in t), seed=i)
            for i, t in enumerate(terms)
        ]
        expected, error = outcome(lambda text=text, host=host: np.einsum(text, *host))
        actual, raised = outcome(lambda text=text, host=host: np.einsum(text, *map(gpunp.asarray, host)))
        if error is not None:
            assert isinstance(raised, type(error)), text
        else:
            assert raised is None, (text, raised)
            assert_same(actual, expected, where=text)


def test_no_copy_for_plain_products(monkeypatch):
    """The products read the operands' memory, also for stacks and for several summed axes."""
    einsum = importlib.import_module("gpunp.linalg.einsum")
    seen = []
    run = einsum.multiply_into
    monkeypatch.setattr(einsum, "multiply_into", lambda a, b, c: seen.append((a, b)) or run(a, b, c))
    a, b = gpunp.ones((14, 13, 15)), gpunp.ones((14, 15, 13))
    for text, x, y in (
        ("bij,bjk->bki", a, b),
        ("bij,bkj->bki", a, a),
        ("ijk,ljk->il", a, a),
        ("ij,kj->ki", a[0], a[1]),
    ):
        seen.clear()
        np.einsum(text, x, y)
        for used in seen[0]:
            assert np.may_share_memory(used, x) or np.may_share_memory(used, y), text


@pytest.mark.parametrize(
    "case",
    [
        ("jhcabhijaci,dfijejgh->fgje", (1, 1, 1, 1, 3, 1, 1, 1, 1, 1, 1), (3, 1, 3, 1, 1, 1, 1, 2)),
        ("ijp,ipq,ikq->ijk", (3, 1, 1), (3, 1, 3), (1, 3, 3)),
        ("ii,ij->j", (1, 1), (4, 3)),
    ],
)
def test_extents_of_one_stretch(case, rng):
    subscripts, *shapes = case
    operands = [rng.normal(size=shape) for shape in shapes]
    expected = np.einsum(subscripts, *operands)
    np.testing.assert_allclose(np.einsum(subscripts, *map(gpunp.asarray, operands)).get(), expected, 1e-12)


def test_order_of_the_result():
    for xp in (np, gpunp):
        a, b = xp.ones((2, 3, 5), order="F"), xp.ones((4, 3), order="F")
        for order in "AaFf":
            assert np.einsum("...ft,mf->...mt", a, b, order=order).flags.f_contiguous
        for order in "Cc":
            assert np.einsum("...ft,mf->...mt", a, b, order=order).flags.c_contiguous


test_keywords = call_test(
    """
    np.einsum("i->i", A([1.0, 2]), order="W")
    np.einsum("i->i", A([1.0, 2]), order=3)
    np.einsum("i->i", A([1.0, 2]), casting="W")
    np.einsum("i->i", A([1.0, 2]), casting=3)
    np.einsum("i->i", A([1.0, 2]), casting="same_value")
    np.einsum("i,i", A([1.0, 2]), A([1.0, 2]), order=None)
    np.einsum("i,i", A([1.0, 2]), A([1.0, 2]), dtype="f4")
    np.einsum("i,i", A([1.0, 2]), A([1.0, 2]), dtype="f4", optimize=True) + 0
    np.einsum("i,i->", A([1.0, 2]), A([1.0, 2]), out=A(0))
    np.einsum("i,i->", A([1.0, 2]), A([1.0, 2]), out=A(0), optimize=True)
    np.einsum("i,i->", A([1.0, 2]), A([1.0, 2]), out=A(0), optimize="optimal")
    np.einsum("ij,jk->ik", A([[1.0, 2]]), A([[3.0], [4]]), out=A([[0]]), optimize=True)
    np.einsum("i,i->i", A([1.0, 2]), A([1.0, 2]), out=A(np.zeros(2, "f4")), optimize=True)
    np.einsum("i->", A([1.0, 2]), out=A(0), optimize=True)
    """
)


def test_an_element_is_copied():
    for xp in (np, gpunp):
        a = xp.asarray(3.0)
        for found in (np.einsum("->", a), np.einsum("...->...", a), np.einsum(a, []), np.einsum(a, [], [])):
            assert not np.may_share_memory(a, found)
            assert float(found) == 3
        assert np.may_share_memory(a, np.einsum("...->...", a[None])) or xp is np


@pytest.mark.parametrize("char", "efdFD")
def test_stacks_in_order_go_straight_to_the_library(char):
    engine = importlib.import_module("gpunp.linalg.engine")
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype(char) for shape in ((2, 3, 4, 5), (2, 3, 5, 6)))
    x, y = gpunp.asarray(a), gpunp.asarray(b)
    for found in (engine.stacked_product(x, y), np.einsum("abij,abjk->abik", x, y), x @ y, np.matmul(x, y)):
        assert found.dtype == a.dtype
        np.testing.assert_array_equal(gpunp.asnumpy(found), a @ b)
    # Refused: broadcast stacks, other orders and dtypes, empty products, host arrays, single matrices.
    other = gpunp.asarray(b.real.astype("f" if char == "d" else "d"))
    for right in (y[:1], y[0], y.mT.copy().mT, other, y[..., :0], b):
        assert engine.stacked_product(x, right) is None
    assert engine.stacked_product(x[0, 0], y[0, 0]) is None
