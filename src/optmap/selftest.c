/* A self-test with known answers: a plane wave of whole numbers, by both engines. */
#include <pentacl/rotors.h>
#include <pentacl/tissue_camera.h>

#include <math.h>
#include <stdlib.h>

#include "optmap/optmap.h"

enum { WIDTH = 8, HEIGHT = 7, FRAMES = 64, PIXELS = WIDTH * HEIGHT, WINDOW = 5, NEIGHBOURS = WINDOW * WINDOW };

typedef struct {
    uint16_t data[FRAMES * PIXELS];
    const void *frames[FRAMES];
    float filtered[FRAMES * PIXELS];
    int32_t shifts[PIXELS * NEIGHBOURS];
} wave;

/* v, in thousandths: 0 before frame 8, then a pulse of 16 frames; pixel (x, y) is x + 2 y frames later. */
static int pulse(int frame, int x, int y)
{
    int t = frame - 8 - x - 2 * y;

    return t < 0 || t >= 16 ? 0 : t < 4 ? 25 * (t + 1) : 100 - 8 * (t - 3);
}

static void make_wave(wave *w)
{
    for (int n = 0; n < FRAMES; n++) {
        w->frames[n] = w->data + (size_t)n * PIXELS;
        for (int p = 0; p < PIXELS; p++)
            w->data[n * PIXELS + p] = (uint16_t)(1000 - pulse(n, p % WIDTH, p / WIDTH));
    }
}

static bool has_window(int p)
{
    int x = p % WIDTH, y = p / WIDTH, r = WINDOW / 2;

    return x >= r && x < WIDTH - r && y >= r && y < HEIGHT - r;
}

static penta_status compare(penta_context *ctx, const char *engine, const wave *w)
{
    for (int i = 0; i < PIXELS * NEIGHBOURS; i++) {
        int p = i / NEIGHBOURS, dx = i % WINDOW - WINDOW / 2, dy = i % NEIGHBOURS / WINDOW - WINDOW / 2;
        int32_t wanted = has_window(p) ? 10 * (dx + 2 * dy) : INT32_MIN;

        if (w->shifts[i] != wanted)
            return penta_fail(ctx, PENTA_INTERNAL, "engine %s: pixel (%d,%d) and its neighbour (%d,%d): %d, not %d",
                              engine, p % WIDTH, p / WIDTH, dx, dy, (int)w->shifts[i], (int)wanted);
    }
    for (int i = 0; i < FRAMES * PIXELS; i++) {
        int p = i % PIXELS;
        double wanted = 1e-3 * pulse(i / PIXELS, p % WIDTH, p / WIDTH), got = (double)w->filtered[i];

        if (has_window(p) ? !(fabs(got - wanted) < 1e-6) : !isnan(got))
            return penta_fail(ctx, PENTA_INTERNAL, "engine %s: frame %d, pixel (%d,%d) is %.9g, not %.9g", engine,
                              i / PIXELS, p % WIDTH, p / WIDTH, got, has_window(p) ? wanted : (double)NAN);
    }
    return PENTA_OK;
}

static penta_status run(penta_context *ctx, int engine, wave *w)
{
    penta_status status = PENTA_OK;
    penta_optmap *plan = NULL;
    penta_optmap_options o;
    penta_movie movie = {.type = PENTA_U16, .frames = w->frames};
    penta_optmap_result result = {.filtered = w->filtered, .shifts = w->shifts};

    penta_optmap_options_init(&o);
    o.engine = engine;
    o.median = 0;
    o.drift = PENTA_OPTMAP_DRIFT_NONE;
    o.baseline = "0:8";
    TRY(penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &o, &plan));
    TRY(penta_optmap_run(plan, &movie, &result));
    TRY(compare(ctx, penta_optmap_engine_name(plan), w));
cleanup:
    penta_optmap_destroy(plan);
    return status;
}

static const penta_preset preset_rows[] = {
    {"thesis",
     "as in the thesis: all pixels, no drift removed, beats measured on the filtered movie",
     {{"mask", "none"},
      {"drift", "none"},
      {"beat_smoothing", "none"},
      {"velocity", "bayly"},
      {"velocity_window", "7"}}},
    PENTA_PRESETS_END};

const penta_preset *penta_optmap_presets(void)
{
    return preset_rows;
}

static penta_status selftest(penta_context *ctx)
{
    penta_status status = PENTA_OK;
    wave *w = NULL;

    TRY(penta_calloc(ctx, 1, sizeof *w, &w));
    make_wave(w);
    for (int engine = PENTA_OPTMAP_FAST; engine <= PENTA_OPTMAP_LITERAL; engine++)
        TRY(run(ctx, engine, w));
cleanup:
    free(w);
    return status;
}

const penta_workload penta_optmap_workload = {
    .name = "optmap",
    .summary = "cardiac optical mapping: activation, velocity, rotors",
    .selftest = selftest,
    .presets = penta_optmap_presets,
    .tables = {PENTA_WORKLOAD_OPTIONS(optmap), PENTA_WORKLOAD_OPTIONS(beats), PENTA_WORKLOAD_OPTIONS(rotors),
               PENTA_WORKLOAD_OPTIONS(spiral), PENTA_WORKLOAD_OPTIONS(tissue), PENTA_WORKLOAD_OPTIONS(camera)},
};
