// A stand-in for cuBLAS: computes column-major products and triangular systems by their definitions on the
// stand-in driver's memory, which is host memory. A call first waits for the device's queue and then computes
// synchronously.
#include <dlfcn.h>
#include <stdint.h>

#include <complex>

namespace {

int g_handles = 0;

template <class T>
void multiply(int op_a, int op_b, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,
              int64_t ldb, T* c, int64_t ldc) {
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            T sum = 0;
            for (int64_t l = 0; l < k; l++) {
                sum += (op_a ? a[l + i * lda] : a[i + l * lda]) * (op_b ? b[j + l * ldb] : b[l + j * ldb]);
            }
            c[i + j * ldc] = sum;
        }
    }
}

template <class T>
int run(int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void* alpha, const void* a, int64_t lda,
        int64_t stride_a, const void* b, int64_t ldb, int64_t stride_b, const void* beta, void* c,
        int64_t ldc, int64_t stride_c, int64_t batch) {
    if (*(const T*)alpha != T(1) || *(const T*)beta != T(0)) return 7;
    for (int64_t i = 0; i < batch; i++) {
        multiply(op_a, op_b, m, n, k, (const T*)a + i * stride_a, lda, (const T*)b + i * stride_b, ldb,
                 (T*)c + i * stride_c, ldc);
    }
    return 0;
}

double conjugate(double x) {
    return x;
}
float conjugate(float x) {
    return x;
}
template <class R>
std::complex<R> conjugate(std::complex<R> x) {
    return std::conj(x);
}

// Element (i, j) of op(a).
template <class T>
T element(int op, int unit, const T* a, int64_t lda, int64_t i, int64_t j) {
    if (unit && i == j) return 1;
    return op == 0 ? a[i + j * lda] : op == 1 ? a[j + i * lda] : conjugate(a[j + i * lda]);
}

template <class T>
int solve(int side, int fill, int op, int unit, int64_t m, int64_t n, const void* alpha, const T* a,
          int64_t lda, T* b, int64_t ldb) {
    const int64_t size = side ? n : m;
    if (*(const T*)alpha != T(1) || lda < size || ldb < m) return 7;
    // A solution from the right is one from the left of the transposed system.
    const bool upper = ((fill == 1) != (op != 0)) != (side == 1);
    const int64_t sides = side ? m : n, row = side ? ldb : 1, column = side ? 1 : ldb;
    for (int64_t s = 0; s < sides; s++) {
        for (int64_t step = 0; step < size; step++) {
            const int64_t k = upper ? size - 1 - step : step;
            T& x = b[k * row + s * column];
            for (int64_t j = upper ? k + 1 : 0; j < (upper ? size : k); j++)
                x -= (side ? element(op, unit, a, lda, j, k) : element(op, unit, a, lda, k, j)) *
                     b[j * row + s * column];
            x /= element(op, unit, a, lda, k, k);
        }
    }
    return 0;
}

int synchronize() {
    static auto call = (int (*)())dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuCtxSynchronize");
    return call();
}

}  // namespace

#define TRSM(letter, T)                                                                                    \
    extern "C" int cublas##letter##trsm_v2_64(void*, int side, int fill, int op, int unit, int64_t m,      \
                                              int64_t n, const void* alpha, const T* a, int64_t lda, T* b, \
                                              int64_t ldb) {                                               \
        return synchronize() ? 7 : solve(side, fill, op, unit, m, n, alpha, a, lda, b, ldb);               \
    }                                                                                                      \
    extern "C" int cublas##letter##trsmBatched_64(void*, int side, int fill, int op, int unit, int64_t m,  \
                                                  int64_t n, const void* alpha, const T* const* a,         \
                                                  int64_t lda, T* const* b, int64_t ldb, int64_t batch) {  \
        int status = synchronize() ? 7 : 0;                                                                \
        for (int64_t i = 0; i < batch; i++)                                                                \
            status |= solve(side, fill, op, unit, m, n, alpha, a[i], lda, b[i], ldb);                      \
        return status;                                                                                     \
    }
TRSM(S, float)
TRSM(D, double)
TRSM(C, std::complex<float>)
TRSM(Z, std::complex<double>)

extern "C" {
int cublasCreate_v2(void** handle) {
    *handle = &g_handles;
    return ++g_handles > 2 ? 1 : 0;
}
int cublasSetStream_v2(void*, void*) {
    return 0;
}
int cublasSetMathMode(void*, int mode) {
    return mode == 16 ? 0 : 7;
}
int cublasGetVersion_v2(void*, int* version) {
    *version = 130000;
    return 0;
}
const char* cublasGetStatusName(int status) {
    return status == 7 ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS";
}

int cublasGemmStridedBatchedEx_64(void*, int op_a, int op_b, int64_t m, int64_t n, int64_t k,
                                  const void* alpha, const void* a, int type_a, int64_t lda, int64_t stride_a,
                                  const void* b, int type_b, int64_t ldb, int64_t stride_b, const void* beta,
                                  void* c, int type_c, int64_t ldc, int64_t stride_c, int64_t batch,
                                  int compute, int) {
    // Arguments that cuBLAS itself refuses.
    if (lda < (op_a ? k : m) || ldb < (op_b ? n : k) || ldc < m || lda < 1 || ldb < 1) return 7;
    if (type_a != type_b || type_a != type_c) return 7;
    if (synchronize()) return 7;
#define RUN(T) \
    run<T>(op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch)
    if (type_a == 0 && compute == 68) return RUN(float);
    if (type_a == 1 && compute == 70) return RUN(double);
    if (type_a == 4 && compute == 68) return RUN(std::complex<float>);
    if (type_a == 5 && compute == 70) return RUN(std::complex<double>);
    return 7;
}
}
