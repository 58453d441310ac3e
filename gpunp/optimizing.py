"""Launch parameters of reductions and scans, found by trials for the arrays of a program.

Examples
--------
>>> import numpy as np, gpunp
>>> from gpunp.optimizing import optimize
>>> x = gpunp.ones((3, 4))
>>> with optimize():
...     total = np.sum(x, axis=0)
>>> total.tolist()
[3.0, 3.0, 3.0, 3.0]
"""

import functools
import json
import os
import threading
import time

import numpy

from gpunp.array.ndarray import ndarray
from gpunp.device import get_device
from gpunp.dispatch.registry import HANDLERS, find_handler

# The functions whose calls are tuned.
_FUNCTIONS = (
    *("sum", "prod", "mean", "var", "std", "max", "min", "any", "all", "argmax", "argmin", "ptp"),
    *("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin", "count_nonzero"),
    *("cumsum", "cumprod", "convolve"),
)
# Fields of the thresholds that decide how they are launched, and what each is multiplied by in trials.
_FIELDS = (
    *("reduce_few_blocks", "reduce_many_blocks", "reduce_column_blocks", "reduce_whole_blocks"),
    *("reduce_resident_blocks", "reduce_row_threads", "reduce_column_threads", "reduce_whole_threads"),
    *("reduce_general_threads", "reduce_short_rows", "reduce_general_results", "scan_lanes"),
    *("convolve_few_blocks", "convolve_blocks"),
)
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)

_lock = threading.RLock()
# What was found, by the user's key: factors of the fields by the text of a call.
_found = {}


def _package():
    try:
        import optuna
    except ImportError as error:
        raise ImportError(
            "gpunp.optimizing needs the package optuna: pip install gpunp[optimizing]"
        ) from error
    return optuna


class optimize:
    """Context manager in which the launches of reductions are tuned for the arrays that they get.

    The first call with arrays of a shape, strides and dtype on a CUDA device is repeated with other launch
    parameters; that call and later ones run with the fastest. On the CPU device nothing is tuned.

    Parameters
    ----------
    key : object, optional
        What was found is used again by blocks with the same key.
    path : str, optional
        A file from which results are read at the beginning and to which they are written at the end.
    readonly : bool, optional
        Whether the file is only read.
    max_trials : int, optional
        The trials for a call; 100 by default.
    timeout : float, optional
        The seconds for a call; 1 by default.
    max_total_time_per_trial : float, optional
        The most seconds of a trial; 0.1 by default.
    expected_total_time_per_trial : float, optional
        The seconds that a trial should take, from which the number of its calls is chosen; 0.0001 by default.

    Raises
    ------
    ImportError
        If optuna is not installed and something is to be tuned.
    ValueError
        If the file was written for another version of these parameters.
    """

    def __init__(
        self,
        *,
        key=None,
        path=None,
        readonly=False,
        max_trials=100,
        timeout=1.0,
        max_total_time_per_trial=0.1,
        expected_total_time_per_trial=100e-6,
    ):
        if max_trials < 1 or timeout <= 0:
            raise ValueError(
                f"optimize: max_trials={max_trials} and timeout={timeout} leave no time; both are positive"
            )
        self._key, self._path, self._readonly = key, path, readonly
        self._max_trials, self._timeout = max_trials, timeout
        self._most, self._expected = max_total_time_per_trial, expected_total_time_per_trial
        self._replaced = {}

    def __enter__(self):
        _lock.acquire()
        try:
            self._thread = threading.get_ident()
            self._records = _found.setdefault(self._key, {})
            if self._path is not None and os.path.exists(self._path):
                self._records.update(_read(self._path))
            for name in _FUNCTIONS:
                function = getattr(numpy, name)
                handler = find_handler(function)
                self._replaced[function] = handler
                HANDLERS[function] = self._tuned(name, handler)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *error):
        self._leave()
        if self._path is not None and not self._readonly:
            with open(self._path, "w") as file:
                json.dump({"fields": list(_FIELDS), "records": self._records}, file)

    def _leave(self):
        HANDLERS.update(self._replaced)
        self._replaced.clear()
        _lock.release()

    def _tuned(self, name, handler):
        """A function that calls a handler with the best parameters."""

        @functools.wraps(handler)
        def call(*args, **kwargs):
            device = _device_of(args)
            if device is None or device.is_cpu or threading.get_ident() != self._thread:
                return handler(*args, **kwargs)
            text = _describe(name, device, args, kwargs)
            usual = device.tuning
            if text not in self._records:
                self._records[text] = self._search(device, usual, lambda: handler(*args, **kwargs))
            try:
                device.set_tuning(_scaled(usual, self._records[text]))
                return handler(*args, **kwargs)
            finally:
                device.set_tuning(usual)

        return call

    def _search(self, device, usual, call):
        """The factors with which a call is fastest."""
        optuna = _package()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        first = _seconds(device, call, 1)
        count = max(1, min(round(self._expected / max(first, 1e-7)), 1000))

        def objective(trial):
            factors = {field: trial.suggest_categorical(field, _FACTORS) for field in _FIELDS}
            device.set_tuning(_scaled(usual, factors))
            if _seconds(device, call, 1) * count > self._most:
                raise optuna.TrialPruned
            return _seconds(device, call, count)

        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
        # The usual parameters are the first trial, so that the result is never slower by choice.
        study.enqueue_trial(dict.fromkeys(_FIELDS, 1.0))
        try:
            study.optimize(objective, n_trials=self._max_trials, timeout=self._timeout)
        finally:
            device.set_tuning(usual)
        done = [trial for trial in study.trials if trial.value is not None]
        return min(done, key=lambda trial: trial.value).params if done else dict.fromkeys(_FIELDS, 1.0)


def _seconds(device, call, count):
    """Seconds per call, including those on the device."""
    device.synchronize()
    started = time.perf_counter()
    for _ in range(count):
        # A result that somebody has is computed.
        result = call()
    device.synchronize()
    del result
    return (time.perf_counter() - started) / count


def _scaled(usual, factors):
    """Thresholds with some of them multiplied."""
    return {**usual, **{field: max(1, round(usual[field] * factors.get(field, 1))) for field in _FIELDS}}


def _device_of(args):
    for arg in args:
        if type(arg) is ndarray:
            return get_device(arg.device)
    return None


def _describe(name, device, args, kwargs):
    """A text that is the same for calls that are launched alike."""
    named = (f"{key}={_part(kwargs[key])}" for key in sorted(kwargs))
    return " ".join((name, device.name, *map(_part, args), *named))


def _part(value):
    if isinstance(value, ndarray | numpy.ndarray):
        return f"{value.dtype.str}{value.shape}{value.strides}"
    return repr(value)


def _read(path):
    with open(path) as file:
        content = json.load(file)
    if content.get("fields") != list(_FIELDS):
        raise ValueError(f"optimize: {path} was written for other parameters; delete it to tune anew")
    return content["records"]
