import io

import numpy as np
import pytest
from records import assert_same, make_values

import gpunp

COVERS = ("savetxt", "loadtxt", "genfromtxt", "fromregex")


@pytest.mark.parametrize("char", "?ilefdFD")
@pytest.mark.parametrize("shape", [(5,), (3, 4), (0,), (1, 1)])
def test_savetxt(char, shape):
    host = make_values(char, shape)
    for options in (
        {},
        {"delimiter": ",", "newline": ";\n", "header": "above", "footer": "below", "comments": "% "},
        {"fmt": "%10.3f" if char not in "FD" else "%.2e", "encoding": "latin1"},
    ):
        expected, actual = io.StringIO(), io.StringIO()
        np.savetxt(expected, host.T, **options)
        np.savetxt(actual, gpunp.asarray(host).T, **options)
        assert actual.getvalue() == expected.getvalue()


def test_savetxt_errors():
    for bad in (np.zeros((2, 2, 2)), np.array(1.0)):
        with pytest.raises(ValueError, match="Expected 1D or 2D") as expected:
            np.savetxt(io.StringIO(), bad)
        with pytest.raises(ValueError, match="Expected 1D or 2D") as actual:
            np.savetxt(io.StringIO(), gpunp.asarray(bad))
        assert str(actual.value) == str(expected.value)
    with pytest.raises(ValueError, match="invalid fmt"):
        np.savetxt(io.StringIO(), gpunp.arange(3), fmt=3)


TEXT = "# a comment\n1, 2.5, 3\n4, 5, 6.25\n7, 8, 9\n"
LOADTXT = [
    {"delimiter": ","},
    {"delimiter": ",", "dtype": "f4"},
    {"delimiter": ",", "usecols": (0, 2)},
    {"delimiter": ",", "usecols": 1, "ndmin": 2},
    {"delimiter": ",", "skiprows": 2},
    {"delimiter": ",", "max_rows": 2, "unpack": True},
    {"delimiter": ",", "comments": ["#", "%"]},
    {"delimiter": ",", "converters": {0: lambda text: float(text) * 10}},
    {"delimiter": ",", "encoding": "utf-8", "dtype": complex},
    {"delimiter": ",", "quotechar": '"'},
]


# NumPy 2.4 warns about comment lines if max_rows is given.
@pytest.mark.filterwarnings("ignore:.*contained no data:UserWarning")
@pytest.mark.parametrize("options", LOADTXT, ids=lambda o: "-".join(o))
def test_loadtxt(options, device):
    expected = np.loadtxt(io.StringIO(TEXT), **options)
    assert_same(gpunp.loadtxt(io.StringIO(TEXT), **options), expected)
    result = np.loadtxt(io.StringIO(TEXT), **options, like=gpunp.zeros(1))
    assert_same(result, expected)
    assert result.device is device


GENFROMTXT = [
    {"delimiter": ","},
    {"delimiter": ",", "dtype": "i8"},
    {"delimiter": ",", "filling_values": -1.0},
    {"delimiter": ",", "missing_values": "gap", "filling_values": 0},
    {"delimiter": ",", "skip_header": 1, "skip_footer": 1},
    {"delimiter": ",", "usecols": (0, 1), "unpack": True},
    {"delimiter": ",", "max_rows": 1, "ndmin": 2},
    {"delimiter": ",", "converters": {1: lambda text: 7.0}, "autostrip": True},
    {"delimiter": ",", "loose": True, "comments": "#", "encoding": "utf-8", "invalid_raise": False},
]
GAPS = "1, 2, 3\n4, , 6\ngap, 8, 9\n"


@pytest.mark.parametrize("options", GENFROMTXT, ids=lambda o: "-".join(o))
def test_genfromtxt(options, device):
    expected = np.genfromtxt(io.StringIO(GAPS), **options)
    assert_same(gpunp.genfromtxt(io.StringIO(GAPS), **options), expected)
    result = np.genfromtxt(io.StringIO(GAPS), **options, like=gpunp.zeros(1))
    assert_same(result, expected)
    assert result.device is device


@pytest.mark.parametrize("function", ["loadtxt", "genfromtxt"])
def test_records_and_text_are_refused(function):
    read = getattr(gpunp, function)
    with pytest.raises(TypeError, match=f"numpy.{function}"):
        read(io.StringIO("1 2\n3 4"), dtype="i4,f8")
    with pytest.raises(TypeError, match="gpunp has no"):
        read(io.StringIO("a b\nc d"), dtype=str)
    with pytest.raises(ValueError, match="columns"):
        read(io.StringIO("1 2\n3"), dtype=float)


def test_columns_of_their_own_dtypes():
    first, second = gpunp.loadtxt(io.StringIO("1 2.5\n3 4.5"), dtype="i4,f8", unpack=True)
    assert_same(first, np.array([1, 3], "i4"))
    assert_same(second, np.array([2.5, 4.5]))


def test_masked_results_are_refused():
    with pytest.raises(TypeError, match="usemask"):
        gpunp.genfromtxt(io.StringIO(GAPS), delimiter=",", usemask=True)


def test_fromregex():
    text, pattern = io.StringIO("a 1 2.5\nb 3 4.5\n"), r"(\d+)\s+([\d.]+)"
    columns = gpunp.fromregex(text, pattern, [("number", "i8"), ("value", "f4")])
    assert list(columns) == ["number", "value"]
    assert_same(columns["number"], np.array([1, 3], "i8"))
    assert_same(columns["value"], np.array([2.5, 4.5], "f4"))
