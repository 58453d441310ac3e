"""The array API standard, revision 2025.12: names, signatures, inspection and devices."""

import inspect
import timeit

import array_api_2025_12 as standard
import numpy as np
import pytest
from array_api_2025_12 import SIGNATURES, signature_of

import gpunp

REVISIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")


def find(path):
    found = gpunp
    for part in path.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("path", [*SIGNATURES, *standard.CONSTANTS, *standard.DTYPES])
def test_names(path):
    find(path)


def accepts(function, expected):
    """Return whether a signature accepts every call that the standard allows."""
    actual = inspect.signature(function)
    kinds = inspect.Parameter
    parameters = list(expected.parameters.values())
    if any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        return any(p.kind is kinds.VAR_POSITIONAL for p in actual.parameters.values())
    fixed = [p.name for p in parameters if p.kind is kinds.POSITIONAL_ONLY]
    either = [p.name for p in parameters if p.kind is kinds.POSITIONAL_OR_KEYWORD]
    named = {p.name: 0 for p in parameters if p.kind is kinds.KEYWORD_ONLY}
    for count in range(len(either) + 1):
        keywords = dict.fromkeys(either[count:], 0)
        actual.bind(*range(len(fixed) + count), **keywords, **named)
    return True


@pytest.mark.parametrize("path", SIGNATURES)
def test_signatures(path):
    function = find(path)
    if type(function) is type(gpunp.add):
        # For ufuncs only the number of inputs is checked.
        assert function.nin == len(SIGNATURES[path].parameters)
    else:
        assert accepts(function, SIGNATURES[path])


@pytest.mark.parametrize("text", standard.METHODS, ids=lambda text: text.partition("(")[0])
def test_methods(text):
    name = text.partition("(")[0]
    method = getattr(gpunp.ndarray, name)
    if inspect.isfunction(method):
        assert accepts(method, signature_of(text))
    assert callable(getattr(gpunp.ones(2), name))


@pytest.mark.parametrize("name", standard.ATTRIBUTES)
def test_attributes(name):
    assert not callable(getattr(gpunp.ones((2, 2)), name))


def test_revisions():
    x = gpunp.ones(2)
    assert gpunp.__array_api_version__ == REVISIONS[-1]
    assert x.__array_namespace__() is gpunp
    for revision in REVISIONS:
        assert x.__array_namespace__(api_version=revision) is gpunp
    for revision in ("2020.12", "2025.11", "2026.12", "", 2025.12):
        with pytest.raises(ValueError, match="__array_namespace__: there is no revision"):
            x.__array_namespace__(api_version=revision)
    with pytest.raises(TypeError):
        x.__array_namespace__("2025.12")


@pytest.mark.parametrize("text", standard.INFO, ids=lambda text: text.partition("(")[0])
def test_info_signatures(text):
    assert accepts(
        getattr(gpunp.__array_namespace_info__(), text.partition("(")[0]),
        signature_of(text),
    )


def test_info(device):
    info = gpunp.__array_namespace_info__()
    capabilities = info.capabilities()
    assert capabilities["boolean indexing"] is True
    assert capabilities["data-dependent shapes"] is True
    most = capabilities["max dimensions"]
    assert gpunp.ones((1,) * most).ndim == most
    with pytest.raises(ValueError, match="maximum supported dimension"):
        gpunp.ones((1,) * (most + 1))
    assert info.default_device() is device
    assert device in info.devices()
    assert isinstance(info.devices(), tuple)
    assert info.devices()[-1] == gpunp.Device("cpu")
    with pytest.raises(ValueError, match="unknown kind"):
        gpunp.zeros(2, device="tpu")
    for where in (None, device, str(device)):
        defaults = info.default_dtypes(device=where)
        assert defaults["real floating"] == gpunp.zeros(1, device=where).dtype
        assert defaults["integral"] == gpunp.asarray([1], device=where).dtype
        assert defaults["complex floating"] == gpunp.asarray([1j], device=where).dtype
        assert defaults["indexing"] == gpunp.argsort(gpunp.zeros(2, device=where)).dtype


@pytest.mark.parametrize(
    "kind",
    [
        None,
        "bool",
        "signed integer",
        "unsigned integer",
        "integral",
        "real floating",
        "complex floating",
        "numeric",
        ("bool", "real floating"),
        ("integral", "unsigned integer"),
        (),
    ],
)
def test_info_dtypes(kind, device):
    found = gpunp.__array_namespace_info__().dtypes(kind=kind, device=device)
    expected = [
        name for name in standard.DTYPES if kind is None or (kind and gpunp.isdtype(np.dtype(name), kind))
    ]
    assert sorted(found) == sorted(expected)
    assert all(gpunp.empty(1, dtype=dtype).dtype == name for name, dtype in found.items())


def test_info_refuses_unknown_kinds_and_devices():
    info = gpunp.__array_namespace_info__()
    with pytest.raises(ValueError, match="unknown kind 'float'"):
        info.dtypes(kind="float")
    with pytest.raises(ValueError, match="unknown kind 'tpu'"):
        info.dtypes(device="tpu")


def test_results_stay_on_their_device(device):
    x = gpunp.arange(4.0, device="cpu")
    with device:
        made = [
            x + 1,
            gpunp.sin(x),
            gpunp.sum(x),
            gpunp.zeros_like(x),
            gpunp.full_like(x, 2),
            gpunp.concat([x, x]),
            gpunp.asarray([x, x]),
            gpunp.where(x > 1, x, 0.0),
            gpunp.sort(x, descending=True),
            gpunp.unique_values(x),
            gpunp.nonzero(x)[0],
            gpunp.astype(x, gpunp.int32),
            gpunp.cumulative_sum(x, include_initial=True),
            gpunp.matmul(x, x),
            *gpunp.meshgrid(x, x),
            *gpunp.broadcast_arrays(x, gpunp.asarray([[1.0], [2.0]], device="cpu")),
        ]
    assert {str(a.device) for a in made} == {"cpu"}


def test_devices_of_creation_functions(device):
    x = gpunp.ones(2)
    for a in (
        gpunp.arange(3, device=device),
        gpunp.asarray([1], device=device),
        gpunp.empty(2, device=device),
        gpunp.empty_like(x, device=device),
        gpunp.eye(2, device=device),
        gpunp.from_dlpack(x, device=device),
        gpunp.full(2, 1, device=device),
        gpunp.full_like(x, 1, device=device),
        gpunp.linspace(0, 1, 3, device=device),
        gpunp.ones(2, device=device),
        gpunp.ones_like(x, device=device),
        gpunp.zeros(2, device=device),
        gpunp.zeros_like(x, device=device),
        gpunp.astype(x, gpunp.float32, device=device),
        gpunp.fft.fftfreq(3, device=device),
        gpunp.fft.rfftfreq(3, device=device),
        x.to_device(device),
    ):
        assert a.device is device
        assert a.device == device == str(device)
    assert len({device, gpunp.Device(str(device))}) == 1


def test_mixing_devices_names_both(device):
    if device.is_cpu:
        pytest.skip("needs two devices")
    here, there = gpunp.ones(3), gpunp.ones(3, device="cpu")
    for call in (
        lambda: here + there,
        lambda: gpunp.add(here, there),
        lambda: gpunp.where(here > 0, here, there),
        lambda: gpunp.concat([here, there]),
        lambda: gpunp.matmul(here, there),
        lambda: gpunp.asarray([here, there]),
        lambda: gpunp.isin(here, there),
    ):
        with pytest.raises(ValueError, match=rf"{device}.*cpu|cpu.*{device}"):
            call()


def test_streams_of_to_device(device):
    x = gpunp.ones(2)
    assert x.to_device(device) is x
    if device.is_cpu:
        with pytest.raises(ValueError, match="no streams"):
            x.to_device("cpu", stream=1)
        return
    side = gpunp.cuda.Stream(non_blocking=True)
    for stream in (side, side.ptr, 1, 2):
        host = x.to_device("cpu", stream=stream)
        assert host.tolist() == [1, 1]
        assert host.to_device(device, stream=stream).tolist() == [1, 1]


def nanoseconds(call):
    return min(timeit.repeat(call, number=1000, repeat=20)) * 1e6


def test_inspection_costs_less_than_a_microsecond():
    x = gpunp.ones(2)
    assert nanoseconds(lambda: x.__array_namespace__()) < 1000
    assert nanoseconds(lambda: x.device) < 1000
    assert nanoseconds(lambda: x.dtype) < 1000


@pytest.mark.parametrize("path", ["fft.fftfreq", "fft.rfftfreq"])
def test_frequencies_are_real(path):
    with pytest.raises(ValueError, match="real and floating"):
        find(path)(4, dtype=gpunp.int32)


@pytest.mark.parametrize(
    ("shape", "mask"),
    [((3,), (0,)), ((1, 1), (1, 0)), ((2, 3), (0,)), ((2, 3), (0, 3)), ((2, 3, 4), (2, 0)), ((3, 0), (3, 0))],
)
def test_masks_without_elements_fit_any_axis(shape, mask):
    values, nothing = np.ones(shape), np.zeros(mask, bool)
    array = gpunp.asarray(values)
    key = gpunp.asarray(nothing)
    assert array[key].shape == values[nothing].shape
    array[key] = 5
    gpunp.add.at(array, key, 1)
    assert np.array_equal(gpunp.asnumpy(array), values)
    with pytest.raises(IndexError, match="boolean index did not match"):
        array[gpunp.zeros((*shape[:-1], 7), dtype=bool)]


def test_limits_are_python_numbers():
    for dtype in (np.float16, gpunp.float32, "complex64", np.dtype("f8")):
        limits, expected = gpunp.finfo(dtype), np.finfo(dtype)
        assert gpunp.finfo(gpunp.ones(1, dtype)) == limits
        for name in ("eps", "max", "min", "smallest_normal", "tiny", "resolution"):
            assert type(getattr(limits, name)) is float
            assert getattr(limits, name) == getattr(expected, name)
        assert (limits.bits, limits.dtype, limits.nmant) == (expected.bits, expected.dtype, expected.nmant)
        assert str(limits) == str(expected)
    assert gpunp.finfo("f4") == gpunp.finfo("F") == np.finfo("f4") != gpunp.finfo("f8")
    assert len({gpunp.finfo("f4"), gpunp.finfo("F")}) == 1
    with pytest.raises(AttributeError):
        gpunp.finfo("f4").nonsense  # noqa: B018


def test_clip_takes_the_names_of_both():
    x = gpunp.asarray([1.0, 5.0, 9.0])
    for call in (
        lambda: gpunp.clip(x, 2, 6),
        lambda: gpunp.clip(x, min=2, max=6),
        lambda: gpunp.clip(x, a_min=2, a_max=6),
        lambda: gpunp.clip(x, 2, a_max=6),
        lambda: gpunp.clip(a=x, a_min=2, a_max=6),
        lambda: gpunp.clip(a=x, min=2, max=6),
        lambda: gpunp.clip(x, 2, 6, out=gpunp.empty(3)),
    ):
        assert call().tolist() == [2, 5, 6]
    assert gpunp.clip(x, a_min=None, a_max=6).tolist() == [1, 5, 6]
    with pytest.raises(ValueError, match="same argument"):
        gpunp.clip(x, 1, a_min=2)
    for arguments, names in (((), {}), ((x,), {"a": x})):
        with pytest.raises(TypeError, match="by the name 'a'"):
            gpunp.clip(*arguments, **names)
