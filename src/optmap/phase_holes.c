/* Fills holes of weak amplitude that are surrounded by strong ones, as at the core of a rotor: they have a phase as
 * well. */
#include <math.h>
#include <stdlib.h>

#include "optmap/phase_smooth.h"

enum { WORKERS = 16 };

typedef struct {
    const penta_movie_view *phase;
    int radius;
    float *out;
    uint8_t *maps;    /* per worker 3 x height x width */
    uint16_t *counts; /* per worker width */
} filler;

/* Sets a pixel of out if any of the (2 radius + 1)^2 pixels around it is set. rows: scratch. */
static void spread(const uint8_t *in, size_t height, size_t width, int radius, uint8_t *rows, uint16_t *counts,
                   uint8_t *out)
{
    size_t r = (size_t)radius;

    for (size_t y = 0; y < height; y++) {
        const uint8_t *row = in + y * width;
        size_t near = 0;

        for (size_t x = 0; x < width + r; x++) {
            near += x < width ? row[x] : 0;
            near -= x > 2 * r ? row[x - 2 * r - 1] : 0;
            if (x >= r)
                rows[y * width + x - r] = near > 0;
        }
    }
    for (size_t x = 0; x < width; x++)
        counts[x] = 0;
    for (size_t y = 0; y < height + r; y++)
        for (size_t x = 0; x < width; x++) {
            counts[x] = (uint16_t)(counts[x] + (y < height ? rows[y * width + x] : 0) -
                                   (y > 2 * r ? rows[(y - 2 * r - 1) * width + x] : 0));
            if (y >= r)
                out[(y - r) * width + x] = counts[x] > 0;
        }
}

void optmap_close(uint8_t *set, size_t width, size_t height, int radius, uint8_t *scratch, uint16_t *counts)
{
    uint8_t *near = scratch, *rows = scratch + height * width;

    for (int pass = 0; pass < 2; pass++) {
        spread(set, height, width, radius, rows, counts, near);
        for (size_t i = 0; i < height * width; i++)
            set[i] = !near[i];
    }
}

static bool is_weak(float phase)
{
    return phase > OPTMAP_WEAK / 2;
}

static void fill_frame(const filler *f, size_t frame, uint8_t *maps, uint16_t *counts)
{
    size_t height = f->phase->height, width = f->phase->width, pixels = height * width;
    float *phase = f->out + frame * pixels;
    uint8_t *a = maps, *b = maps + pixels, *rows = maps + 2 * pixels;
    bool any = false;

    for (size_t i = 0; i < pixels; i++) {
        a[i] = isfinite(phase[i]) && !is_weak(phase[i]);
        any |= is_weak(phase[i]);
    }
    if (!any)
        return;
    spread(a, height, width, f->radius, rows, counts, b); /* near a strong pixel */
    for (size_t i = 0; i < pixels; i++)
        a[i] = !b[i] && isfinite(phase[i]);
    spread(a, height, width, f->radius, rows, counts, b); /* near a pixel that is not */
    for (size_t i = 0; i < pixels; i++)
        if (is_weak(phase[i]))
            phase[i] = b[i] ? NAN : phase[i] - OPTMAP_WEAK;
}

static void fill_share(void *data, size_t worker)
{
    const filler *f = data;
    size_t pixels = f->phase->height * f->phase->width;

    for (size_t n = worker; n < f->phase->frames; n += WORKERS)
        fill_frame(f, n, f->maps + worker * 3 * pixels, f->counts + worker * f->phase->width);
}

penta_status optmap_fill_cores(penta_context *ctx, const penta_movie_view *phase, int radius, float *out)
{
    penta_status status = PENTA_OK;
    filler f = {.phase = phase, .radius = radius, .out = out};
    size_t bytes;

    TRY(penta_size(ctx, phase->height, phase->width, 3, &bytes));
    TRY(penta_calloc(ctx, WORKERS, bytes, &f.maps));
    TRY(penta_calloc(ctx, WORKERS, phase->width * sizeof *f.counts, &f.counts));
    penta_parallel(WORKERS, fill_share, &f);
cleanup:
    free(f.maps);
    free(f.counts);
    return status;
}
