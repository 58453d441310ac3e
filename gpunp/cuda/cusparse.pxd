"""The types of cuSPARSE's functions, and values of ``cusparse.h``."""
from libc.stdint cimport int64_t
from cuda.bindings.cydriver cimport CUstream

ctypedef int (*CreateFunction)(void** made) noexcept nogil
ctypedef int (*DestroyFunction)(void* made) noexcept nogil
ctypedef int (*SetStreamFunction)(void* handle, CUstream stream) noexcept nogil
ctypedef int (*CreateRowsFunction)(
    void** matrix, int64_t rows, int64_t columns, int64_t nnz, void* start, void* indices, void* values,
    int offset_type, int index_type, int base, int value_type) noexcept nogil
ctypedef int (*SetAttributeFunction)(void* matrix, int name, void* value, size_t size) noexcept nogil
ctypedef int (*CreateVectorFunction)(void** vector, int64_t size, void* values, int value_type) noexcept nogil
ctypedef int (*CreateDenseFunction)(
    void** matrix, int64_t rows, int64_t columns, int64_t ld, void* values, int value_type,
    int order) noexcept nogil
ctypedef int (*SetValuesFunction)(void* vector, void* values) noexcept nogil
ctypedef int (*VectorSizeFunction)(
    void* handle, int op, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, size_t* size) noexcept nogil
ctypedef int (*VectorAnalysisFunction)(
    void* handle, int op, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, void* buffer) noexcept nogil
ctypedef int (*VectorSolveFunction)(
    void* handle, int op, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan) noexcept nogil
ctypedef int (*SizeFunction)(
    void* handle, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, size_t* size) noexcept nogil
ctypedef int (*AnalysisFunction)(
    void* handle, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan, void* buffer) noexcept nogil
ctypedef int (*SolveFunction)(
    void* handle, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int compute, int algorithm,
    void* plan) noexcept nogil
ctypedef int (*ProductStepFunction)(
    void* handle, int op, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c, int compute,
    int algorithm, void* plan, size_t* size, void* buffer) noexcept nogil
ctypedef int (*ProductMemoryFunction)(
    void* handle, int op, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c, int compute,
    int algorithm, void* plan, float fraction, size_t* size, void* buffer, size_t* compute_size) noexcept nogil
ctypedef int (*ProductCopyFunction)(
    void* handle, int op, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c, int compute,
    int algorithm, void* plan) noexcept nogil
ctypedef int (*MatrixSizeFunction)(void* matrix, int64_t* rows, int64_t* columns, int64_t* nnz) noexcept nogil
ctypedef int (*SetPointersFunction)(void* matrix, void* start, void* indices, void* values) noexcept nogil

cdef enum:
    INDEX_32I = 2
    INDEX_64I = 3
    BASE_ZERO = 0
    COLUMN_MAJOR = 1
    FILL_MODE = 0
    DIAGONAL_TYPE = 1
    SAME = 0                # operation
    ALGORITHM = 0
    PRODUCT_WHOLE = 3       # CUSPARSE_SPGEMM_ALG1
    PRODUCT_IN_PARTS = 5    # CUSPARSE_SPGEMM_ALG3
