// An empty library: the loader of cuBLAS expects it next to cuBLAS.
extern "C" int cublasLtGetVersion() {
    return 130000;
}
