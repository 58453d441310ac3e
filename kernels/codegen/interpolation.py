"""Units of scipy.interpolate: piecewise polynomials, and tensor products of B-splines, at points."""

# Degrees of B-splines with a kernel of their own; the ranks and degrees of tensor products that have one.
DEGREES = (1, 2, 3, 5)
# Widths of bands that have kernels of their own in cyclic reduction.
WIDTHS = (1, 2, 3, 4, 5)
GRIDS = {1: (1, 3, 5), 2: (1, 3, 5), 3: (1, 3)}


def units():
    """Map unit names to sources."""
    pieces = (
        "GPUNP_PIECES(power, ::gpunp::interpolate::Power)\n"
        "GPUNP_PIECES(bernstein, ::gpunp::interpolate::Bernstein)\n"
        "GPUNP_PIECES(spline, ::gpunp::interpolate::Spline<::gpunp::PIECES_DEGREE, false>)\n"
        "GPUNP_PIECES_BASIS\n"
    )
    for degree in DEGREES:
        pieces += f"GPUNP_PIECES(spline_{degree}, ::gpunp::interpolate::Spline<{degree}, true>)\n"
    grids = "GPUNP_GRID_ANY\n"
    for rank, degrees in GRIDS.items():
        for degree in degrees:
            grids += f"GPUNP_GRID({rank}, {degree})\n"
    cubics = '#include "gpunp/interpolate/cubics.h"\n#include "gpunp/interpolate/reduction.h"\n\n'
    cubics += "GPUNP_CUBICS(slopes, Slopes)\nGPUNP_CUBICS(pieces, Pieces)\nGPUNP_REDUCTION(any, 0)\n"
    for width in WIDTHS:
        cubics += f"GPUNP_REDUCTION({width}, {width})\n"
    return {
        "interpolation_cubics": cubics,
        "interpolation_pieces": '#include "gpunp/interpolate/pieces.h"\n\n' + pieces,
        "interpolation_grids": '#include "gpunp/interpolate/grid.h"\n\n' + grids,
    }
