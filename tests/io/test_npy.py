import io

import numpy as np
import pytest
from records import ALL, assert_same, make_values

import gpunp

COVERS = ("save", "savez", "savez_compressed", "load")
SHAPES = [(), (5,), (0,), (3, 4), (2, 3, 4)]


@pytest.mark.parametrize("char", ALL)
@pytest.mark.parametrize("shape", SHAPES)
def test_round_trip(char, shape, tmp_path):
    host = make_values(char, shape)
    for arrange in (lambda a: a, lambda a: a.T, lambda a: a[..., ::-1] if a.ndim else a):
        np.save(tmp_path / "array", arrange(gpunp.asarray(host)))
        np.testing.assert_array_equal(np.load(tmp_path / "array.npy"), arrange(host))
        assert_same(gpunp.load(tmp_path / "array.npy"), arrange(host))


def test_files_and_file_objects():
    a = gpunp.arange(6).reshape(2, 3)
    expected, actual = io.BytesIO(), io.BytesIO()
    np.save(expected, np.arange(6).reshape(2, 3))
    gpunp.save(actual, a, allow_pickle=False)
    assert actual.getvalue() == expected.getvalue()
    actual.seek(0)
    assert_same(gpunp.load(actual), np.arange(6).reshape(2, 3))


def test_load_places(tmp_path, device):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(4, dtype=">f4"))
    assert gpunp.load(path).device is device
    assert gpunp.load(path, device="cpu").device.is_cpu
    assert_same(gpunp.load(path, mmap_mode="r"), np.arange(4, dtype="f4"))
    for error, make in (
        (TypeError, lambda: np.save(path, np.array([None]))),
        (TypeError, lambda: np.save(path, np.array(["text"]))),
        (EOFError, lambda: path.write_bytes(b"")),
        (ValueError, lambda: path.write_bytes(b"no array at all")),
    ):
        make()
        with pytest.raises(error):
            gpunp.load(path, allow_pickle=error is TypeError)
    with pytest.raises(ValueError, match="encoding"):
        gpunp.load(path, encoding="utf-7")


def test_load_of_a_pickle(tmp_path):
    gpunp.arange(3).dump(tmp_path / "pickle")
    assert_same(gpunp.load(tmp_path / "pickle", allow_pickle=True), np.arange(3))


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_archives(save, tmp_path):
    a, b = gpunp.arange(3), gpunp.zeros((2, 2), "f4")
    for function in (getattr(np, save), getattr(gpunp, save)):
        function(tmp_path / "archive", a, np.ones(2), b=b, c=2.5)
        host = np.load(tmp_path / "archive.npz")
        assert sorted(host.files) == ["arr_0", "arr_1", "b", "c"]
        with gpunp.load(tmp_path / "archive.npz") as arrays:
            assert list(arrays) == host.files == arrays.files
            assert len(arrays) == 4
            assert "b" in arrays
            assert "nothing" not in arrays
            for name in host.files:
                assert_same(arrays[name], host[name])
            assert_same(arrays.f.b, host["b"])
            assert dir(arrays.f) == sorted(host.files)
            assert "archive.npz" in repr(arrays)
            with pytest.raises(KeyError):
                arrays["nothing"]
            with pytest.raises(AttributeError):
                arrays.f.nothing  # noqa: B018
        with pytest.raises(ValueError, match="un-named"):
            function(tmp_path / "archive", a, arr_0=a)
