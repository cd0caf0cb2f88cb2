/* Scenes of the stars benchmark. */
#include "input.h"

#include <math.h>

/* A frame of doubles beyond this is not computed for comparison; its sum is compared then. */
static const size_t most_expected = (size_t)1 << 29;

penta_stars_options stars_case_options(const stars_case *c, int engine)
{
    penta_stars_options o;

    penta_stars_options_init(&o);
    o.engine = engine;
    o.sigma = STARS_SIGMA;
    o.roi = c->roi;
    o.amplitude = STARS_AMPLITUDE;
    return o;
}

/* The frame by the host in double; where it is too large, its sum from the stars' own parts in the frame. */
static void expect(stars_input *in)
{
    const stars_case *c = in->c;
    penta_stars_options o = stars_case_options(c, PENTA_STARS_THREADS);
    penta_stars_list list = {.n = c->n, .x = in->x, .y = in->y, .magnitude = in->magnitude};
    penta_stars_result result = {0};
    penta_stars *plan = NULL;
    double *parts = NULL;
    size_t mark = bench_mark(in->b);
    bool whole = c->width * c->height <= most_expected;

    o.precision = PENTA_PRECISION_DOUBLE;
    if (whole)
        result.image = in->expected = bench_alloc(in->b, c->width * c->height, sizeof *in->expected);
    else
        parts = bench_alloc(in->b, c->n, sizeof *parts);
    bench_must(in->b, "the expected frame", penta_stars_create(bench_context(in->b), c->width, c->height, &o, &plan));
    bench_must(in->b, "the expected frame",
               whole ? penta_stars_run(plan, &list, &result) : penta_stars_fluxes(plan, &list, NULL, parts));
    in->total = 0;
    for (size_t i = 0; i < (whole ? c->width * c->height : c->n); i++)
        in->total += whole ? in->expected[i] : parts[i];
    penta_stars_destroy(plan);
    if (!whole)
        bench_release(in->b, mark);
}

void stars_input_create(bench *b, const stars_case *c, stars_input *in)
{
    *in = (stars_input){.b = b, .c = c};
    in->x = bench_pinned(b, c->n * sizeof *in->x);
    in->y = bench_pinned(b, c->n * sizeof *in->y);
    in->magnitude = bench_pinned(b, c->n * sizeof *in->magnitude);
    in->image = bench_pinned(b, c->width * c->height * sizeof *in->image);
    penta_stars_random(1, c->n, c->width, c->height, STARS_FAINTEST, in->x, in->y, in->magnitude);
    for (int k = 0; k < 3; k++) {
        in->single[k] = bench_alloc(b, c->n, sizeof *in->single[k]);
        for (size_t i = 0; i < c->n; i++)
            in->single[k][i] = (float)(k == 0 ? in->x : k == 1 ? in->y : in->magnitude)[i];
    }
    expect(in);
}

/* ---- checks ---- */

static void check_sum(const stars_input *in, const char *variant, double tolerance)
{
    double sum = 0;

    for (size_t i = 0; i < in->c->width * in->c->height; i++)
        sum += (double)in->image[i];
    if (!(fabs(sum / in->total - 1) <= tolerance))
        bench_fail(in->b, "WRONG RESULT: %s: the frame holds %.9g, not %.9g", variant, sum, in->total);
}

void stars_check(const stars_input *in, const char *variant)
{
    size_t pixels = in->c->width * in->c->height;
    double most = 0;

    check_sum(in, variant, 1e-6);
    for (size_t i = 0; in->expected && i < pixels; i++)
        most = fmax(most, in->expected[i]);
    for (size_t i = 0; in->expected && i < pixels; i++) {
        double want = in->expected[i], got = (double)in->image[i];

        if (!(fabs(got - want) <= fmax(1e-5 * want, 1e-9 * most)))
            bench_fail(in->b, "WRONG RESULT: %s: pixel (%zu,%zu) is %.9g, not %.9g", variant, i % in->c->width,
                       i / in->c->width, got, want);
    }
}

void stars_check_peer(const stars_input *in, const char *variant, double tolerance)
{
    size_t pixels = in->c->width * in->c->height;
    double difference = 0;

    check_sum(in, variant, tolerance);
    for (size_t i = 0; in->expected && i < pixels; i++)
        difference += fabs((double)in->image[i] - in->expected[i]);
    if (!(difference <= tolerance * in->total))
        bench_fail(in->b, "WRONG RESULT: %s differs by %.3g of the frame's light", variant, difference / in->total);
}
