import json

import numpy as np
import pytest

import gpunp
from gpunp.optimizing import _FIELDS, optimize


def test_results_are_the_same(device, tmp_path):
    if not device.is_cpu:
        pytest.importorskip("optuna")
    path = tmp_path / "found.json"
    x = gpunp.asarray(np.arange(12.0).reshape(3, 4))
    usual = device.tuning
    for readonly in (False, True):
        with optimize(path=str(path), readonly=readonly, max_trials=3):
            assert np.sum(x, axis=0).tolist() == [12, 15, 18, 21]
            assert np.max(x) == 11
            assert np.cumsum(x).tolist()[-1] == 66
    assert device.tuning == usual
    content = json.loads(path.read_text())
    assert content["fields"] == list(_FIELDS)
    assert len(content["records"]) == (0 if device.is_cpu else 3)
    assert all(set(_FIELDS) <= set(record) for record in content["records"].values())


def test_what_was_found_is_used_again(device):
    if not device.is_cpu:
        pytest.importorskip("optuna")
    x = gpunp.ones((5, 7))
    with optimize(key="again", max_trials=2) as first:
        np.mean(x)
    with optimize(key="again") as second:
        np.mean(x)
    assert first._records is second._records


def test_exceptions_leave_everything_as_it_was(device):
    from gpunp.dispatch.registry import HANDLERS

    before = HANDLERS.get(np.sum)
    with pytest.raises(ZeroDivisionError), optimize():
        raise ZeroDivisionError
    assert HANDLERS.get(np.sum) is before or before is None


@pytest.mark.parametrize("arguments", [{"max_trials": 0}, {"timeout": 0}], ids=str)
def test_wrong_arguments(arguments):
    with pytest.raises(ValueError, match="optimize: max_trials"):
        optimize(**arguments)


def test_files_of_other_parameters_are_refused(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('{"fields": [], "records": {}}')
    with pytest.raises(ValueError, match="delete it to tune anew"), optimize(path=str(path)):
        pass
