"""scipy.special in SciPy's array API mode, which finds its functions in `gpunp.special`."""

import inspect

import numpy as np
import pytest

import gpunp

special = pytest.importorskip("scipy.special")

HOST = np.array([0.25, 0.5, 0.75])


def test_scipy_finds_ours(device):
    x = gpunp.asarray(HOST, device=device)
    module = pytest.importorskip("scipy.special._support_alternative_backends")
    infos = {info.name: info for info in module._special_funcs}
    ours = [name for name in gpunp.special.__all__ if name in infos]
    assert len(ours) >= 40
    for name in ours:
        assert infos[name]._wrapper_for(x.__array_namespace__()) is getattr(gpunp.special, name), name


@pytest.mark.parametrize("name", ["erf", "gammaln", "expit", "ndtr", "i0e", "psi", "gamma", "j0"])
def test_one_argument(name, device):
    function = getattr(special, name)
    x = gpunp.asarray(HOST, device=device)
    for result in (function(x), inspect.unwrap(function)(x), getattr(gpunp.special, name)(x)):
        assert isinstance(result, gpunp.ndarray)
        assert result.device == device
        np.testing.assert_allclose(result.get(), function(HOST), rtol=1e-13)


@pytest.mark.parametrize("name", ["betainc", "betaincc", "fdtr", "fdtrc"])
def test_three_arguments(name, device):
    function = getattr(special, name)
    x = gpunp.asarray(HOST, device=device)
    np.testing.assert_allclose(function(x, x + 1, 0.5).get(), function(HOST, HOST + 1, 0.5), rtol=1e-13)


def test_out_and_broadcasting(device):
    x = gpunp.asarray(HOST, device=device)
    out = gpunp.zeros((3, 3), device=device)
    assert special.xlogy(x[:, None], x, out=out) is out
    np.testing.assert_allclose(out.get(), special.xlogy(HOST[:, None], HOST), rtol=1e-14)


def test_methods_of_the_ufuncs(device):
    ufunc = inspect.unwrap(special.rel_entr)
    x = gpunp.asarray(HOST, device=device)
    np.testing.assert_allclose(ufunc.outer(x, x).get(), ufunc.outer(HOST, HOST), rtol=1e-14, atol=1e-16)


def test_zeta_of_both_kinds(device):
    x = gpunp.asarray(HOST + 2, device=device)
    np.testing.assert_allclose(special.zeta(x).get(), special.zeta(HOST + 2), rtol=1e-14)
    np.testing.assert_allclose(special.zeta(x, 1.5).get(), special.zeta(HOST + 2, 1.5), rtol=1e-14)
    # The ufunc that the function calls outside the array API mode.
    ufunc = pytest.importorskip("scipy.special._ufuncs")._zeta
    np.testing.assert_allclose(ufunc(x, 2.0).get(), special.zeta(HOST + 2, 2.0), rtol=1e-14)


def test_what_is_not_there(device):
    with pytest.raises(TypeError, match=r"scipy\.special\.ellip_harm_2: QUADPACK .* gpunp\.asnumpy"):
        special.ellip_harm_2(5, 8, 2, 1, gpunp.asarray(HOST, device=device))
