/* The separating mixture of pentacl/spinodal.h. Kernels and the scheme: cl/autocorr/spinodal.cl. */
#include <pentacl/spinodal.h>

#include <math.h>

#include "core/core.h"
#include "math/fft.h"
#include "math/rng.h"

enum { STEPS_BETWEEN_REPORTS = 16 }; /* also the most that wait in the queue */
static const double two_pi = 6.283185307179586;
static const double g = 0.29289321881345248; /* of the scheme, 1 - 1/sqrt 2 */
/* S. The energy falls in every step where S is at least half of the largest 3 u^2 - 1, which is 1 at the phases (J.
 * Shen and X. Yang, Discrete Contin. Dyn. Syst. 28 (2010) 1669, for the scheme of first order). */
static const double stabiliser = 1;

static const penta_option option_rows[] = {
    PENTA_REAL_OPTION(penta_spinodal_options, composition, 0, 0, -0.9, 0.9, "", "mean of u"),
    PENTA_REAL_OPTION(penta_spinodal_options, noise, 0, 0.05, 1e-9, 0.5, "", "standard deviation of u at t = 0"),
    PENTA_REAL_OPTION(penta_spinodal_options, cell, 0, 1, 0.1, 1.5, "", "side of a cell"),
    PENTA_REAL_OPTION(penta_spinodal_options, step, 0, 0.25, 1e-6, 0.5, "", "largest time step"),
    PENTA_INT_OPTION(penta_spinodal_options, seed, 0, 1, 0, 2147483647, "", "seed of the noise"),
    PENTA_CHOICE_OPTION(penta_spinodal_options, fft, 0, "auto,clfft,vkfft", "FFT library"),
    PENTA_OPTIONS_END};

const penta_option *penta_spinodal_option_table(void)
{
    return option_rows;
}

struct penta_spinodal {
    penta_resources resources;
    penta_context *ctx;
    penta_spinodal_options options;
    size_t width, height, half; /* half: waves along x */
    double time;
    penta_fft *fft;
    penta_kernel react, first, second;
    penta_buffer f, plane, nonlinear; /* the present state; the plane being transformed; N(u) of the present state */
    double *host;                     /* height x half complex */
};

void penta_spinodal_destroy(penta_spinodal *s)
{
    penta_plan_free(s);
}

/* ---- the beginning ---- */

static size_t plane_bytes(const penta_spinodal *s)
{
    return s->height * s->half * 2 * sizeof *s->host;
}

/* Puts noise without its mean into the plane and its transform into f; the wave k = 0 of f is exactly the composition.
 */
static penta_status begin(penta_spinodal *s)
{
    penta_status status = PENTA_OK;
    const penta_spinodal_options *o = &s->options;
    double width = sqrt(12) * o->noise;

    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++) {
            penta_rng rng = penta_rng_at((uint64_t)o->seed, PENTA_RNG_SPINODAL, y * s->width + x);

            s->host[2 * y * s->half + x] = width * (penta_rng_open(&rng) - 0.5);
        }
    TRY(penta_buffer_write(&s->plane, 0, s->host, plane_bytes(s)));
    TRY(penta_fft_forward(s->fft, &s->plane));
    TRY(penta_buffer_read(&s->plane, 0, s->host, plane_bytes(s)));
    s->host[0] = o->composition * (double)s->width * (double)s->height;
    s->host[1] = 0;
    TRY(penta_buffer_write(&s->f, 0, s->host, plane_bytes(s)));
    TRY(penta_buffer_write(&s->plane, 0, s->host, plane_bytes(s)));
cleanup:
    return status;
}

static penta_status check(penta_context *ctx, size_t width, size_t height)
{
    if (width < 4 || height < 4)
        return penta_fail(ctx, PENTA_INVALID, "a grid of %zu x %zu cells is too small: 4 x 4 at least", width, height);
    if (width > INT32_MAX / 4 || height > INT32_MAX / 4)
        return penta_fail(ctx, PENTA_INVALID, "a grid of %zu x %zu cells is too large", width, height);
    return penta_require_double(ctx, "spinodal decomposition needs");
}

penta_status penta_spinodal_create(penta_context *ctx, size_t width, size_t height, const penta_spinodal_options *opt,
                                   penta_spinodal **out)
{
    penta_status status = PENTA_OK;
    penta_spinodal *s = NULL;
    penta_spinodal_options options;
    const penta_fft_shape shape = {.rank = 2, .nx = width, .ny = height, .batch = 1, .real = true, .dbl = true};
    size_t bytes = 0;

    *out = NULL;
    TRY(penta_options_resolve(ctx, penta_spinodal_option_table(), opt, &options, sizeof options));
    TRY(check(ctx, width, height));
    TRY(penta_plan_alloc(ctx, &s));
    s->ctx = ctx;
    s->options = options;
    s->width = width;
    s->height = height;
    s->half = width / 2 + 1;
    TRY(penta_size(ctx, height, s->half, 2 * sizeof *s->host, &bytes));
    TRY(penta_calloc(&s->resources, height * s->half, 2 * sizeof *s->host, &s->host));
    TRY(penta_buffer_create(&s->resources, bytes, &s->f));
    TRY(penta_buffer_create(&s->resources, bytes, &s->plane));
    TRY(penta_buffer_create(&s->resources, bytes, &s->nonlinear));
    TRY(penta_kernels_get(
        &s->resources, "autocorr/spinodal.cl", "",
        KERNELS({&s->react, "spinodal_react"}, {&s->first, "spinodal_first"}, {&s->second, "spinodal_second"})));
    TRY(penta_fft_create(ctx, (enum penta_fft_backend)options.fft, &shape, &s->fft));
    TRY(penta_own(&s->resources, &s->fft, penta_fft_destroy));
    TRY(begin(s));
    *out = s;
    s = NULL;
cleanup:
    penta_spinodal_destroy(s);
    return status;
}

/* ---- time; between calls plane holds f ---- */

static penta_status transform_reaction(penta_spinodal *s)
{
    penta_status status = PENTA_OK;
    double scale = 1 / ((double)s->width * (double)s->height);

    TRY(penta_fft_inverse(s->fft, &s->plane));
    TRY(penta_launch(&s->react, penta_grid_rows(penta_grid_2d(s->width, s->height)),
                     ARGS((int)s->width, (int)(2 * s->half), scale, 1 + stabiliser, &s->plane)));
    TRY(penta_fft_forward(s->fft, &s->plane));
cleanup:
    return status;
}

static penta_status step(penta_spinodal *s, double h)
{
    penta_status status = PENTA_OK;
    penta_grid waves = penta_grid_rows(penta_grid_2d(s->half, s->height));
    double fx = two_pi / ((double)s->width * s->options.cell), fy = two_pi / ((double)s->height * s->options.cell);
    int width = (int)s->half, height = (int)s->height;

    TRY(transform_reaction(s));
    TRY(penta_launch(&s->first, waves, ARGS(&s->f, width, height, fx, fy, stabiliser, h, g, &s->plane, &s->nonlinear)));
    TRY(transform_reaction(s));
    TRY(penta_launch(&s->second, waves,
                     ARGS(&s->nonlinear, width, height, fx, fy, stabiliser, h, g, &s->f, &s->plane)));
cleanup:
    return status;
}

penta_status penta_spinodal_advance(penta_spinodal *s, double time)
{
    penta_status status = PENTA_OK;
    const double begun = s->time, span = time - begun;
    size_t steps;

    if (!(span >= 0) || !isfinite(time))
        return penta_fail(s->ctx, PENTA_INVALID, "time %g lies before %g, where the field is", time, begun);
    if (span / s->options.step > 1e12)
        return penta_fail(s->ctx, PENTA_INVALID, "from %g to time %g are more than 1e12 steps of %g", begun, time,
                          s->options.step);
    steps = (size_t)ceil(span / s->options.step - 1e-9);
    steps = steps == 0 && span > 0 ? 1 : steps;
    for (size_t i = 0; i < steps; i++) {
        if (i % STEPS_BETWEEN_REPORTS == 0) {
            TRY(penta_finish(s->ctx));
            TRY(penta_report_progress(s->ctx, (double)i, (double)steps));
        }
        TRY(step(s, span / (double)steps));
        s->time = i + 1 == steps ? time : begun + span * (double)(i + 1) / (double)steps;
    }
cleanup:
    return status;
}

/* ---- results ---- */

/* Reads u, not yet scaled, into host. */
static penta_status fetch_field(penta_spinodal *s)
{
    penta_status status = PENTA_OK;

    TRY(penta_fft_inverse(s->fft, &s->plane));
    TRY(penta_buffer_read(&s->plane, 0, s->host, plane_bytes(s)));
cleanup:
    return status;
}

/* Reads f into host, and copies it back into plane. */
static penta_status fetch_waves(penta_spinodal *s)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_read(&s->f, 0, s->host, plane_bytes(s)));
    TRY(penta_buffer_write(&s->plane, 0, s->host, plane_bytes(s)));
cleanup:
    return status;
}

static double value_at(const penta_spinodal *s, size_t x, size_t y)
{
    return s->host[2 * y * s->half + x] / ((double)s->width * (double)s->height);
}

penta_status penta_spinodal_read(penta_spinodal *s, double *u)
{
    penta_status status = PENTA_OK;

    TRY(fetch_field(s));
    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++)
            u[y * s->width + x] = value_at(s, x, y);
    TRY(fetch_waves(s));
cleanup:
    return status;
}

/* mean of (u^2 - 1)^2 / 4 */
static double bulk_energy(const penta_spinodal *s)
{
    double sum = 0;

    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++) {
            double u = value_at(s, x, y), well = u * u - 1;

            sum += well * well / 4;
        }
    return sum / ((double)s->width * (double)s->height);
}

/* Sums over all waves but k = 0 of the structure factor |f|^2 / cells^2. */
typedef struct {
    double plain, times_k, times_k2; /* k in radians a cell */
} wave_sums;

static wave_sums sum_waves(const penta_spinodal *s)
{
    wave_sums sums = {0, 0, 0};
    double cells = (double)s->width * (double)s->height;

    for (size_t y = 0; y < s->height; y++)
        for (size_t x = y == 0 ? 1 : 0; x < s->half; x++) {
            const double *f = s->host + 2 * (y * s->half + x);
            double kx = two_pi * (double)x / (double)s->width;
            double ky = two_pi * (double)(2 * y <= s->height ? y : s->height - y) / (double)s->height;
            double twice = x == 0 || 2 * x == s->width ? 1 : 2, k2 = kx * kx + ky * ky;
            double factor = twice * (f[0] * f[0] + f[1] * f[1]) / (cells * cells);

            sums.plain += factor;
            sums.times_k += factor * sqrt(k2);
            sums.times_k2 += factor * k2;
        }
    return sums;
}

penta_status penta_spinodal_measure(penta_spinodal *s, penta_spinodal_measures *m)
{
    penta_status status = PENTA_OK;
    const double cell = s->options.cell;
    double bulk;
    wave_sums sums;

    TRY(fetch_field(s));
    bulk = bulk_energy(s);
    TRY(fetch_waves(s));
    sums = sum_waves(s);
    *m = (penta_spinodal_measures){.time = s->time,
                                   .mean = s->host[0] / ((double)s->width * (double)s->height),
                                   .sd = sqrt(sums.plain),
                                   .wave_number = sums.times_k / sums.plain,
                                   .energy = bulk + sums.times_k2 / (2 * cell * cell)};
cleanup:
    return status;
}
