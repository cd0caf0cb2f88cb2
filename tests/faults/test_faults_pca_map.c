/*
 * Faults in maps of cubes: each time there is an error and no answer, or the right one; the rows are the caller's
 * again, and after penta_map_reset the same map gives the right answer.
 */
#include "faults/pca_scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/numbers.h"

typedef struct {
    bool known;
    double out[MOST_BANDS * PIXELS]; /* of the type of results */
    uint8_t valid[PIXELS];
    double least[MOST_BANDS], largest[MOST_BANDS];
} results;

enum { UNTOUCHED = 0xA5 };
static const double low = 3, high = 203;
static results got_results, right_results;

/* What the map gives of a pixel, from its value and the range. */
static double formatted(const scene *s, double y, double least, double largest)
{
    return s->rescale ? fmin(fmax(low + (y - least) / (largest - least) * (high - low), low), high) : y;
}

/* Against the reference, roughly. Results that are rounded to integers may be 1 off. */
static void check_results(const scene *s)
{
    static double y[MOST_BANDS * PIXELS];
    double tolerance = is_float(s->result) ? 1e-3 : 1;

    reference_pca_map(s->bands, s->outs, PIXELS, cube.matrix, cube.before, cube.after, cube.x, y);
    assert_memory_equal(got_results.valid, cube.valid, PIXELS);
    for (size_t o = 0; o < s->outs; o++) {
        double least = INFINITY, largest = -INFINITY;

        for (size_t p = 0; p < PIXELS; p++)
            if (cube.valid[p]) {
                least = fmin(least, y[o * PIXELS + p]);
                largest = fmax(largest, y[o * PIXELS + p]);
            }
        expect_near(got_results.least[o], least, 1e-3);
        expect_near(got_results.largest[o], largest, 1e-3);
        if (s->given) {
            least = cube.before[o];
            largest = least + 50;
        }
        for (size_t p = 0; p < PIXELS; p++)
            expect_near(get_number(s->result, got_results.out, o * PIXELS + p),
                        cube.valid[p] ? formatted(s, y[o * PIXELS + p], least, largest) : -1 + (s->result == PENTA_U8),
                        tolerance);
    }
}

static void expect_right_results(const scene *s)
{
    memcpy(got_results.out, host()->out, s->outs * PIXELS * penta_type_size(s->result));
    memcpy(got_results.valid, host()->valid, PIXELS);
    got_results.known = true;
    if (!right_results.known) {
        check_results(s);
        right_results = got_results;
    }
    assert_memory_equal(&got_results, &right_results, sizeof got_results);
}

static penta_status map_rows(const scene *s, penta_map *map)
{
    penta_status status = PENTA_OK;

    memset(&got_results, 0, sizeof got_results);
    memset(host()->out, UNTOUCHED, sizeof host()->out);
    memset(host()->valid, UNTOUCHED, sizeof host()->valid);
    for (int i = 0; i < 2 && status == PENTA_OK; i++) {
        penta_cube_rows rows = piece(s, i);

        status = penta_map_add(map, &rows);
    }
    return status;
}

static penta_status take(const scene *s, penta_map *map)
{
    double least[MOST_BANDS], largest[MOST_BANDS];
    penta_map_format f = {.type = s->result,
                          .rescale = s->rescale,
                          .low = low,
                          .high = high,
                          .fill = -1,
                          .valid = host()->valid,
                          .least = s->given ? least : NULL,
                          .largest = s->given ? largest : NULL};

    for (size_t o = 0; o < s->outs; o++) {
        least[o] = cube.before[o];
        largest[o] = least[o] + 50;
    }
    return penta_map_take(map, &f, host()->out, PIXELS);
}

static penta_status ask_range(penta_map *map)
{
    return penta_map_range(map, got_results.least, got_results.largest);
}

enum step { ADDING, ASKING, TAKING, DONE };

/* *step: where it failed. */
static penta_status use_map(const scene *s, penta_map *map, enum step *step)
{
    penta_status status = map_rows(s, map);

    *step = ADDING;
    if (status == PENTA_OK) {
        *step = ASKING;
        status = ask_range(map);
    }
    if (status == PENTA_OK) {
        *step = TAKING;
        status = take(s, map);
    }
    if (status == PENTA_OK)
        *step = DONE;
    return status;
}

static void expect_nothing_kept(const trial *t, penta_map *map)
{
    const scene *s = t->job->what;

    assert_int_equal(penta_map_room(map), SLABS * PCA_UNIT);
    memset(host()->out, UNTOUCHED, sizeof host()->out);
    EXPECT_OK(t->ctx, take(s, map));
    for (size_t i = 0; i < sizeof host()->out; i++)
        assert_int_equal(((const uint8_t *)host()->out)[i], UNTOUCHED);
}

/* A range that failed may be asked for again; of rows and results that failed nothing is left. The map is as good as
 * new once it is reset. */
static void expect_good_map(const trial *t, penta_map *map, enum step failed)
{
    const scene *s = t->job->what;

    if (failed == ASKING) {
        EXPECT_OK(t->ctx, ask_range(map));
        EXPECT_OK(t->ctx, take(s, map));
        expect_right_results(s);
    }
    expect_nothing_kept(t, map);
    penta_map_reset(map);
    EXPECT_OK(t->ctx, use_map(s, map, &failed));
    expect_right_results(s);
}

static penta_status create_map(const scene *s, penta_context *ctx, penta_map **map)
{
    penta_affine a = {s->bands, s->outs, cube.matrix, cube.before, cube.after};
    penta_status status;

    *map = (penta_map *)(uintptr_t)1;
    status = penta_map_create(ctx, &a, s->precision, s->no_data, map);
    assert_true((status == PENTA_OK) == (*map != NULL));
    if (*map)
        pca_limit_map(*map, PCA_UNIT, SLABS);
    return status;
}

static penta_status attempt_map(trial *t)
{
    const scene *s = t->job->what;
    enum step step = DONE;
    penta_map *map;
    penta_status status;

    have_memory(s, t->ctx);
    begin_faults(t);
    status = create_map(s, t->ctx, &map);
    if (map)
        status = use_map(s, map, &step);
    end_faults(t, t->ctx, status);
    expect_rows_idle(t);
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK)
        expect_right_results(s);
    else if (map)
        expect_good_map(t, map, step);
    penta_map_destroy(map);
    return_memory(t->ctx);
    return status;
}

/* ---- sweeps ---- */

static void sweep_all(const scene *s, const job *how)
{
    right_results.known = false;
    sweep_scene(s, how, attempt_map);
}

static void test_first_use(void **state)
{
    (void)state;
    sweep_all(&(scene){.name = "a map in a new context", .bands = 5, .outs = 3, .type = PENTA_U16, .result = PENTA_F32},
              &in_new_context);
}

static void test_maps(void **state)
{
    static const scene scenes[] = {
        {.name = "a map of floats, bsq",
         .bands = 5,
         .outs = 3,
         .type = PENTA_F32,
         .precision = PENTA_PRECISION_SINGLE,
         .result = PENTA_F32,
         .pinned = true},
        {.name = "a map of bytes, then floats, bip",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIP,
         .type = PENTA_U8,
         .mixed = true,
         .no_data = "7",
         .result = PENTA_F64},
        {.name = "a map of 16 bits, bil, to bytes",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIL,
         .type = PENTA_I16,
         .masked = true,
         .result = PENTA_U8,
         .rescale = true,
         .given = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_all(&scenes[i], &on_cpu);
}

static void test_maps_as_gpu(void **state)
{
    static const scene scenes[] = {
        {.name = "a map of doubles as on a GPU, bip",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIP,
         .type = PENTA_F64,
         .masked = true,
         .no_data = "nan",
         .result = PENTA_I16,
         .rescale = true},
        {.name = "a wide map of bytes, then floats, as on a GPU, bsq",
         .bands = 5,
         .outs = 20,
         .type = PENTA_U8,
         .mixed = true,
         .pinned = true,
         .result = PENTA_F64},
        {.name = "a map of floats as on a GPU, bil, to bytes",
         .bands = 5,
         .outs = 3,
         .layout = PENTA_BIL,
         .type = PENTA_F32,
         .masked = true,
         .precision = PENTA_PRECISION_SINGLE,
         .result = PENTA_U8,
         .rescale = true,
         .given = true,
         .pinned = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_all(&scenes[i], &as_gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_use, no_faults),
        cmocka_unit_test_setup(test_maps, no_faults),
        cmocka_unit_test_setup(test_maps_as_gpu, no_faults),
    };

    return cmocka_run_group_tests_name("faults: maps of pca", tests, NULL, NULL);
}
