/* A frame on the host, before it goes to the device: checks, moments, conversion, removal of a plane. */
#include <math.h>
#include <stdlib.h>

#include "autocorr/settings.h"

/* ---- NaN and infinite pixels ---- */

static bool is_real(const autocorr_settings *s)
{
    return s->input == PENTA_F32 || s->input == PENTA_F64;
}

static penta_status count_nan(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                              size_t *nan_pixels, size_t *counted)
{
    for (size_t i = 0; i < s->width * s->height; i++) {
        double v, w;

        if (frame->mask && !frame->mask[i])
            continue;
        v = penta_value_at(s->input, frame->image, i);
        w = frame->with ? penta_value_at(s->input, frame->with, i) : 0;
        ++*counted;
        if (isinf(v) || isinf(w))
            return penta_fail(ctx, PENTA_INVALID,
                              "pixel (%zu, %zu), counted from 0, is infinite; make it NaN, which leaves it out, or "
                              "exclude it with a mask",
                              i % s->width, i / s->width);
        *nan_pixels += isnan(v) || isnan(w);
    }
    return PENTA_OK;
}

penta_status autocorr_frame_check(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                                  size_t *nan_pixels)
{
    penta_status status = PENTA_OK;
    size_t counted = 0;

    *nan_pixels = 0;
    if (!is_real(s))
        return PENTA_OK;
    TRY(count_nan(ctx, s, frame, nan_pixels, &counted));
    if (counted > 0 && *nan_pixels == counted)
        status = penta_fail(ctx, PENTA_INVALID, "every pixel is NaN, so nothing is left to correlate");
cleanup:
    return status;
}

penta_status autocorr_frame_mask(penta_context *ctx, const autocorr_settings *s, const penta_autocorr_frame *frame,
                                 uint8_t **mask)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(ctx, s->width * s->height, 1, mask));
    for (size_t i = 0; i < s->width * s->height; i++)
        (*mask)[i] = (!frame->mask || frame->mask[i]) && !isnan(penta_value_at(s->input, frame->image, i)) &&
                     !(frame->with && isnan(penta_value_at(s->input, frame->with, i)));
cleanup:
    return status;
}

/* ---- moments ---- */

/* The sums are exact in 64 bits: the callers keep width * height below 2^31. */
static autocorr_moments sum_integers(const void *v, penta_type type, const uint8_t *mask, size_t count)
{
    uint64_t n = 0, sum = 0, square = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t use = !mask || mask[i];
        uint64_t x = use * (type == PENTA_U8 ? ((const uint8_t *)v)[i] : ((const uint16_t *)v)[i]);

        n += use;
        sum += x;
        square += x * x;
    }
    return (autocorr_moments){(double)n, (double)sum, (double)square};
}

static autocorr_moments sum_real(const void *v, penta_type type, const uint8_t *mask, size_t width, size_t height)
{
    autocorr_moments m = {0, 0, 0};

    for (size_t y = 0; y < height; y++) {
        double n = 0, sum = 0, square = 0; /* line by line, to keep rounding errors small */

        for (size_t i = y * width; i < (y + 1) * width; i++) {
            double x = penta_value_at(type, v, i);

            if (mask && !mask[i])
                continue;
            n += 1;
            sum += x;
            square += x * x;
        }
        m.pixels += n;
        m.sum += sum;
        m.square += square;
    }
    return m;
}

static autocorr_moments moments_of(const autocorr_settings *s, const void *data, const uint8_t *mask)
{
    size_t count = s->width * s->height;

    if (s->type == PENTA_U8 || s->type == PENTA_U16)
        return sum_integers(data, s->type, mask, count);
    return sum_real(data, s->type, mask, s->width, s->height);
}

double autocorr_frame_mean_ratio(const autocorr_settings *s, const penta_autocorr_frame *frame)
{
    size_t n = 0;
    double mean = 0, square = 0;

    for (size_t i = 0; i < s->width * s->height; i++) { /* Welford's sums */
        double v = penta_value_at(s->input, frame->image, i), d = v - mean;

        if ((frame->mask && !frame->mask[i]) || isnan(v))
            continue;
        n++;
        mean += d / (double)n;
        square += d * (v - mean);
    }
    return square > 0 ? mean * mean / (square / (double)n) : 0;
}

/* The least-squares plane c[0] + c[1] x' + c[2] y' over the valid pixels; x' and y' are measured from the centre. */
static void fit_plane(const autocorr_settings *s, const void *image, const uint8_t *mask, double c[3])
{
    double m[3][4] = {{0}};
    double cx = 0.5 * (double)(s->width - 1), cy = 0.5 * (double)(s->height - 1);

    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++) {
            size_t i = y * s->width + x;
            double row[4] = {1, (double)x - cx, (double)y - cy, penta_value_at(s->input, image, i)};

            if (mask && !mask[i])
                continue;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 4; b++)
                    m[a][b] += row[a] * row[b];
        }
    for (int a = 0; a < 3; a++) { /* Cholesky would do; a zero pivot (one line or column of pixels) drops the slope */
        for (int b = a + 1; b < 3; b++) {
            double f = m[a][a] > 1e-9 * m[0][0] ? m[b][a] / m[a][a] : 0;

            for (int k = 0; k < 4; k++)
                m[b][k] -= f * m[a][k];
        }
    }
    for (int a = 2; a >= 0; a--) {
        double rest = m[a][3];

        for (int b = a + 1; b < 3; b++)
            rest -= m[a][b] * c[b];
        c[a] = m[a][a] > 1e-9 * m[0][0] ? rest / m[a][a] : 0;
    }
}

/* Converts the frame to the correlated type and, if asked to, removes its plane. */
static penta_status convert(penta_context *ctx, const autocorr_settings *s, const void *image, const uint8_t *mask,
                            void **scratch)
{
    penta_status status = PENTA_OK;
    double c[3] = {0, 0, 0}, cx = 0.5 * (double)(s->width - 1), cy = 0.5 * (double)(s->height - 1);
    float *as_float;
    double *as_double;

    TRY(penta_calloc(ctx, s->width * s->height, penta_type_size(s->type), scratch));
    if (s->options.demean == PENTA_AUTOCORR_DEMEAN_PLANE)
        fit_plane(s, image, mask, c);
    as_float = *scratch;
    as_double = *scratch;
    for (size_t y = 0; y < s->height; y++)
        for (size_t x = 0; x < s->width; x++) {
            size_t i = y * s->width + x;
            double v = penta_value_at(s->input, image, i) - c[0] - c[1] * ((double)x - cx) - c[2] * ((double)y - cy);

            if (s->type == PENTA_F32)
                as_float[i] = (float)v;
            else
                as_double[i] = v;
        }
cleanup:
    return status;
}

penta_status autocorr_frame_prepare(penta_context *ctx, const autocorr_settings *s, const void *image,
                                    const uint8_t *mask, const void **data, void **scratch, autocorr_moments *moments)
{
    penta_status status = PENTA_OK;

    *scratch = NULL;
    *data = image;
    if (s->type != s->input || s->options.demean == PENTA_AUTOCORR_DEMEAN_PLANE) {
        TRY(convert(ctx, s, image, mask, scratch));
        *data = *scratch;
    }
    if (moments) {
        *moments = moments_of(s, *data, mask);
        if (moments->pixels <= 0)
            status = penta_fail(ctx, PENTA_INVALID, "the mask excludes every pixel");
    }
cleanup:
    if (status != PENTA_OK) {
        free(*scratch);
        *scratch = NULL;
    }
    return status;
}
