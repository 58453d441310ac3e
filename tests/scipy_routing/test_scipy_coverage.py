"""The report of what happens to SciPy's functions."""

from pathlib import Path

import pytest

from gpunp.__main__ import main
from gpunp_scipy.routing import decisions
from gpunp_scipy.routing.coverage import KINDS, functions, paths

pytest.importorskip("scipy", minversion="1.18")


@pytest.fixture(scope="module")
def found():
    """The status of every function."""
    return functions()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("scipy.fft.dct", "native"),
        ("scipy.fftpack.fftshift", "native"),
        ("scipy.special.erf", "native"),
        ("scipy.special.polygamma", "native"),
        ("scipy.special.sinc", "native"),
        ("scipy.special.softmax", "generic"),
        ("scipy.stats.zscore", "generic"),
        ("scipy.stats.mstats.hdquantiles", "host"),
        # The same object as in scipy.stats.
        ("scipy.stats.mstats.gmean", "generic"),
        ("scipy.interpolate.splrep", "host"),
        ("scipy.io.loadmat", "host"),
        ("scipy.sparse.csr_array", "native"),
        ("scipy.stats.norm", "native"),
    ],
)
def test_status(found, path, kind):
    assert found[path][0] in (kind, "native")


def test_every_function_has_a_status(found):
    assert len(found) > 1500
    # No function is left without a decision.
    assert {kind for kind, _ in found.values()} == set(KINDS) - {"not yet"}
    assert all(bool(reason) == (kind == "host") for kind, reason in found.values())
    assert not any(path.endswith(("Error", "Warning")) for path in found)


def test_command(found, capsys):
    assert main(["coverage", "scipy"]) == 0
    text = capsys.readouterr().out
    assert "  scipy.stats.zscore\n" in text
    assert "  scipy.spatial.ConvexHull: Qhull runs on the host\n" in text
    total = int(text.split(": ")[1].split()[0])
    counts = [
        int(line.split(": ")[1].split()[0]) for line in text.splitlines() if line.startswith(tuple(KINDS))
    ]
    assert sum(counts) == total == len(found)
    assert main(["coverage", "scipy", "--missing"]) == 0
    text = capsys.readouterr().out
    assert "scipy.stats.norm" not in text
    assert "scipy.stats.zscore" not in text


def test_the_page_has_every_reason():
    page = (Path(__file__).parents[2] / "docs/ecosystem/scipy.md").read_text()
    page = page.partition("These stay on the host by decision:")[2].lstrip().partition("\n\n")[0]
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    written = {row[1].rstrip(" |") for row in rows[1:]}
    reasons = set(decisions.HOST.values()) - {"it takes no arrays"}
    assert reasons <= written
    # The other row is of modules that are not routed.
    assert len(written - reasons) == 1
    assert all(f"`{module}`" in rows[1][0] or module.count(".") > 1 for module in decisions.UNROUTED)


def test_files_of_modules_within_modules():
    found = dict(paths("scipy.spatial.distance.cdist"))
    assert found["source"] == "gpunp_scipy/spatial/distance/all_pairs.py"
    assert found["test"] == "tests/scipy_spatial/"
    assert dict(paths("scipy.spatial.KDTree.query"))["source"] == "gpunp_scipy/spatial/kd_tree.py"
    assert paths("scipy.spatial.nothing") is None
