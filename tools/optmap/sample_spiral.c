/*
 * A spiral wave for `penta sample optmap`: the library's excitable medium, CELLS x CELLS cells a pixel, TIME ms a unit
 * of its time, from when the spiral has turned a few times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/sample_movie.h"

enum { CELLS = 2 };
static const double time_unit = 25; /* ms */
static const double settling = 15;  /* units of time before the first frame */

bool optmap_sample_failed(const penta_context *ctx, penta_io_error *err)
{
    const char *text = penta_last_error(ctx);

    return penta_io_fail(err, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Means of the cells of each pixel. */
static void shrink(const optmap_sample_flags *f, const float *cells, float *pixels)
{
    size_t width = (size_t)f->width, height = (size_t)f->height;

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            float sum = 0;

            for (size_t i = 0; i < CELLS * CELLS; i++)
                sum += cells[(CELLS * y + i / CELLS) * CELLS * width + CELLS * x + i % CELLS];
            pixels[y * width + x] = sum / (CELLS * CELLS);
        }
}

static double pixel_of(double cell)
{
    return (cell + 0.5) / CELLS - 0.5;
}

static void find_tips(const penta_spiral *spiral, const float *u, const float *v, optmap_sample_tips *out)
{
    out->count = penta_spiral_tips(spiral, u, v, out->tips, SAMPLE_MOST_TIPS);
    if (out->count > SAMPLE_MOST_TIPS)
        out->count = SAMPLE_MOST_TIPS;
    for (size_t i = 0; i < out->count; i++) {
        out->tips[i].x = pixel_of(out->tips[i].x);
        out->tips[i].y = pixel_of(out->tips[i].y);
    }
}

static bool film(const optmap_sample_flags *f, penta_spiral *spiral, size_t settle, size_t steps, float *signal,
                 optmap_sample_tips *tips, float *cells)
{
    size_t pixels = (size_t)f->width * (size_t)f->height;
    float *u = cells, *v = cells + CELLS * CELLS * pixels;

    for (size_t i = 0; i < (size_t)f->frames; i++) {
        if (penta_spiral_advance(spiral, i == 0 ? settle : steps) != PENTA_OK ||
            penta_spiral_read(spiral, u, v) != PENTA_OK)
            return false;
        shrink(f, u, signal + i * pixels);
        find_tips(spiral, u, v, &tips[i]);
    }
    return true;
}

/* The options such that steps fill a frame; how many of them. */
static size_t choose_steps(const optmap_sample_flags *f, penta_spiral_options *options)
{
    double frame = 1e3 / f->rate / time_unit, steps;

    penta_spiral_options_init(options);
    steps = ceil(frame / options->step - 1e-9);
    options->step = frame / steps;
    return (size_t)steps;
}

bool optmap_sample_spiral_check(const optmap_sample_flags *f, penta_io_error *err)
{
    penta_spiral_options options;

    choose_steps(f, &options);
    return penta_spiral_check(CELLS * (size_t)f->width, CELLS * (size_t)f->height, &options, err->text,
                              sizeof err->text) == PENTA_OK;
}

bool optmap_sample_spiral(const optmap_sample_flags *f, float *signal, optmap_sample_tips *tips, penta_io_error *err)
{
    size_t width = CELLS * (size_t)f->width, height = CELLS * (size_t)f->height;
    float *cells = malloc(2 * width * height * sizeof *cells);
    penta_context *ctx = NULL;
    penta_spiral *spiral = NULL;
    penta_spiral_options options;
    size_t steps = choose_steps(f, &options);
    bool ok = false;

    if (!cells)
        penta_io_fail(err, "out of memory for the spiral");
    else if (penta_context_create(f->device, &ctx) != PENTA_OK)
        optmap_sample_failed(NULL, err);
    else if (penta_spiral_create(ctx, width, height, &options, &spiral) != PENTA_OK ||
             !film(f, spiral, (size_t)ceil(settling / options.step), steps, signal, tips, cells))
        optmap_sample_failed(ctx, err);
    else
        ok = true;
    penta_spiral_destroy(spiral);
    penta_context_destroy(ctx);
    free(cells);
    return ok;
}
