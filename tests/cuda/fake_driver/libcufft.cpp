// A stand-in for cuFFT: computes the transform by its definition on the stand-in driver's memory, which is
// host memory. A call first waits for the device's queue and then computes synchronously. Inputs of
// complex-to-real transforms are overwritten.
#include <dlfcn.h>
#include <stdint.h>

#include <cmath>
#include <complex>
#include <map>
#include <vector>

namespace {

struct Plan {
    int rank = 0, in_type = 0, out_type = 0;
    bool automatic = true;
    std::vector<long long> n, in_embed, out_embed;
    long long in_stride, in_distance, out_stride, out_distance, batch;
    size_t work = 0;
    void* area = nullptr;
    bool has_stream = false;
};

std::map<int, Plan> g_plans;
int g_next = 1;

bool is_real(int type) {
    return type == 0 || type == 1;
}

long long offset(const Plan& plan, const std::vector<long long>& embed, const std::vector<long long>& at) {
    long long sum = 0;
    for (int i = 0; i < plan.rank; i++) sum = sum * (i ? embed[i] : 1) + at[i];
    return sum;
}

template <class T>
void run(const Plan& plan, void* input, void* output, int direction) {
    using C = std::complex<T>;
    const bool real_in = is_real(plan.in_type), real_out = is_real(plan.out_type);
    long long total = 1;
    for (long long n : plan.n) total *= n;
    const int last = plan.rank - 1;
    auto place = [&](long long k) {
        std::vector<long long> at(plan.rank);
        for (int i = last; i >= 0; i--) at[i] = k % plan.n[i], k /= plan.n[i];
        return at;
    };
    for (long long b = 0; b < plan.batch; b++) {
        std::vector<C> x(total), y(total);
        for (long long k = 0; k < total; k++) {
            auto at = place(k);
            const bool mirrored = real_out && at[last] > plan.n[last] / 2;
            if (mirrored) {
                for (int i = 0; i <= last; i++) at[i] = (plan.n[i] - at[i]) % plan.n[i];
            }
            const long long where = offset(plan, plan.in_embed, at) * plan.in_stride + b * plan.in_distance;
            x[k] = real_in ? C(((T*)input)[where]) : ((C*)input)[where];
            if (mirrored) x[k] = std::conj(x[k]);
        }
        for (long long k = 0; k < total; k++) {
            const auto to = place(k);
            std::complex<double> sum = 0;
            for (long long l = 0; l < total; l++) {
                const auto from = place(l);
                double angle = 0;
                for (int i = 0; i < plan.rank; i++) angle += double(to[i] * from[i] % plan.n[i]) / plan.n[i];
                sum += std::complex<double>(x[l]) * std::polar(1.0, direction * 2 * M_PI * angle);
            }
            y[k] = C(sum);
        }
        if (real_out) {
            for (long long k = 0; k < total; k++) {
                const auto at = place(k);
                if (at[last] > plan.n[last] / 2) continue;
                ((C*)input)[offset(plan, plan.in_embed, at) * plan.in_stride + b * plan.in_distance] = NAN;
            }
        }
        for (long long k = 0; k < total; k++) {
            const auto at = place(k);
            const long long where =
                offset(plan, plan.out_embed, at) * plan.out_stride + b * plan.out_distance;
            if (real_out) {
                ((T*)output)[where] = y[k].real();
            } else if (!real_in || at[last] <= plan.n[last] / 2) {
                ((C*)output)[where] = y[k];
            }
        }
    }
}

}  // namespace

extern "C" {
int cufftCreate(int* plan) {
    *plan = g_next++;
    g_plans[*plan];
    return 0;
}
int cufftDestroy(int plan) {
    return g_plans.erase(plan) ? 0 : 1;
}
int cufftSetAutoAllocation(int plan, int automatic) {
    g_plans.at(plan).automatic = automatic;
    return 0;
}
int cufftSetStream(int plan, void*) {
    g_plans.at(plan).has_stream = true;
    return 0;
}
int cufftSetWorkArea(int plan, void* area) {
    g_plans.at(plan).area = area;
    return 0;
}
int cufftGetVersion(int* version) {
    *version = 12000;
    return 0;
}
// The number of existing plans; only for tests.
int fake_living_plans() {
    return int(g_plans.size());
}

int cufftXtMakePlanMany(int handle, int rank, long long* n, long long* in_embed, long long in_stride,
                        long long in_distance, int in_type, long long* out_embed, long long out_stride,
                        long long out_distance, int out_type, long long batch, size_t* work, int type) {
    Plan& plan = g_plans.at(handle);
    if (rank < 1 || rank > 3) return 4;
    if (in_stride < 1 || out_stride < 1 || in_distance < 1 || out_distance < 1 || batch < 1) return 4;
    const bool single = type == 4;
    if ((type != 4 && type != 5) || (is_real(in_type) && is_real(out_type))) return 3;
    if (in_type != type && in_type != (single ? 0 : 1)) return 3;
    if (out_type != type && out_type != (single ? 0 : 1)) return 3;
    for (int i = 0; i < rank; i++) {
        const long long half = i == rank - 1 ? n[i] / 2 + 1 : n[i];
        if (n[i] < 1) return 8;
        if (in_embed[i] < (is_real(out_type) ? half : n[i])) return 4;
        if (out_embed[i] < (is_real(in_type) ? half : n[i])) return 4;
    }
    plan.rank = rank;
    plan.n.assign(n, n + rank);
    plan.in_embed.assign(in_embed, in_embed + rank);
    plan.out_embed.assign(out_embed, out_embed + rank);
    plan.in_stride = in_stride;
    plan.in_distance = in_distance;
    plan.in_type = in_type;
    plan.out_stride = out_stride;
    plan.out_distance = out_distance;
    plan.out_type = out_type;
    plan.batch = batch;
    // In this stand-in only odd lengths need a work area.
    *work = plan.work = n[0] % 2 ? 512 * rank : 0;
    return 0;
}

int cufftXtExec(int handle, void* input, void* output, int direction) {
    const Plan& plan = g_plans.at(handle);
    if (!plan.has_stream || (plan.work && !plan.area && !plan.automatic)) return 13;
    const size_t alignment = plan.in_type == 0 || plan.in_type == 4 ? 8 : 16;
    if ((uintptr_t)input % alignment || (uintptr_t)output % alignment) return 9;
    auto synchronize = (int (*)())dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuCtxSynchronize");
    if (synchronize()) return 6;
    if (plan.in_type == 0 || plan.in_type == 4) {
        run<float>(plan, input, output, direction);
    } else {
        run<double>(plan, input, output, direction);
    }
    return 0;
}
}
