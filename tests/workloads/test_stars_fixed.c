/* The engine `fixed` gives the same bits for any order of the stars, in both its forms, and near those of serial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/random.h"
#include "support/stars_run.h"

enum { WIDTH = 211, HEIGHT = 173, STARS = 20000 };

static stars_scene shuffled(const stars_scene *from)
{
    stars_scene s = stars_scene_alloc(from->n);
    size_t *order = must_calloc(from->n, sizeof *order);

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
    free(order);
    return s;
}

static penta_stars_options options_of(int psf, int precision)
{
    penta_stars_options o = stars_options(PENTA_STARS_FIXED);

    o.psf = psf;
    o.precision = precision;
    return o;
}

static void any_order(void **state)
{
    stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 8), other = shuffled(&scene);
    penta_stars_list list = stars_scene_list(&scene), list2 = stars_scene_list(&other);

    for (int k = 0; k < 4; k++) {
        penta_stars_options o = options_of(k % 2, k / 2 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE);
        double *a = stars_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
        double *b = stars_frame(*state, WIDTH, HEIGHT, &o, &list2, NULL);

        assert_memory_equal(a, b, WIDTH * HEIGHT * sizeof *a);
        free(a);
        free(b);
    }
    stars_scene_free(&scene);
    stars_scene_free(&other);
}

/* The form for this device beside the one for GPUs. On a GPU both are one: then only the order is tested. */
static void both_forms(void **state)
{
    stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 9);
    penta_stars_list list = stars_scene_list(&scene);
    void *gpu_form = NULL;

    assert_int_equal(open_gpu_form(&gpu_form), 0);
    for (int k = 0; gpu_form && k < 6; k++) {
        penta_stars_options o = options_of(k % 3, k / 3 ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE);
        double *a, *b;

        a = stars_frame(*state, WIDTH, HEIGHT, &o, &list, NULL);
        b = stars_frame(gpu_form, WIDTH, HEIGHT, &o, &list, NULL);
        assert_memory_equal(a, b, WIDTH * HEIGHT * sizeof *a);
        free(a);
        free(b);
    }
    if (gpu_form)
        close_device(&gpu_form);
    stars_scene_free(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order), cmocka_unit_test(both_forms)};

    return cmocka_run_group_tests_name("stars: fixed point", tests, open_device, close_device);
}
