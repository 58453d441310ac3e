// A stand-in for cuBLAS: computes the column-major product by its definition on the stand-in driver's memory,
// which is host memory. A call first waits for the device's queue and then computes synchronously.
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

}  // namespace

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
    auto synchronize = (int (*)())dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuCtxSynchronize");
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
