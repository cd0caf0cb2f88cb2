/*
 * Bartlett (J. R. Stat. Soc. Suppl. 8 (1946) 27): cov(C(u), C(v)) = 2 P(u - v) / n for offsets u, v outside the core of
 * C2D, n pixel pairs and the halves +v and -v of the plane taken together, P(d) = sum of C(s) C(s + d) over the core.
 * With C = spike delta + g, P(d) = spike^2 delta(d) + 2 spike g(d) + Q(d). Q is taken as a Gaussian of Q(0) = sum g^2
 * and of the integral (sum g)^2, g as one of half its width2. A Gaussian exp(-d^2 / 2 w) has on rings of radii a and b
 * the mean exp(-(a - b)^2 / 2 w) exp(-a b / w) I0(a b / w).
 */
#include "autocorr/chance.h"

#include <math.h>

static const double pi = 3.14159265358979323846;
static const double least_width2 = 0.16; /* px^2: g of a single pixel */

/* exp(-x) I0(x), x >= 0, to 2e-7 (Abramowitz and Stegun 9.8.1, 9.8.2). */
static double scaled_i0(double x)
{
    static const double near[] = {1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813};
    static const double far[] = {0.39894228,  0.01328592, 0.00225319,  -0.00157565, 0.00916281,
                                 -0.02057706, 0.02635537, -0.01647633, 0.00392377};
    const double *series = x < 3.75 ? near : far;
    double t = x < 3.75 ? (x / 3.75) * (x / 3.75) : 3.75 / x, sum = 0;

    for (int i = x < 3.75 ? 6 : 8; i >= 0; i--)
        sum = sum * t + series[i];
    return x < 3.75 ? sum * exp(-x) : sum / sqrt(x);
}

/* C1D just beside the origin, without the white noise that is at the origin alone. */
static double smooth_top(const penta_autocorr_bin *c1d, double floor)
{
    double slope = (c1d[1].c - c1d[2].c) / (c1d[2].mean_r - c1d[1].mean_r);

    return fmin(c1d[0].c, c1d[1].c + fmax(slope * c1d[1].mean_r / 2, 0)) - floor;
}

chance_core autocorr_chance_core(const penta_autocorr_bin *c1d, size_t trough, const chance_image *image)
{
    double floor = fmax(c1d[trough].c, 0), top = fmax(smooth_top(c1d, floor), 0);
    chance_core core = {.image = *image, .spike = c1d[0].c - floor - top, .top = top, .power = top * top};
    double sum = top;

    for (size_t i = 1; i < trough && (i < 2 || c1d[i].c > floor); i++) {
        double g = c1d[i].c - floor, count = (double)c1d[i].count;

        sum += count * g;
        core.power += count * (g * g + c1d[i].sd * c1d[i].sd);
    }
    core.width2 = core.power > 0 ? fmax(sum * sum / (2 * pi * core.power), least_width2) : least_width2;
    return core;
}

/* Mean of P(u - v) over the rings of radii a and b. */
static double mean_product(const chance_core *core, double a, double b)
{
    double q = core->width2, g = q / 2, apart = (a - b) * (a - b);
    double sum = core->power * exp(-apart / (2 * q)) * scaled_i0(a * b / q);

    sum += 2 * core->spike * core->top * exp(-apart / (2 * g)) * scaled_i0(a * b / g);
    return apart < 0.25 ? sum + core->spike * core->spike / (2 * pi * fmax(a, 0.5)) : sum;
}

/* The mean share of the image that overlaps itself at the offsets of a ring. */
static double overlap(const chance_image *image, double r)
{
    return 1 - 2 / pi * (1 / image->width + 1 / image->height) * r + r * r / (pi * image->width * image->height);
}

double autocorr_chance_sd(const chance_core *core, double a, double b)
{
    double pairs = core->image.pixels * sqrt(overlap(&core->image, a) * overlap(&core->image, b));
    double sum = mean_product(core, a, a) + mean_product(core, b, b) - 2 * mean_product(core, a, b);

    return sqrt(2 * fmax(sum, 0) / pairs);
}

double autocorr_correlation_length(const penta_autocorr_bin *c1d, size_t bins)
{
    double least;
    size_t i = 1;

    if (bins < 3)
        return bins > 0 ? c1d[bins - 1].mean_r : (double)NAN;
    least = smooth_top(c1d, 0) * exp(-1);
    while (i + 1 < bins && least > 0 && c1d[i].c > least && isfinite(c1d[i + 1].c))
        i++;
    return c1d[i].mean_r;
}
