// Continuous distributions: a sample from parameters and the element's own random source.
//
// Sources: Marsaglia and Tsang, ACM TOMS 26 (2000) 363; Johnk, Metrika 8 (1964) 5; Michael, Schucany and
// Haas, American Statistician 30 (1976) 88; Best and Fisher, Applied Statistics 28 (1979) 152.
#pragma once
#include "gpunp/random/math.h"

namespace gpunp {
namespace random {

GPUNP_HD double standard_normal(Source& s) {
    const uint64_t radius = s.next();
    return normal(radius, s.next());
}
GPUNP_HD double standard_exponential(Source& s) {
    return exponential(s.next());
}

// Marsaglia and Tsang (2000), for shape >= 1; smaller shapes are raised by 1 and scaled by U^(1/shape).
GPUNP_HD double standard_gamma(Source& s, double shape) {
    if (shape == 0) return 0;
    double factor = 1;
    if (shape < 1) {
        factor = exp(-standard_exponential(s) / shape);
        shape += 1;
    } else if (shape == 1) {
        return standard_exponential(s);
    }
    const double d = shape - 1.0 / 3, c = 1.0 / sqrt(9 * d);
    while (s.more()) {
        const double x = standard_normal(s), base = 1 + c * x;
        if (base <= 0) continue;
        const double v = base * base * base, u = s.open();
        if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + d * (1 - v + log(v)))
            return d * v * factor;
    }
    return NAN;
}

// Johnk's method, on logarithms, so that U^(1/a) does not underflow for small a. For the smallest parameters
// even the logarithms are infinite: there the variate is 1 with probability a / (a + b), otherwise 0.
GPUNP_HD double beta(Source& s, double a, double b) {
    if (a < 1e-100 && b < 1e-100) return (a + b) * s.open() < a ? 1 : 0;
    if (a <= 1 && b <= 1) {
        while (s.more()) {
            const double x = -standard_exponential(s) / a, y = -standard_exponential(s) / b;
            const double top = x > y ? x : y;
            if (exp(x) + exp(y) > 1) continue;
            const double u = exp(x - top), v = exp(y - top);
            return u / (u + v);
        }
        return NAN;
    }
    const double x = standard_gamma(s, a), y = standard_gamma(s, b);
    return x / (x + y);
}

GPUNP_HD double chisquare(Source& s, double df) {
    return 2 * standard_gamma(s, df / 2);
}

struct Exponential {
    GPUNP_HD static double sample(Source& s, double scale, double, double) {
        return scale * standard_exponential(s);
    }
};
struct Gamma {
    GPUNP_HD static double sample(Source& s, double shape, double scale, double) {
        return scale * standard_gamma(s, shape);
    }
};
struct Beta {
    GPUNP_HD static double sample(Source& s, double a, double b, double) { return beta(s, a, b); }
};
struct F {
    GPUNP_HD static double sample(Source& s, double numerator, double denominator, double) {
        const double x = chisquare(s, numerator) * denominator;
        return x / (chisquare(s, denominator) * numerator);
    }
};
struct StudentT {
    GPUNP_HD static double sample(Source& s, double df, double, double) {
        const double x = standard_normal(s);
        return sqrt(df / 2) * x / sqrt(standard_gamma(s, df / 2));
    }
};
struct Normal {
    GPUNP_HD static double sample(Source& s, double mean, double deviation, double) {
        return mean + deviation * standard_normal(s);
    }
};
struct LogNormal {
    GPUNP_HD static double sample(Source& s, double mean, double deviation, double) {
        return exp(mean + deviation * standard_normal(s));
    }
};
struct Uniform {
    GPUNP_HD static double sample(Source& s, double low, double high, double) {
        return low + (high - low) * s.uniform();
    }
};
struct Laplace {
    GPUNP_HD static double sample(Source& s, double mean, double scale, double) {
        const double x = scale * standard_exponential(s);
        return s.next() >> 63 ? mean - x : mean + x;
    }
};
struct Gumbel {
    GPUNP_HD static double sample(Source& s, double mean, double scale, double) {
        return mean - scale * log(standard_exponential(s));
    }
};
struct Logistic {
    GPUNP_HD static double sample(Source& s, double mean, double scale, double) {
        const uint64_t word = s.next();
        return mean + scale * (exponential(~word) - exponential(word));
    }
};
struct Pareto {
    GPUNP_HD static double sample(Source& s, double a, double, double) {
        return expm1(standard_exponential(s) / a);
    }
};
struct Power {
    GPUNP_HD static double sample(Source& s, double a, double, double) {
        return exp(-standard_exponential(s) / a);
    }
};
struct Weibull {
    GPUNP_HD static double sample(Source& s, double a, double, double) {
        return a == 0 ? 0 : pow(standard_exponential(s), 1 / a);
    }
};
struct Rayleigh {
    GPUNP_HD static double sample(Source& s, double scale, double, double) {
        return scale * normal_radius(s.next());
    }
};
struct Cauchy {
    GPUNP_HD static double sample(Source& s, double, double, double) {
        const SineCosine x = sine_cosine(s.next());
        return x.sine / x.cosine;
    }
};
struct Triangular {
    GPUNP_HD static double sample(Source& s, double left, double mode, double right) {
        const double base = right - left, rising = mode - left, u = s.uniform();
        if (u * base <= rising) return left + sqrt(u * rising * base);
        return right - sqrt((1 - u) * (right - mode) * base);
    }
};
// Michael, Schucany and Haas (1976); computes the smaller root of the quadratic without cancellation.
struct Wald {
    GPUNP_HD static double sample(Source& s, double mean, double scale, double) {
        const double x = standard_normal(s), a = mean * x * x / (2 * scale);
        const double root = mean / (1 + a + sqrt(a * (a + 2)));
        return s.uniform() * (mean + root) <= mean ? root : mean * (mean / root);
    }
};
// Best and Fisher (1979): rejection from a wrapped Cauchy distribution, in their notation. For small kappa,
// where rho suffers cancellation, r is the start of its series. For large kappa, where r - cosine suffers
// cancellation, the normal approximation is sufficient.
struct VonMises {
    GPUNP_HD static double sample(Source& s, double mean, double kappa, double) {
        if (kappa < 1e-8) return wrap(mean + PI * (2 * s.uniform() - 1));
        if (kappa > 1e6) return wrap(mean + standard_normal(s) / sqrt(kappa));
        double r = 1 / kappa + kappa;
        if (kappa >= 1e-5) {
            const double tau = 1 + sqrt(1 + 4 * kappa * kappa);
            const double rho = (tau - sqrt(2 * tau)) / (2 * kappa);
            r = (1 + rho * rho) / (2 * rho);
        }
        while (s.more()) {
            const double z = sine_cosine(s.next()).cosine, cosine = (1 + r * z) / (r + z);
            const double y = kappa * (r - cosine), v = s.open();
            if (y * (2 - y) < v && log(y / v) + 1 < y) continue;
            const double theta = 2 * angle(sqrt(1 - cosine), sqrt(1 + cosine));
            return wrap(s.next() >> 63 ? mean - theta : mean + theta);
        }
        return NAN;
    }
    GPUNP_HD static double wrap(double x) {
        if (x >= -PI && x <= PI) return x;
        return x - 2 * PI * floor((x + PI) / (2 * PI));
    }
};

}  // namespace random
}  // namespace gpunp
