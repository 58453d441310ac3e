"""The unit of the kernels that only move elements, by element size instead of dtype."""

HEADER = """#include "gpunp/manipulation/axis_maps.h"
#include "gpunp/manipulation/concatenate.h"
#include "gpunp/manipulation/copies.h"
#include "gpunp/manipulation/repeat.h"
#include "gpunp/creation/triangle.h"

using namespace gpunp;

#if !GPUNP_ON_DEVICE
GPUNP_HOST_KERNEL(concatenate_pieces, ::gpunp::concatenate_pieces);
#endif
"""
TYPES = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "Bytes16"}


def units():
    """Map unit names to sources."""
    lines = [f"GPUNP_MAP_AXES(map_axes_{size}, {name})\n" for size, name in TYPES.items()]
    lines += [f"GPUNP_COPIES(copies_{size}, {name})\n" for size, name in TYPES.items() if size >= 4]
    lines += [f"GPUNP_REPEAT_EVENLY(repeat_evenly_{size}, {name})\n" for size, name in TYPES.items()]
    lines += [f"GPUNP_REPEAT_COUNTS(repeat_counts_{size}, {name})\n" for size, name in TYPES.items()]
    lines += [f"GPUNP_TRIANGLE(triangle_{size}, {name})\n" for size, name in TYPES.items()]
    return {"manipulation": HEADER + "\n" + "".join(lines)}
