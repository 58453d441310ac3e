"""The demo: agreement with NumPy, exit codes and pictures; its programs are plain NumPy."""

import ast
import sys
from pathlib import Path

import numpy as np
import pytest

from gpunp import demo

pytest.importorskip("sklearn", reason="the demo needs scikit-learn")
pytest.importorskip("PIL", reason="the demo needs pillow")

from gpunp.demo import finance, imaging, program

FOLDER = Path(demo.__file__).parent


def run(device, folder, *words):
    options = ["--size", "1", "--repeat", "1", "--device", str(device), "--output", str(folder)]
    return demo.main([*options, *words])


def read(path):
    from PIL import Image

    with Image.open(path) as picture:
        return np.array(picture)


@pytest.mark.parametrize("photo", ["china.jpg", "flower.jpg"])
def test_demo_agrees_with_numpy(device, tmp_path, capsys, photo):
    assert run(device, tmp_path, "--photo", photo) == 0
    text = capsys.readouterr().out
    assert "All results agree" in text
    for step in (*program.photo_steps(1), *program.finance_steps()):
        assert step.title in text
    pictures = {name: read(tmp_path / f"{name}.png") for name in ("before", "edges", "after")}
    assert {name: picture.shape[:2] for name, picture in pictures.items()} == dict.fromkeys(
        pictures, (427, 640)
    )
    # The photo is not blank, and the result differs from it moderately.
    assert pictures["before"].std() > 30
    assert 2 < np.abs(pictures["before"].astype(int) - pictures["after"]).mean() < 60


def test_wrong_result_fails(device, tmp_path, capsys, monkeypatch):
    original = finance.asset_paths

    def wrong(normals, **options):
        scale = 1 if isinstance(normals, np.ndarray) else 1 + 1e-6
        return scale * original(normals, **options)

    monkeypatch.setattr(finance, "asset_paths", wrong)
    assert run(device, tmp_path) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize("package", ["sklearn.datasets", "PIL.Image"])
def test_missing_package_is_named(device, tmp_path, capsys, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    assert run(device, tmp_path) == 2
    error = capsys.readouterr().err
    assert package.partition(".")[0] in error
    assert "gpunp[demo]" in error


@pytest.mark.parametrize("name", ["imaging.py", "finance.py"])
def test_programs_import_no_gpunp(name):
    imported = set()
    for node in ast.walk(ast.parse((FOLDER / name).read_text())):
        if isinstance(node, ast.Import):
            imported.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "gpunp").partition(".")[0])
    assert imported <= {"numpy", "scipy"}


def test_blur_keeps_a_flat_picture():
    flat = np.full((20, 30, 3), 0.25, dtype=np.float32)
    np.testing.assert_allclose(imaging.gaussian_blur(flat, 2.0), flat, rtol=1e-6)


def test_enlarge_keeps_pixels_and_interpolates():
    picture = np.arange(6, dtype=np.float32).reshape(2, 3)
    large = imaging.enlarge(picture, 2)
    np.testing.assert_array_equal(large[::2, ::2], picture)
    np.testing.assert_array_equal(large[0], [0, 0.5, 1, 1.5, 2, 2])


def test_black_scholes_of_a_known_option():
    # Hull, Options, Futures and Other Derivatives, example 15.6.
    assert finance.call_price(42.0, 40.0, 0.5, 0.1, 0.2) == pytest.approx(4.7594, abs=5e-5)


def test_the_program_for_the_command_run(capsys):
    from gpunp.demo import heat
    from gpunp.running.program import Program
    from gpunp.running.session import Session

    heat.main(60, 8)
    expected = capsys.readouterr().out
    program = Program(["-m", "gpunp.demo.heat", "60", "8"])
    assert program.names == ["gpunp.demo.heat"]
    with Session(program.folders, program.names, threshold=100):
        program.run()
        program.forget()
    assert capsys.readouterr().out == expected
