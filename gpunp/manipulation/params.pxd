"""Parameters of the kernels that only move elements, and their planning."""
from libc.stdint cimport int64_t

cdef extern from "gpunp/manipulation/concatenate_params.h" namespace "gpunp":
    enum:
        MAX_PIECES, FEW_PIECES, PIECE_BLOCK
    const long long PIECE_TILE, NARROW_ROW, NARROW_PIECE
    ctypedef struct PiecesParams:
        char* out
        long long rows
        long long pitch
        long long group_rows
        int count
        int group_tiles
        const char* source[1]
        long long source_pitch[1]
        long long offset[1]
        int tile[1]
    ctypedef struct FewPiecesParams:
        int count
    long long piece_tiles(long long row_bytes, long long rows)

cdef extern from "gpunp/manipulation/axis_maps_params.h" namespace "gpunp":
    enum:
        MAX_MAPPED_AXES
        MAP_BLOCK, MAP_UNROLL
    cdef enum MapRule:
        STRAIGHT, CYCLE, NEAREST, MIRROR, MIRROR_EDGES, DIVIDE, OUTSIDE
    struct AxisMap:
        long long extent
        long long length
        long long stride
        long long offset
        int rule
        int constant
    struct MapParams:
        const char* source
        char* out
        long long size
        int ndim
        long long begin
        long long end
        long long at
        AxisMap axes[8]
        unsigned char constants[16][16]

cdef extern from "gpunp/manipulation/copies_params.h" namespace "gpunp":
    enum:
        COPIES_BLOCK
    struct CopiesParams:
        unsigned int copies
    struct RepeatEvenlyParams:
        unsigned int times

cdef extern from "gpunp/manipulation/plan.h" namespace "gpunp":
    void shorten(const PiecesParams& p, FewPiecesParams& few) nogil
    void find_stretch(MapParams& p) nogil
    long long plan_copies(const MapParams& p, int size, CopiesParams& copies) nogil
    long long plan_repeats(const MapParams& p, int size, RepeatEvenlyParams& repeats) nogil

cdef extern from "gpunp/manipulation/repeat_params.h" namespace "gpunp":
    enum:
        REPEAT_BLOCK, REPEAT_TILE
    struct RepeatParams:
        const char* source
        char* out
        const int64_t* ends
        long long length
        long long total
        long long outer
        long long inner
        long long tiles
        long long segment
        long long outer_chunk
        int tile
