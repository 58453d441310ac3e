// Compiles if the compiler can build for the levels of x86-64 and ask the processor for them.
__attribute__((target("arch=x86-64-v4"))) int wide() {
    return 1;
}

int main() {
    return __builtin_cpu_supports("x86-64-v3") && __builtin_cpu_supports("x86-64-v4") ? wide() : 0;
}
