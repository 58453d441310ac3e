// Prints a checksum of the results of each host function that is written for vectors: the same for every
// processor.
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "gpunp/math/elementary.h"
#include "gpunp/math/host_vector_error.h"
#include "gpunp/math/host_vector_plane.h"
#include "gpunp/math/host_vector_power.h"
#include "gpunp/math/host_vector_small.h"
#include "gpunp/reduction/reduce_host.h"

using namespace gpunp;

constexpr int COUNT = 10007;

uint64_t state = 1;
double next(double low, double high) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

template <class T>
std::vector<T> numbers(double low, double high) {
    std::vector<T> x(COUNT);
    for (T& value : x) value = (T)next(low, high);
    const T special[] = {(T)0, (T)-0.0, (T)1, (T)-1, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)1e-30, (T)1e30};
    for (int i = 0; i < 9; i++) x[100 * i + 5] = special[i];
    return x;
}

template <class T>
void print(const char* name, std::vector<T>& results) {
    for (T& value : results)
        if (value != value) value = 0;  // the bits of NaN are free
    uint64_t sum = 0xcbf29ce484222325ull;
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(results.data());
    for (size_t i = 0; i < results.size() * sizeof(T); i++) sum = (sum ^ bytes[i]) * 0x100000001b3ull;
    printf("%s%zu %016llx\n", name, 8 * sizeof(T), (unsigned long long)sum);
}

template <class T>
void one(const char* name, void (*block)(const T*, T*, int64_t), double low, double high) {
    const std::vector<T> x = numbers<T>(low, high);
    std::vector<T> out(COUNT);
    block(x.data(), out.data(), COUNT);
    print(name, out);
}
template <class T>
void two(const char* name, void (*block)(const T*, const T*, T*, int64_t), double low, double high) {
    const std::vector<T> x = numbers<T>(low, high), y = numbers<T>(low, high);
    std::vector<T> out(COUNT);
    block(x.data(), y.data(), out.data(), COUNT);
    print(name, out);
}

template <class T>
void elementary() {
    one<T>("exp", &math::exp_block, -90, 90);
    one<T>("exp2_", &math::exp2_block, -120, 120);
    one<T>("expm1_", &math::expm1_block, -3, 3);
    one<T>("log", &math::log_block, 0.001, 1000);
    one<T>("log2_", &math::log2_block, 0.001, 1000);
    one<T>("log10_", &math::log10_block, 0.001, 1000);
    one<T>("log1p_", &math::log1p_block, -0.9, 10);
    one<T>("tanh", &math::tanh_block, -5, 5);
    one<T>("sin", &math::sin_block, -1000, 1000);
    one<T>("cos", &math::cos_block, -1000, 1000);
    one<T>("erf", &math::erf_block, -4, 4);
    one<T>("erfc", &math::erfc_block, -4, 10);
    one<T>("ndtr", &math::ndtr_block, -8, 8);
    two<T>("arctan2_", &math::angle_block<1>, -5, 5);
    two<T>("hypot", &math::hypot_block<1>, -5, 5);
}

template <class T>
void places() {
    std::vector<T> x(8192);
    for (T& value : x) value = (T)next(-1, 1);
    x[5000] = 2;
    const int skipped = reduction::skip_others(x.data(), 8192, (T)2);
    printf("place %d %d\n", skipped <= 5000 && skipped > 4000, reduction::skip_others(x.data(), 8192, (T)3));
    x[100] = (T)NAN;
    printf("NaN %d\n", reduction::skip_others(x.data(), 8192, (T)NAN) <= 100);
}

int main() {
    elementary<float>();
    elementary<double>();
    // Powers of negative, infinite and tiny numbers are the C library's.
    std::vector<double> x(COUNT), y(COUNT), out(COUNT);
    for (int i = 0; i < COUNT; i++) x[i] = next(0.01, 30), y[i] = next(-30, 30);
    math::power_block(x.data(), y.data(), out.data(), COUNT);
    print("power", out);
    places<float>();
    places<double>();
    std::vector<uint8_t> truth(8192);
    for (uint8_t& value : truth) value = next(0, 1) < 0.3;
    printf("truth %d %d %d\n", reduction::count_bytes(truth.data(), 8191),
           reduction::find_truth<true>(truth.data(), 8192), reduction::find_truth<false>(truth.data(), 8192));
}
