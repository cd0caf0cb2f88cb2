#include "pca/preview.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/image.h>

#include "figures/figure.h"

enum { MOST_PIXELS = 1 << 24, MOST_SAMPLES = 1 << 17 };

struct pca_preview {
    size_t rows, cols, step, height, width, channels;
    size_t top, lines; /* of the height those that it has room for */
    float *values;     /* channels x lines x width; NaN: left out */
};

static size_t lines_before(const pca_preview *p, size_t row)
{
    return (row + p->step - 1) / p->step;
}

bool pca_preview_open(size_t rows, size_t cols, size_t components, size_t first, size_t count, pca_preview **out,
                      penta_io_error *err)
{
    pca_preview *p = calloc(1, sizeof *p);

    *out = NULL;
    if (!p)
        return penta_io_fail(err, "out of memory for rgb.png");
    *p = (pca_preview){.rows = rows, .cols = cols, .step = 1, .channels = components < 3 ? 1 : 3};
    while ((p->height = (rows + p->step - 1) / p->step) * (p->width = (cols + p->step - 1) / p->step) > MOST_PIXELS)
        p->step++;
    p->top = lines_before(p, first);
    p->lines = lines_before(p, first + count) - p->top;
    p->values = malloc((p->channels * p->lines * p->width + 1) * sizeof *p->values);
    if (!p->values) {
        pca_preview_close(p);
        return penta_io_fail(err, "out of memory for rgb.png");
    }
    *out = p;
    return true;
}

static double score_at(penta_type type, const void *scores, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)scores)[i];
    case PENTA_U16:
        return ((const uint16_t *)scores)[i];
    case PENTA_I16:
        return ((const int16_t *)scores)[i];
    case PENTA_I32:
        return ((const int32_t *)scores)[i];
    case PENTA_F32:
        return (double)((const float *)scores)[i];
    default:
        return ((const double *)scores)[i];
    }
}

void pca_preview_add(pca_preview *p, size_t first, size_t count, penta_type type, const void *scores, size_t stride,
                     const uint8_t *valid)
{
    size_t plane = p->lines * p->width;

    for (size_t row = lines_before(p, first) * p->step; row < first + count; row += p->step)
        for (size_t x = 0; x < p->width; x++) {
            size_t from = (row - first) * p->cols + x * p->step, to = (row / p->step - p->top) * p->width + x;

            for (size_t c = 0; c < p->channels; c++)
                p->values[c * plane + to] = valid[from] ? (float)score_at(type, scores, c * stride + from) : NAN;
        }
}

/* ---- parts of it from other processes ---- */

typedef struct {
    uint64_t top, lines;
} part_head;

void *pca_preview_pack(const pca_preview *p, size_t *size)
{
    const part_head h = {p->top, p->lines};
    size_t bytes = p->channels * p->lines * p->width * sizeof *p->values;
    char *out = malloc(sizeof h + bytes);

    *size = out ? sizeof h + bytes : 0;
    if (!out)
        return NULL;
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, p->values, bytes);
    return out;
}

bool pca_preview_unpack(pca_preview *p, const void *bytes, size_t size)
{
    const char *from = bytes;
    part_head h;
    size_t plane;

    if (size < sizeof h)
        return false;
    memcpy(&h, from, sizeof h);
    from += sizeof h;
    plane = (size_t)h.lines * p->width * sizeof *p->values;
    if (h.top > p->height || h.lines > p->height - h.top || size != sizeof h + p->channels * plane)
        return false;
    for (size_t c = 0; c < p->channels; c++)
        memcpy(p->values + (c * p->height + h.top) * p->width, from + c * plane, plane);
    return true;
}

/* ---- the picture ---- */

/* The 2nd and the 98th percentile, estimated from a sample of the pixels if there are many. */
static bool stretch(const float *values, size_t count, float *low, float *high)
{
    size_t every = count / MOST_SAMPLES + 1, n = 0;
    float *some = malloc((count / every + 1) * sizeof *some);
    figure_range range;

    if (!some)
        return false;
    for (size_t i = 0; i < count; i += every)
        some[n++] = values[i];
    range = figure_range_within(some, n, 2);
    *low = figure_range_is_none(range) ? 0 : (float)range.lo;
    *high = figure_range_is_none(range) ? 0 : (float)range.hi;
    free(some);
    return true;
}

static uint8_t shade(float value, float low, float high)
{
    double share = high > low ? ((double)value - (double)low) / ((double)high - (double)low) : 0.5;

    return (uint8_t)(isnan(value) ? 0 : share < 0 ? 0 : share > 1 ? 255 : 255 * share + 0.5);
}

/* height x width x channels. */
static bool paint(const pca_preview *p, uint8_t *pixels)
{
    size_t plane = p->height * p->width;

    for (size_t c = 0; c < p->channels; c++) {
        const float *values = p->values + c * plane;
        float low, high;

        if (!stretch(values, plane, &low, &high))
            return false;
        for (size_t i = 0; i < plane; i++)
            pixels[i * p->channels + c] = shade(values[i], low, high);
    }
    return true;
}

bool pca_preview_write(const pca_preview *p, const char *path, penta_io_error *err)
{
    uint8_t *pixels = malloc(p->height * p->width * p->channels);
    const penta_io_image grey = {.width = p->width, .height = p->height, .type = PENTA_U8, .data = pixels};
    bool ok = (pixels && paint(p, pixels)) || penta_io_fail(err, "%s: out of memory for it", path);

    if (ok)
        ok = p->channels == 3 ? penta_io_png_write_rgb(path, p->width, p->height, pixels, err)
                              : penta_io_png_write(path, &grey, err);
    free(pixels);
    return ok;
}

void pca_preview_close(pca_preview *p)
{
    if (!p)
        return;
    free(p->values);
    free(p);
}
