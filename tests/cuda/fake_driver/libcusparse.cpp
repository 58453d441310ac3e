// A stand-in for cuSPARSE: products of sparse matrices and triangular systems on the stand-in driver's
// memory, which is host memory. A call first waits for the device's queue and then computes synchronously. A
// product with more than 5000 products of entries has to be computed in parts.
#include <dlfcn.h>
#include <stdint.h>

#include <complex>
#include <map>
#include <vector>

namespace {

struct Matrix {
    int64_t rows, columns, nnz;
    int* start;
    int* indices;
    void* values;
    int kind;
    bool wide = false;
    int fill = 0, diagonal = 0;
};

// One or more vectors, column after column.
struct Dense {
    int64_t rows, columns;
    void* values;
    int kind;
};

struct TriangularPlan {
    void* buffer = nullptr;
};

struct Plan {
    std::vector<int> start, indices;
    std::vector<std::complex<double>> values;
    bool has_work = false, has_estimate = false, is_computed = false;
};

constexpr size_t TRIANGLE = 960;
constexpr uint64_t ANALYZED = 0x416e616c797a6564;
long analyses = 0, living = 0;
constexpr size_t WORK = 640, ESTIMATE = 320, COMPUTE = 1280;
constexpr int WHOLE = 3, IN_PARTS = 5, INVALID = 3, INTERNAL = 7, NOT_SUPPORTED = 10, TOO_LARGE = 11;

bool is_valid(int kind) {
    return kind == 0 || kind == 1 || kind == 4 || kind == 5;
}

template <class M>
std::complex<double> load(const M& m, int64_t k) {
    switch (m.kind) {
        case 0:
            return ((float*)m.values)[k];
        case 1:
            return ((double*)m.values)[k];
        case 4:
            return ((std::complex<float>*)m.values)[k];
        default:
            return ((std::complex<double>*)m.values)[k];
    }
}

template <class M>
void store(const M& m, int64_t k, std::complex<double> value) {
    switch (m.kind) {
        case 0:
            ((float*)m.values)[k] = (float)value.real();
            break;
        case 1:
            ((double*)m.values)[k] = value.real();
            break;
        case 4:
            ((std::complex<float>*)m.values)[k] = value;
            break;
        default:
            ((std::complex<double>*)m.values)[k] = value;
    }
}

int synchronize() {
    static auto call = (int (*)())dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuCtxSynchronize");
    return call();
}

void compute(const Matrix& a, const Matrix& b, Plan& plan) {
    plan.start.assign(1, 0);
    for (int64_t row = 0; row < a.rows; row++) {
        std::map<int, std::complex<double>> sums;
        for (int k = a.start[row]; k < a.start[row + 1]; k++)
            for (int m = b.start[a.indices[k]]; m < b.start[a.indices[k] + 1]; m++)
                sums[b.indices[m]] += load(a, k) * load(b, m);
        for (auto& [column, sum] : sums) {
            plan.indices.push_back(column);
            plan.values.push_back(sum);
        }
        plan.start.push_back((int)plan.indices.size());
    }
}

int64_t products(const Matrix& a, const Matrix& b) {
    int64_t count = 0;
    for (int64_t k = 0; k < a.nnz; k++) count += b.start[a.indices[k] + 1] - b.start[a.indices[k]];
    return count;
}

int64_t index_at(const Matrix& m, const int* from, int64_t k) {
    return m.wide ? ((const int64_t*)from)[k] : from[k];
}

// Solves a system with a triangle of a matrix, or its transpose or adjoint, by a dense copy.
void substitute(const Matrix& m, int op, const Dense& b, const Dense& x) {
    const int64_t n = m.rows;
    std::vector<std::complex<double>> dense((size_t)(n * n));
    for (int64_t row = 0; row < n; row++)
        for (int64_t k = index_at(m, m.start, row); k < index_at(m, m.start, row + 1); k++) {
            const int64_t column = index_at(m, m.indices, k);
            if (m.fill ? column < row : column > row) continue;
            const std::complex<double> value = load(m, k);
            dense[(size_t)(op ? column * n + row : row * n + column)] += op == 2 ? std::conj(value) : value;
        }
    const bool upper = (m.fill != 0) != (op != 0);
    for (int64_t side = 0; side < b.columns; side++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t row = upper ? n - 1 - i : i;
            std::complex<double> rest = load(b, side * n + row);
            for (int64_t column = upper ? row + 1 : 0; column < (upper ? n : row); column++)
                rest -= dense[(size_t)(row * n + column)] * load(x, side * n + column);
            store(x, side * n + row, m.diagonal ? rest : rest / dense[(size_t)(row * n + row)]);
        }
}

int make_dense(void** made, int64_t rows, int64_t columns, void* values, int kind) {
    if (!is_valid(kind) || !values) return INVALID;
    *made = new Dense{rows, columns, values, kind};
    living++;
    return 0;
}
int destroy_dense(void* made) {
    delete (Dense*)made;
    living--;
    return 0;
}
int make_plan(void** plan) {
    *plan = new TriangularPlan;
    living++;
    return 0;
}
int destroy_plan(void* plan) {
    delete (TriangularPlan*)plan;
    living--;
    return 0;
}
int analyze(void* plan, void* buffer) {
    if (!buffer || synchronize()) return INTERNAL;
    ((TriangularPlan*)plan)->buffer = buffer;
    *(uint64_t*)buffer = ANALYZED;
    analyses++;
    return 0;
}
int solve(int op, const void* alpha, void* matrix, void* b, void* x, int kind, void* plan) {
    void* const buffer = ((TriangularPlan*)plan)->buffer;
    const bool single = kind == 0 || kind == 4;
    if (single ? *(const float*)alpha != 1 : *(const double*)alpha != 1) return INVALID;
    if (!buffer || synchronize() || *(uint64_t*)buffer != ANALYZED) return INTERNAL;
    const Matrix& m = *(Matrix*)matrix;
    if (m.kind != kind || ((Dense*)b)->rows != m.rows || ((Dense*)b)->values == ((Dense*)x)->values)
        return INVALID;
    substitute(m, op, *(Dense*)b, *(Dense*)x);
    return 0;
}

}  // namespace

extern "C" {

// For the tests: how many triangles were analyzed, and how many descriptions of systems exist.
long fake_analyses() {
    return analyses;
}
long fake_living_descriptions() {
    return living;
}

int cusparseCreate(void** handle) {
    *handle = new char;
    return 0;
}
int cusparseSetStream(void* handle, void*) {
    return handle ? 0 : 1;
}
int cusparseCreateCsr(void** matrix, int64_t rows, int64_t columns, int64_t nnz, void* start, void* indices,
                      void* values, int start_type, int index_type, int base, int kind) {
    const bool wide = index_type == 3;
    if (start_type != index_type || (index_type != 2 && !wide) || base != 0 || !is_valid(kind))
        return NOT_SUPPORTED;
    if (rows < 0 || columns < 0 || nnz < 0) return INVALID;
    *matrix = new Matrix{rows, columns, nnz, (int*)start, (int*)indices, values, kind, wide};
    return 0;
}
int cusparseSpMatSetAttribute(void* matrix, int name, const void* value, size_t size) {
    if (size != sizeof(int) || name < 0 || name > 1) return INVALID;
    (name ? ((Matrix*)matrix)->diagonal : ((Matrix*)matrix)->fill) = *(const int*)value;
    return 0;
}
int cusparseCreateDnVec(void** vector, int64_t size, void* values, int kind) {
    return make_dense(vector, size, 1, values, kind);
}
int cusparseCreateDnMat(void** matrix, int64_t rows, int64_t columns, int64_t ld, void* values, int kind,
                        int order) {
    return ld != rows || order != 1 ? NOT_SUPPORTED : make_dense(matrix, rows, columns, values, kind);
}
int cusparseDnVecSetValues(void* vector, void* values) {
    ((Dense*)vector)->values = values;
    return 0;
}
int cusparseDnMatSetValues(void* matrix, void* values) {
    return cusparseDnVecSetValues(matrix, values);
}
int cusparseDestroyDnVec(void* vector) {
    return destroy_dense(vector);
}
int cusparseDestroyDnMat(void* matrix) {
    return destroy_dense(matrix);
}
int cusparseSpSV_createDescr(void** plan) {
    return make_plan(plan);
}
int cusparseSpSM_createDescr(void** plan) {
    return make_plan(plan);
}
int cusparseSpSV_destroyDescr(void* plan) {
    return destroy_plan(plan);
}
int cusparseSpSM_destroyDescr(void* plan) {
    return destroy_plan(plan);
}
int cusparseSpSV_bufferSize(void*, int, const void*, void*, void*, void*, int, int, void*, size_t* size) {
    *size = TRIANGLE;
    return 0;
}
int cusparseSpSM_bufferSize(void*, int, int, const void*, void*, void*, void*, int, int, void*,
                            size_t* size) {
    *size = TRIANGLE;
    return 0;
}
int cusparseSpSV_analysis(void*, int, const void*, void*, void*, void*, int, int, void* plan, void* buffer) {
    return analyze(plan, buffer);
}
int cusparseSpSM_analysis(void*, int, int, const void*, void*, void*, void*, int, int, void* plan,
                          void* buffer) {
    return analyze(plan, buffer);
}
int cusparseSpSV_solve(void*, int op, const void* alpha, void* matrix, void* b, void* x, int kind, int,
                       void* plan) {
    return solve(op, alpha, matrix, b, x, kind, plan);
}
int cusparseSpSM_solve(void*, int op, int op_b, const void* alpha, void* matrix, void* b, void* x, int kind,
                       int, void* plan) {
    return op_b ? NOT_SUPPORTED : solve(op, alpha, matrix, b, x, kind, plan);
}
int cusparseDestroySpMat(void* matrix) {
    delete (Matrix*)matrix;
    return 0;
}
int cusparseSpMatGetSize(void* matrix, int64_t* rows, int64_t* columns, int64_t* nnz) {
    const Matrix& m = *(Matrix*)matrix;
    *rows = m.rows;
    *columns = m.columns;
    *nnz = m.nnz;
    return 0;
}
int cusparseCsrSetPointers(void* matrix, void* start, void* indices, void* values) {
    Matrix& m = *(Matrix*)matrix;
    m.start = (int*)start;
    m.indices = (int*)indices;
    m.values = values;
    return 0;
}
int cusparseSpGEMM_createDescr(void** plan) {
    *plan = new Plan;
    return 0;
}
int cusparseSpGEMM_destroyDescr(void* plan) {
    delete (Plan*)plan;
    return 0;
}
int cusparseSpGEMM_workEstimation(void*, int op, int op_b, const void*, void* a, void* b, const void*, void*,
                                  int, int algorithm, void* plan, size_t* size, void* buffer) {
    if (op || op_b) return NOT_SUPPORTED;
    if (!buffer) {
        *size = WORK;
        return 0;
    }
    if (*size < WORK || synchronize()) return INTERNAL;
    if (algorithm == WHOLE && products(*(Matrix*)a, *(Matrix*)b) > 5000) return TOO_LARGE;
    ((Plan*)plan)->has_work = true;
    return 0;
}
int cusparseSpGEMM_estimateMemory(void*, int, int, const void*, void*, void*, const void*, void*, int,
                                  int algorithm, void* plan, float fraction, size_t* size, void* buffer,
                                  size_t* compute_size) {
    if (algorithm != IN_PARTS || !(fraction > 0 && fraction <= 1) || !((Plan*)plan)->has_work) return INVALID;
    if (!buffer) {
        *size = ESTIMATE;
        return 0;
    }
    if (*size < ESTIMATE) return INTERNAL;
    *compute_size = COMPUTE;
    ((Plan*)plan)->has_estimate = true;
    return 0;
}
int cusparseSpGEMM_compute(void*, int, int, const void* alpha, void* a, void* b, const void*, void* c,
                           int kind, int algorithm, void* plan, size_t* size, void* buffer) {
    Plan& made = *(Plan*)plan;
    if (!made.has_work || (algorithm == IN_PARTS && !made.has_estimate)) return INVALID;
    const bool single = kind == 0 || kind == 4;
    if (single ? *(const float*)alpha != 1 : *(const double*)alpha != 1) return INVALID;
    if (!buffer) {
        *size = COMPUTE;
        return 0;
    }
    if (*size < COMPUTE || synchronize()) return INTERNAL;
    compute(*(Matrix*)a, *(Matrix*)b, made);
    ((Matrix*)c)->nnz = (int64_t)made.indices.size();
    made.is_computed = true;
    return 0;
}
int cusparseSpGEMM_copy(void*, int, int, const void*, void*, void*, const void*, void* c, int, int,
                        void* plan) {
    const Plan& made = *(Plan*)plan;
    const Matrix& to = *(Matrix*)c;
    if (!made.is_computed || !to.start || (to.nnz && (!to.indices || !to.values))) return INVALID;
    if (synchronize()) return INTERNAL;
    for (size_t i = 0; i < made.start.size(); i++) to.start[i] = made.start[i];
    for (int64_t k = 0; k < to.nnz; k++) {
        to.indices[k] = made.indices[k];
        store(to, k, made.values[k]);
    }
    return 0;
}
}
