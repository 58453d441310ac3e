"""Units of interpolation in images: spline coefficients, and sampling in single and in double precision."""

FILTER = '#include "gpunp/ndimage/spline_filter.h"\n\n'
SAMPLING = '#include "gpunp/ndimage/sampling.h"\n\n'
PLANES = '#include "gpunp/ndimage/plane_sampling.h"\n\nGPUNP_SAMPLE_PLANES(1)\nGPUNP_SAMPLE_PLANES(3)\n'
TYPES = {"f4": "float", "f8": "double"}
# The ranks and orders that have a kernel of their own; others use one for all. Orders 4 and 5, whose filters
# have two poles, are computed in double precision only.
ORDERS = {
    "f4": {1: (1, 3), 2: (0, 1, 2, 3), 3: (0, 1, 3)},
    "f8": {1: (1, 3), 2: (0, 1, 2, 3, 4, 5), 3: (0, 1, 3)},
}
POLES = {"f4": (1,), "f8": (1, 2)}


def units():
    """Map unit names to sources."""
    filters = ""
    made = {}
    for name, kind in TYPES.items():
        for poles in POLES[name]:
            filters += f"GPUNP_SPLINE_FILTER({name}, {kind}, {poles})\n"
        text = f"{SAMPLING}GPUNP_PLACES({name}, {kind})\nGPUNP_SAMPLE_ANY({name}, {kind})\n"
        for rank, orders in ORDERS[name].items():
            for order in orders:
                text += f"GPUNP_SAMPLE({name}, {kind}, {rank}, {order})\n"
        made[f"ndimage_sampling_{name}"] = text
    return {"ndimage_spline_filter": FILTER + filters, "ndimage_plane_sampling": PLANES, **made}
