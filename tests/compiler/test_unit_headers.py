"""Which headers of ours a unit depends on when nvcc compiles it."""

import pytest
from codegen_scripts import script


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#pragma once\n#include "a.h"\n  # include "b.h"\n#include <c.h>\n', ["a.h", "b.h"]),
        ('#if GPUNP_ON_DEVICE\n#include "device.h"\n#else\n#include "host.h"\n#endif\n', ["device.h"]),
        ('#if !GPUNP_ON_DEVICE\n#include "host.h"\n#else\n#include "device.h"\n#endif\n', ["device.h"]),
        ('#if !GPUNP_ON_DEVICE\n#include "host.h"\n#endif\n#include "both.h"\n', ["both.h"]),
        ('#if !GPUNP_ON_DEVICE\n#ifdef X\n#include "a.h"\n#else\n#include "b.h"\n#endif\n#endif\n', []),
        ('#if GPUNP_ON_DEVICE\n#ifndef X\n#include "a.h"\n#endif\n#endif\n', ["a.h"]),
        ('#if X > 1\n#include "a.h"\n#else\n#include "b.h"\n#endif\n', ["a.h", "b.h"]),
        ('#if !GPUNP_ON_DEVICE\n#include "a.h"\n#elif X\n#include "b.h"\n#endif\n', ["b.h"]),
        ('#define GPUNP_ON_DEVICE 1\n// #include "a.h"\n', []),
    ],
)
def test_headers_for_the_host_only_do_not_count(text, expected):
    assert [*script("compile_unit").included(text)] == expected
