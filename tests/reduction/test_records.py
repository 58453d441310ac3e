"""The table of reductions."""

import numpy as np
import pytest

from gpunp.reduction.records import BY_NAME, CHARS, RECORDS, find_loops


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_loops_found_exist(record):
    """Lookups for every pair of dtypes find generated kernels only."""
    found = 0
    for source in CHARS:
        for result in CHARS:
            try:
                loops = find_loops(record.name, source, result)
            except TypeError:
                continue
            pairs = [loops.general, *([loops.fast] if loops.fast else [])]
            for unit, symbol in pairs:
                name, *types = symbol.rsplit("_", 1 if unit.startswith("reduce_general") else 2)
                kernels = BY_NAME[name]
                known = kernels.general if len(types) == 1 else kernels.fast
                assert (types[0] if len(types) == 1 else tuple(types)) in known
                # Those of the record that has the kernels: sums of booleans are those of logical_or.
                assert loops.runs is kernels.runs
                found += 1
    assert found >= 14


def test_reductions_of_ufuncs_have_the_identity_of_numpy():
    for record in RECORDS:
        ufunc = getattr(np, record.name, None)
        if isinstance(ufunc, np.ufunc):
            assert record.empty is (ufunc.identity is not None), record.name
