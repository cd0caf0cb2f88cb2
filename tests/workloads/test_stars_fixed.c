/* The engine `fixed` gives the same bits for any order of the stars, in both its forms, and near those of serial. */
#include "support/test.h"

#include "support/random.h"
#include "support/stars_run.h"

enum { WIDTH = 211, HEIGHT = 173, STARS = 20000 };

static stars_scene shuffled(const stars_scene *from)
{
    stars_scene s = stars_scene_alloc(from->n);
    HELD size_t *order = must_calloc(from->n, sizeof *order);

    random_seed(99);
    for (size_t i = 0; i < from->n; i++) {
        size_t j = (size_t)(random_uniform() * (double)(i + 1));

        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < from->n; i++) {
        s.x[i] = from->x[order[i]];
        s.y[i] = from->y[order[i]];
        s.m[i] = from->m[order[i]];
    }
    return s;
}

static penta_stars_options options_of(int psf, int precision)
{
    penta_stars_options o = stars_options(PENTA_STARS_FIXED);

    o.psf = psf;
    o.precision = precision;
    return o;
}

TEST(any_order)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 8), other = shuffled(&scene);
    penta_stars_list list = stars_scene_list(&scene), list2 = stars_scene_list(&other);

    for (int k = 0; k < 4; k++) {
        penta_stars_options o = options_of(k % 2, k / 2 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE);
        HELD double *a = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
        HELD double *b = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list2, NULL);

        assert_memory_equal(a, b, WIDTH * HEIGHT * sizeof *a);
    }
}

/* Fluxes of the stars, to free. */
static double *fluxes_of(const stars_scene *s)
{
    double *flux = must_calloc(s->n, sizeof *flux);

    for (size_t i = 0; i < s->n; i++)
        flux[i] = 1000 * pow(2.512, -s->m[i]);
    return flux;
}

TEST(any_order_of_fluxes)
{
    HELD_BY(stars_scene_free)
    stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 10), other = shuffled(&scene);
    HELD double *flux = fluxes_of(&scene), *flux2 = fluxes_of(&other);
    penta_stars_list list = {.n = STARS, .x = scene.x, .y = scene.y, .flux = flux};
    penta_stars_list list2 = {.n = STARS, .x = other.x, .y = other.y, .flux = flux2};
    penta_stars_options o = options_of(0, PENTA_PRECISION_DOUBLE);
    HELD double *a = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
    HELD double *b = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list2, NULL);

    assert_memory_equal(a, b, WIDTH * HEIGHT * sizeof *a);
}

enum { CROWD = 1 << 17, FAINT_X = 150, FAINT_Y = 100 }; /* more stars than one thread looks at */

/* The step follows from all light together, not from the brightest star times the stars: one star of magnitude 30
 * beside one of magnitude 0 is drawn to 10^-6, although there are 2^17 others. */
TEST(faint_beside_bright)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_alloc(CROWD);
    penta_stars_list list = stars_scene_list(&scene);
    penta_stars_options o = options_of(0, PENTA_PRECISION_DOUBLE), serial = o;

    serial.engine = PENTA_STARS_SERIAL;
    for (size_t i = 0; i < CROWD; i++) {
        scene.x[i] = 60;
        scene.y[i] = 150;
        scene.m[i] = 25;
    }
    scene.x[CROWD - 1] = scene.y[CROWD - 1] = 30;
    scene.m[CROWD - 1] = 0;
    scene.x[1] = FAINT_X + 0.3;
    scene.y[1] = FAINT_Y - 0.2;
    scene.m[1] = 30;
    for (int k = 0; k < 2; k++) {
        HELD double *got = NULL, *want = NULL;

        list.magnitude = k ? NULL : scene.m;
        list.flux = k ? fluxes_of(&scene) : NULL;
        got = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
        want = stars_plan_frame(*state, WIDTH, HEIGHT, &serial, &list, NULL);
        for (size_t y = FAINT_Y - 1; y <= FAINT_Y + 1; y++)
            for (size_t x = FAINT_X - 1; x <= FAINT_X + 1; x++) {
                assert_true(want[y * WIDTH + x] > 0);
                assert_true(fabs(got[y * WIDTH + x] / want[y * WIDTH + x] - 1) < 1e-6);
            }
        free((void *)list.flux);
    }
}

/* All light in one pixel, of equal stars and of stars within and beyond a bin of the bound, and of its first bin. */
static void no_overflow_from(void **state, double brightest)
{
    static const double spread[] = {0, 0.124, 0.126, 1, 100};
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_alloc(CROWD);
    penta_stars_list list = stars_scene_list(&scene);
    penta_stars_options o = options_of(PENTA_STARS_INTEGRATED, PENTA_PRECISION_DOUBLE), serial;

    o.sigma = 0.05; /* px: all of a star is in its pixel */
    serial = o;
    serial.engine = PENTA_STARS_SERIAL;
    for (size_t k = 0; k < 2 * sizeof spread / sizeof *spread; k++) {
        HELD double *got = NULL, *want = NULL;

        for (size_t i = 0; i < CROWD; i++) {
            scene.x[i] = scene.y[i] = 8;
            scene.m[i] = brightest + (i == 0 ? 0 : spread[k / 2]);
        }
        list.magnitude = k % 2 ? NULL : scene.m;
        list.flux = k % 2 ? fluxes_of(&scene) : NULL;
        got = stars_plan_frame(*state, 16, 16, &o, &list, NULL);
        want = stars_plan_frame(*state, 16, 16, &serial, &list, NULL);
        stars_expect_near(got, want, 16, 16, 1e-10, 1e-15, "all light in one pixel");
        free((void *)list.flux);
    }
}

TEST(no_overflow)
{
    no_overflow_from(state, -3);
    no_overflow_from(state, -66);
}

/* The form for this device beside the one for GPUs. On a GPU both are one: then only the order is tested. */
TEST(both_forms)
{
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 9);
    penta_stars_list list = stars_scene_list(&scene);
    void *gpu_form = NULL;

    assert_int_equal(open_gpu_form(&gpu_form), 0);
    for (int k = 0; gpu_form && k < 6; k++) {
        penta_stars_options o = options_of(k % 3, k / 3 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE);
        HELD double *a = NULL, *b = NULL;

        a = stars_plan_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
        b = stars_plan_frame(gpu_form, WIDTH, HEIGHT, &o, &list, NULL);
        assert_memory_equal(a, b, WIDTH * HEIGHT * sizeof *a);
    }
    if (gpu_form)
        close_device(&gpu_form);
}

ON_DEVICE;
