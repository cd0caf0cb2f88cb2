/* The point-spread function on the host: its shape, the region of interest, and the numbers that kernels get. */
#include "stars/psf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI          3.14159265358979323846
#define ROOT_HALF   0.70710678118654752440
#define LEAST_SHARE 1e-9 /* of the samples' sizes that their sum must be */

double stars_first(double x, int roi)
{
    return ceil(x - 0.5 * roi);
}

/* ---- values ---- */

/* Integral of exp(-t^2) 2 / sqrt(pi) from a to b >= a, halved; right in the tails too. */
static double between(double a, double b)
{
    if (a > 0)
        return 0.5 * (erfc(a) - erfc(b));
    if (b < 0)
        return 0.5 * (erfc(-b) - erfc(-a));
    return 0.5 * (erf(b) - erf(a));
}

double stars_psf_factor(const stars_psf *psf, int axis, double d)
{
    double s = psf->sigma[axis];

    if (psf->kind == PENTA_STARS_INTEGRATED)
        return between((d - 0.5) * ROOT_HALF / s, (d + 0.5) * ROOT_HALF / s);
    return exp(-d * d / (2 * s * s));
}

/* Keys' cubic, a = -1/2: the weights of the samples at -1, 0, 1, 2 for a point t in [0, 1) after sample 0. */
static void cubic(double t, double w[4])
{
    w[0] = ((-0.5 * t + 1) * t - 0.5) * t;
    w[1] = (1.5 * t - 2.5) * t * t + 1;
    w[2] = ((-1.5 * t + 2) * t + 0.5) * t;
    w[3] = (0.5 * t - 0.5) * t * t;
}

static double image_at(const stars_psf *psf, double dx, double dy)
{
    double u = dx * psf->oversampling + 0.5 * (double)(psf->samples_x - 1),
           v = dy * psf->oversampling + 0.5 * (double)(psf->samples_y - 1);
    double fu = floor(u), fv = floor(v), wx[4], wy[4], sum = 0;

    cubic(u - fu, wx);
    cubic(v - fv, wy);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            double x = fu - 1 + i, y = fv - 1 + j;

            if (x >= 0 && y >= 0 && x < (double)psf->samples_x && y < (double)psf->samples_y)
                sum += wx[i] * wy[j] * psf->samples[(size_t)y * psf->samples_x + (size_t)x];
        }
    return sum;
}

/* A Gaussian drawn along (mx, my), its middle at the origin: the mean over the path, in closed form. */
static double smeared(const stars_psf *psf, double dx, double dy, double mx, double my)
{
    double s = psf->sigma[0], length = hypot(mx, my), u, v;

    if (length < 1e-6 * s)
        return exp(-(dx * dx + dy * dy) / (2 * s * s));
    u = (dx * mx + dy * my) / length;
    v = (dy * mx - dx * my) / length;
    return exp(-v * v / (2 * s * s)) * s * sqrt(2 * PI) / length *
           between((u - length / 2) * ROOT_HALF / s, (u + length / 2) * ROOT_HALF / s);
}

static double at_point(const stars_psf *psf, double dx, double dy, double mx, double my)
{
    double u = dx * psf->cosine + dy * psf->sine, v = dy * psf->cosine - dx * psf->sine;

    if (psf->kind == PENTA_STARS_IMAGE)
        return image_at(psf, u, v);
    if (psf->kind == PENTA_STARS_MOFFAT)
        return pow(1 + u * u / (psf->alpha[0] * psf->alpha[0]) + v * v / (psf->alpha[1] * psf->alpha[1]), -psf->beta);
    if (mx != 0 || my != 0)
        return smeared(psf, dx, dy, mx, my);
    return exp(-u * u / (2 * psf->sigma[0] * psf->sigma[0]) - v * v / (2 * psf->sigma[1] * psf->sigma[1]));
}

double stars_psf_value(const stars_psf *psf, double dx, double dy, double mx, double my)
{
    double sum = 0;

    for (int j = 0; j < psf->quadrature; j++)
        for (int i = 0; i < psf->quadrature; i++)
            sum += psf->weights[i] * psf->weights[j] * at_point(psf, dx + psf->nodes[i], dy + psf->nodes[j], mx, my);
    return sum;
}

/* ---- the region of interest ---- */

/* The part of the flux that the ROI holds for a star with residuals (rx, ry). */
static double held(const stars_psf *psf, int roi, double rx, double ry)
{
    double sum = 0, along[2] = {0, 0};

    for (int k = 0; psf->separable && k < roi; k++) {
        along[0] += stars_psf_factor(psf, 0, k - roi / 2 - rx);
        along[1] += stars_psf_factor(psf, 1, k - roi / 2 - ry);
    }
    if (psf->separable)
        return psf->norm * along[0] * along[1];
    for (int j = 0; j < roi; j++)
        for (int i = 0; i < roi; i++)
            sum += stars_psf_value(psf, i - roi / 2 - rx, j - roi / 2 - ry, 0, 0);
    return psf->norm * sum;
}

/* The worst place of a star is where its residual is extreme. */
static double worst_held(const stars_psf *psf, int roi)
{
    double low = roi % 2 ? -0.5 : -1, least = 1;

    for (int i = 0; i < 4; i++) {
        double h = held(psf, roi, low + i % 2, low + i / 2);

        least = h < least ? h : least;
    }
    return least;
}

static penta_status choose_roi(penta_context *ctx, const penta_stars_options *o, stars_psf *psf)
{
    psf->roi = o->roi;
    if (o->flux_tolerance <= 0)
        return PENTA_OK;
    for (psf->roi = 1; psf->roi <= 64; psf->roi++)
        if (worst_held(psf, psf->roi) >= 1 - o->flux_tolerance)
            return PENTA_OK;
    return penta_fail(
        ctx, PENTA_INVALID,
        "no ROI up to 64 px holds all but %g of this PSF's flux (64 px hold %.6f); raise `flux_tolerance` or "
        "narrow the PSF",
        o->flux_tolerance, worst_held(psf, 64));
}

/* ---- set-up ---- */

/* Gauss-Legendre points on [-1/2, 1/2] by Newton's iteration on the Legendre polynomial of order n. */
static void set_points(stars_psf *psf, int n)
{
    psf->quadrature = n;
    for (int i = 0; i < n; i++) {
        double x = cos(PI * (i + 0.75) / (n + 0.5)), slope = 1;

        for (int pass = 0; pass < 50; pass++) {
            double p0 = 1, p1 = x, step;

            for (int k = 2; k <= n; k++) {
                double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;

                p0 = p1;
                p1 = p2;
            }
            slope = n * (x * p1 - p0) / (x * x - 1);
            step = p1 / slope;
            x -= step;
            if (fabs(step) < 1e-16)
                break;
        }
        psf->nodes[i] = n == 1 ? 0 : x / 2;
        psf->weights[i] = n == 1 ? 1 : 1 / ((1 - x * x) * slope * slope);
    }
}

static int points_of(const penta_stars_options *o)
{
    if (o->psf == PENTA_STARS_SAMPLED || o->psf == PENTA_STARS_IMAGE)
        return 1;
    if (o->quadrature > 0)
        return o->quadrature;
    return o->psf == PENTA_STARS_INTEGRATED ? STARS_MOST_POINTS : 1;
}

static void set_moffat(const penta_stars_options *o, stars_psf *psf)
{
    double half = sqrt(2 * log(2.0)) / sqrt(exp2(1 / o->beta) - 1); /* alpha / sigma: fwhm = 2 sqrt(2 ln 2) sigma */

    psf->beta = o->beta;
    psf->alpha[0] = psf->sigma[0] * half;
    psf->alpha[1] = psf->sigma[1] * half;
    psf->norm = (o->beta - 1) / (PI * psf->alpha[0] * psf->alpha[1]);
}

penta_status stars_psf_init(penta_context *ctx, const penta_stars_options *o, stars_psf *psf)
{
    double angle = o->angle * PI / 180;
    bool round, aligned;

    *psf = (stars_psf){.kind = o->psf, .roi = o->roi};
    psf->sigma[0] = o->sigma;
    psf->sigma[1] = o->sigma_y > 0 ? o->sigma_y : o->sigma;
    round = psf->sigma[0] <= psf->sigma[1] && psf->sigma[0] >= psf->sigma[1];
    aligned = o->angle == 0 || (round && o->psf != PENTA_STARS_IMAGE);
    psf->cosine = aligned ? 1 : cos(angle);
    psf->sine = aligned ? 0 : sin(angle);
    psf->separable = aligned && (o->psf == PENTA_STARS_SAMPLED || o->psf == PENTA_STARS_INTEGRATED);
    psf->norm = 1 / (2 * PI * psf->sigma[0] * psf->sigma[1]);
    psf->alpha[0] = psf->alpha[1] = psf->beta = 1;
    psf->oversampling = 1;
    set_points(psf, points_of(o));
    if (o->psf == PENTA_STARS_INTEGRATED && psf->separable)
        psf->norm = 1;
    if (o->psf == PENTA_STARS_MOFFAT)
        set_moffat(o, psf);
    if (o->psf == PENTA_STARS_IMAGE) {
        psf->norm = 1;
        return PENTA_OK;
    }
    return choose_roi(ctx, o, psf);
}

penta_status stars_psf_set_image(penta_context *ctx, const penta_stars_options *o, size_t width, size_t height,
                                 double oversampling, const double *samples, stars_psf *psf)
{
    penta_status status = PENTA_OK;
    stars_psf changed = *psf;
    double *copy = NULL, sum = 0, size = 0;
    size_t bytes;

    if (width == 0 || height == 0 || width > 4096 || height > 4096)
        return penta_fail(ctx, PENTA_INVALID, "a PSF image of %zu x %zu samples; 1 to 4096 a side are possible", width,
                          height);
    if (!(oversampling >= 0.01 && oversampling <= 1000))
        return penta_fail(ctx, PENTA_INVALID, "an oversampling of %g; 0.01 to 1000 are possible", oversampling);
    TRY(penta_size(ctx, width, height, sizeof *copy, &bytes));
    TRY(penta_calloc(ctx, width * height, sizeof *copy, &copy));
    for (size_t i = 0; i < width * height; i++) {
        sum += samples[i];
        size += fabs(samples[i]);
    }
    if (!(sum > LEAST_SHARE * size)) { /* NaN and infinity too */
        status = penta_fail(ctx, PENTA_INVALID,
                            "the samples of the PSF image add up to %g, their sizes to %g; a finite positive sum is "
                            "needed, of samples that do not cancel",
                            sum, size);
        goto cleanup;
    }
    for (size_t i = 0; i < width * height; i++)
        copy[i] = samples[i] / sum * (oversampling * oversampling);
    changed.samples = copy;
    changed.samples_x = width;
    changed.samples_y = height;
    changed.oversampling = oversampling;
    TRY(choose_roi(ctx, o, &changed));
    free(psf->samples);
    *psf = changed;
    copy = NULL;
cleanup:
    free(copy);
    return status;
}

void stars_psf_free(stars_psf *psf)
{
    free(psf->samples);
    psf->samples = NULL;
}

/* ---- for kernels ---- */

double stars_psf_norm(const stars_psf *psf, bool moving)
{
    return moving ? 1 / (2 * PI * psf->sigma[0] * psf->sigma[1]) : psf->norm;
}

void stars_psf_defines(const stars_psf *psf, bool moving, bool dbl, char *text, size_t size)
{
    static const char *const kinds[] = {"SAMPLED", "INTEGRATED", "MOFFAT", "IMAGE"};

    snprintf(text, size, "-DPSF_%s%s%s", kinds[psf->kind],
             moving           ? " -DPSF_MOVING"
             : psf->separable ? " -DPSF_SEPARABLE"
                              : "",
             dbl ? " -DPENTA_DOUBLE" : "");
}

void stars_psf_numbers(const stars_psf *psf, double numbers[STARS_PSF_NUMBERS])
{
    memset(numbers, 0, STARS_PSF_NUMBERS * sizeof *numbers);
    for (int i = 0; i < 2; i++) {
        numbers[PSF_HALF_INVERSE_VARIANCE + i] = 1 / (2 * psf->sigma[i] * psf->sigma[i]);
        numbers[PSF_ERF_SCALE + i] = ROOT_HALF / psf->sigma[i];
        numbers[PSF_INVERSE_ALPHA2 + i] = 1 / (psf->alpha[i] * psf->alpha[i]);
    }
    numbers[PSF_COSINE] = psf->cosine;
    numbers[PSF_SINE] = psf->sine;
    numbers[PSF_BETA] = psf->beta;
    numbers[PSF_OVERSAMPLING] = psf->oversampling;
    numbers[PSF_SAMPLES] = (double)psf->samples_x;
    numbers[PSF_SAMPLES + 1] = (double)psf->samples_y;
    numbers[PSF_QUADRATURE] = psf->quadrature;
    memcpy(numbers + PSF_NODES, psf->nodes, sizeof psf->nodes);
    memcpy(numbers + PSF_WEIGHTS, psf->weights, sizeof psf->weights);
}
