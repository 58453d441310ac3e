"""Units of special matrices: constant diagonals or antidiagonals, triangular systems with one right side."""

SIZES = {
    "u1": "uint8_t",
    "u2": "uint16_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "u16": "::gpunp::windows::Wide",
}


def _systems():
    text = '#include "gpunp/linalg/substitution.h"\n\n'
    for name, type in (("f4", "float"), ("f8", "double")):
        for upper in (False, True):
            for transposed in (False, True):
                # The last unknown is found first where the triangle that is solved with is an upper one.
                flags = ", ".join(str(flag).lower() for flag in (transposed, upper != transposed))
                place = ("upper" if upper else "lower") + "_transposed" * transposed
                text += f"GPUNP_SUBSTITUTION({name}_{place}, {type}, {flags})\n"
    return text


def units():
    """Map unit names to sources."""
    windows = "".join(f"GPUNP_WINDOWS({name}, {type})\n" for name, type in SIZES.items())
    return {
        "windows": f'#include "gpunp/linalg/windows.h"\n\n{windows}',
        "substitution": _systems(),
    }
