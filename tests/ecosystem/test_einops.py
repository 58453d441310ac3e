"""einops with device arrays: its own functions and those of `einops.array_api`."""

import numpy as np
import pytest

import gpunp

einops = pytest.importorskip("einops", reason="einops is not installed")
pytest.importorskip("einops.array_api")

IMAGES = np.arange(2 * 3 * 4 * 6.0).reshape(2, 3, 4, 6)
CASES = {
    "rearrange": lambda e, a: e.rearrange(a, "b c (h p) w -> (b p) h w c", p=2),
    "rearrange a list": lambda e, a: e.rearrange([a[0], a[1]], "b c h w -> c b h w"),
    "mean": lambda e, a: e.reduce(a, "b c h w -> b c", "mean"),
    "max": lambda e, a: e.reduce(a, "b c (h 2) w -> b c h w", "max"),
    "sum of integers": lambda e, a: e.reduce(a.astype("i4"), "b c h w -> w", "sum"),
    "any": lambda e, a: e.reduce(a > 100, "b c h w -> b w", "any"),
    "reduce all": lambda e, a: e.reduce(a, "b c h w ->", "prod"),
    "repeat": lambda e, a: e.repeat(a, "b c h w -> b c (h 2) w t", t=3),
    "pack": lambda e, a: e.pack([a, a[..., 0]], "b c h *")[0],
    "unpack": lambda e, a: e.unpack(a, [(2,), (1, 4)], "b c h *")[1],
}


@pytest.mark.parametrize("module", ["einops", "einops.array_api"])
@pytest.mark.parametrize("name", CASES)
def test_same_as_with_numpy(name, module):
    functions = einops if module == "einops" else einops.array_api
    expected = CASES[name](functions, IMAGES)
    found = CASES[name](functions, gpunp.asarray(IMAGES))
    assert isinstance(found, gpunp.ndarray)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(gpunp.asnumpy(found), expected)


def test_functions_of_einops_alone():
    a = gpunp.asarray(IMAGES)
    assert einops.parse_shape(a, "b _ h w") == {"b": 2, "h": 4, "w": 6}
    np.testing.assert_array_equal(einops.asnumpy(a), IMAGES)
    found = einops.einsum(a, a, "b c h w, b c h k -> b w k")
    assert isinstance(found, gpunp.ndarray)
    np.testing.assert_allclose(gpunp.asnumpy(found), np.einsum("bchw,bchk->bwk", IMAGES, IMAGES))


def test_the_mean_of_integers_is_refused_as_with_numpy():
    with pytest.raises(Exception, match="mean"):
        einops.reduce(np.arange(4), "a ->", "mean")
    with pytest.raises(Exception, match="mean"):
        einops.reduce(gpunp.arange(4), "a ->", "mean")
