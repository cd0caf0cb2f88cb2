/* Frames for the tests of the stars workload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/random.h"
#include "support/stars_run.h"

stars_scene stars_scene_alloc(size_t n)
{
    size_t count = n > 0 ? n : 1;

    return (stars_scene){.n = n,
                         .x = must_calloc(count, sizeof(double)),
                         .y = must_calloc(count, sizeof(double)),
                         .m = must_calloc(count, sizeof(double))};
}

stars_scene stars_scene_random(size_t n, size_t width, size_t height, unsigned seed)
{
    stars_scene s = stars_scene_alloc(n);

    random_seed(seed);
    for (size_t i = 0; i < n; i++) {
        s.x[i] = random_uniform() * ((double)width + 12) - 6;
        s.y[i] = random_uniform() * ((double)height + 12) - 6;
        s.m[i] = random_uniform() * 12;
    }
    return s;
}

void stars_scene_free(stars_scene *s)
{
    free(s->x);
    free(s->y);
    free(s->m);
}

penta_stars_list stars_scene_list(const stars_scene *s)
{
    return (penta_stars_list){.n = s->n, .x = s->x, .y = s->y, .magnitude = s->m};
}

penta_stars_options stars_options(int engine)
{
    penta_stars_options o;

    penta_stars_options_init(&o);
    o.engine = engine;
    o.sigma = 1.2;
    o.roi = 10;
    o.amplitude = 1000;
    return o;
}

const char *stars_engine_name(int engine)
{
    static const char *const names[] = {"auto", "serial", "threads", "pixel", "star", "tile", "fixed"};

    return names[engine];
}

double *stars_plan_frame(penta_context *ctx, size_t width, size_t height, const penta_stars_options *o,
                         const penta_stars_list *list, penta_stars_result *result)
{
    size_t pixels = width * height;
    bool dbl = o->precision == PENTA_PRECISION_DOUBLE;
    double *frame = must_calloc(pixels, sizeof *frame);
    float *single = must_calloc(pixels, sizeof *single);
    penta_stars *plan = NULL;
    penta_stars_result local = {0}, *r = result ? result : &local;

    memset(dbl ? (void *)frame : (void *)single, 0xFF, pixels * (dbl ? sizeof *frame : sizeof *single)); /* NaN */
    r->image = dbl ? (void *)frame : (void *)single;
    EXPECT_OK(ctx, penta_stars_create(ctx, width, height, o, &plan));
    EXPECT_OK(ctx, penta_stars_run(plan, list, r));
    penta_stars_destroy(plan);
    for (size_t i = 0; !dbl && i < pixels; i++)
        frame[i] = (double)single[i];
    free(single);
    r->image = NULL;
    return frame;
}

double *stars_reference_frame(size_t width, size_t height, const penta_stars_options *o, const stars_scene *s)
{
    reference_stars r = {.width = width,
                         .height = height,
                         .roi = o->roi,
                         .sigma_x = o->sigma,
                         .sigma_y = o->sigma_y > 0 ? o->sigma_y : o->sigma,
                         .angle_deg = o->angle,
                         .integrated = o->psf == PENTA_STARS_INTEGRATED,
                         .moffat_beta = o->psf == PENTA_STARS_MOFFAT ? o->beta : 0,
                         .amplitude = o->amplitude,
                         .base = o->mag_base == PENTA_STARS_POGSON ? pow(10, 0.4) : 2.512};
    double *frame = must_calloc(width * height, sizeof *frame);

    reference_stars_draw(&r, s->n, s->x, s->y, s->m, frame);
    return frame;
}

void stars_expect_near(const double *got, const double *want, size_t width, size_t height, double relative,
                       double absolute, const char *what)
{
    double most = 0;

    for (size_t i = 0; i < width * height; i++)
        most = fmax(most, fabs(want[i]));
    for (size_t i = 0; i < width * height; i++)
        if (!(fabs(got[i] - want[i]) <= relative * fabs(want[i]) + absolute * most)) {
            print_error("%s: pixel (%zu,%zu) of %zu x %zu is %.17g, not %.17g (off by %.3g, brightest %.3g)\n", what,
                        i % width, i / width, width, height, got[i], want[i], got[i] - want[i], most);
            fail();
        }
}
