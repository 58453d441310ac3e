"""Units of scipy.signal: recursive and polyphase filters, convolution of images, segments and peaks."""

# The systems with a kernel for a fixed number of states, as in gpunp_scipy/signal/recursion.py.
SYSTEMS = {
    "transfer_2": "Transfer<2>",
    "transfer_4": "Transfer<4>",
    "transfer_8": "Transfer<8>",
    "cascade_2": "Cascade<2>",
    "cascade_3": "Cascade<3>",
    "cascade_4": "Cascade<4>",
}
# Segments: the dtypes of the signal, of the result and of the window.
SEGMENTS = (
    *(("f4", "f4", "f4"), ("f8", "f8", "f8"), ("f4", "f8", "f8")),
    *(("c8", "c8", w) for w in ("f4", "c8")),
    *((x, "c16", w) for x in ("c8", "c16") for w in ("f8", "c16")),
)


def _recursive():
    units = {}
    for kind in ("transfer", "cascade"):
        text = '#include "gpunp/signal/iir_scan.h"\n#include "gpunp/signal/iir_columns.h"\n\n'
        for name, system in SYSTEMS.items():
            if name.startswith(kind):
                text += f"GPUNP_IIR_ROWS({name}, {system})\nGPUNP_IIR_COLUMNS({name}, {system})\n"
        units[f"iir_{kind}"] = text
    units["iir_general"] = (
        '#include "gpunp/signal/iir_columns.h"\n\n'
        "GPUNP_IIR_GENERAL(f8, double)\nGPUNP_IIR_GENERAL(c16, gpunp::c16)\n"
    )
    return units


def units():
    """Map unit names to sources."""
    units = _recursive()
    polyphase = "".join(f"GPUNP_POLYPHASE({name}, gpunp::{name})\n" for name in ("f4", "f8", "c8", "c16"))
    units["polyphase"] = '#include "gpunp/signal/polyphase.h"\n\n' + polyphase
    images = "".join(
        f"GPUNP_CONVOLVE2D({name}, gpunp::{name})\n" for name in ("i4", "i8", "f4", "f8", "c8", "c16")
    )
    units["convolve2d"] = '#include "gpunp/signal/convolve2d.h"\n\n' + images
    segments = "".join(
        f"GPUNP_SEGMENTS({x}_{y}_{w}, gpunp::{x}, gpunp::{y}, gpunp::{w})\n" for x, y, w in SEGMENTS
    )
    units["segments"] = '#include "gpunp/signal/segments.h"\n\n' + segments
    peaks = "GPUNP_PEAKS(prominence)\nGPUNP_PEAKS(width)\nGPUNP_PEAKS_DISTANCE\n"
    units["peaks"] = '#include "gpunp/signal/peaks.h"\n\n' + peaks
    return units
