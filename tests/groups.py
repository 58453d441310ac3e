"""Groups of operations made from names, run as one kernel and one by one."""

import numpy as np
from gpunp.fusion.steps import Steps, loop_of
from waiting import PATIENCE

import gpunp
from gpunp.dtype_codes import CHARS
from gpunp.fusion import worker
from gpunp.ufunc.table.functions import typed_loops
from gpunp.ufunc.table.row import LONG, unit_of


def table_loops():
    """Row and loop of all kernels of groups: one output, up to three inputs, no errors to report."""
    # Some functions have two names.
    by_symbol = {(row.unit(loop), row.symbol(loop)): (row, loop) for row, loop in typed_loops()}
    return [
        (row, loop)
        for row, loop in by_symbol.values()
        if len(loop.outputs) == 1
        and len(loop.inputs) <= 3
        and not (row.name == "power" and np.dtype(loop.inputs[0]).kind == "i")
    ]


def loop(row, typed):
    """The loop of the engine for an entry of the op table."""
    codes = tuple(CHARS.index(char) for char in typed.inputs + typed.outputs)
    return loop_of(row.unit(typed), row.symbol(typed), codes, len(typed.inputs))


def named(name, chars):
    """The loop of a function for the dtypes of its inputs."""
    for row, typed in table_loops():
        if row.name == name and typed.inputs == chars and not typed.standard:
            return loop(row, typed)
    raise KeyError(name, chars)


def cast(source, target):
    """The loop that converts dtypes."""
    names = [np.dtype(char).str[1:] if char != "?" else "bool" for char in (source, target)]
    return loop_of(
        unit_of("cast", names[0]), "cast_" + "_".join(names), (CHARS.index(source), CHARS.index(target)), 1
    )


def bits(array, exact):
    """The bytes of an array's elements; all NaNs are the same unless ``exact``."""
    values = np.array(array.get(), order="C", ndmin=1)
    if not exact and values.dtype.kind in "fc":
        parts = values.view(values.real.dtype)
        parts[np.isnan(parts)] = np.nan
    return values.view("u1").reshape((*values.shape, -1))


def prepare(group):
    """See a group until its kernel is loaded, unless it is on disk."""
    if not group.launch():
        group.launch()
    assert worker.wait(PATIENCE)
    assert worker.failures() == []


def check_bits(steps, leaves, stores, constants=(), exact=False):
    """Run a group both ways, and compare all bits of what it stores.

    Unless ``exact``, NaNs are the same where compilers swap the operands of sums and products, which
    determine the sign of a NaN: host compilers in all dtypes, NVIDIA's assembler in float64, in which long
    functions compute all loops. Its float32 has one NaN.
    """
    on_host = stores[0][1].device.is_cpu
    group = Steps(steps, leaves, stores, constants)
    prepare(group)
    expected = [gpunp.empty(array.shape, array.dtype) for _, array in stores]
    Steps(
        steps, leaves, [(step, new) for (step, _), new in zip(stores, expected, strict=True)], constants
    ).run_one_by_one()
    assert group.launch()
    for (step, array), wanted in zip(stores, expected, strict=True):
        message = f"step {step}: {steps[step][0].symbol}"
        in_double = array.dtype.char in "dD" or steps[step][0].unit in LONG
        all_bits = exact or not (on_host or in_double)
        np.testing.assert_array_equal(bits(array, all_bits), bits(wanted, all_bits), err_msg=message)
