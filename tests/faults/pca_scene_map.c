/* The map of a scene, and what is right. */
#include "faults/pca_scene.h"

#include <math.h>
#include <string.h>

#include "pca/pca.h"
#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/numbers.h"

typedef struct {
    bool known;
    double out[MOST_BANDS * PIXELS]; /* of the type of results */
    uint8_t valid[PIXELS];
    double least[MOST_BANDS], largest[MOST_BANDS];
    uint64_t clipped; /* of ranges that are given */
} results;

static const double low = 3, high = 203;
static results got_results, right_results;

/* What the map gives of a pixel, from its value and the range. */
static double formatted(const pca_scene *s, double y, double least, double largest)
{
    return s->rescale ? fmin(fmax(low + (y - least) / (largest - least) * (high - low), low), high) : y;
}

/* Pixels of which some result lies beyond the range that scene_take gives. */
static uint64_t clipped(const pca_scene *s, const double *y)
{
    const pca_scene_cube *c = scene_cube();
    uint64_t n = 0;

    for (size_t p = 0; s->given && s->rescale && p < PIXELS; p++) {
        bool beyond = false;

        for (size_t o = 0; o < s->outs; o++)
            beyond |= y[o * PIXELS + p] < c->before[o] || y[o * PIXELS + p] > c->before[o] + 50;
        n += beyond && c->valid[p];
    }
    return n;
}

/* Against the reference, roughly. Results that are rounded to integers may be 1 off. */
static void check_results(const pca_scene *s)
{
    static double y[MOST_BANDS * PIXELS];
    const pca_scene_cube *c = scene_cube();
    double tolerance = is_integer(s->result) ? 1 : 1e-3;

    reference_pca_map(s->bands, s->outs, PIXELS, c->matrix, c->before, c->after, c->x, y);
    assert_memory_equal(got_results.valid, c->valid, PIXELS);
    assert_int_equal(got_results.clipped, clipped(s, y));
    for (size_t o = 0; o < s->outs; o++) {
        double least = INFINITY, largest = -INFINITY;

        for (size_t p = 0; p < PIXELS; p++)
            if (c->valid[p]) {
                least = fmin(least, y[o * PIXELS + p]);
                largest = fmax(largest, y[o * PIXELS + p]);
            }
        expect_near(got_results.least[o], least, 1e-3);
        expect_near(got_results.largest[o], largest, 1e-3);
        if (s->given) {
            least = c->before[o];
            largest = least + 50;
        }
        for (size_t p = 0; p < PIXELS; p++)
            expect_near(get_number(s->result, got_results.out, o * PIXELS + p),
                        c->valid[p] ? formatted(s, y[o * PIXELS + p], least, largest) : -1 + (s->result == PENTA_U8),
                        tolerance);
    }
}

void scene_expect_results(const pca_scene *s)
{
    memcpy(got_results.out, scene_host()->out, s->outs * PIXELS * penta_type_size(s->result));
    memcpy(got_results.valid, scene_host()->valid, PIXELS);
    got_results.known = true;
    if (!right_results.known) {
        check_results(s);
        right_results = got_results;
    }
    assert_memory_equal(&got_results, &right_results, sizeof got_results);
}

void scene_clear_results(void)
{
    memset(&got_results, 0, sizeof got_results);
    memset(scene_host()->out, UNTOUCHED, sizeof scene_host()->out);
    memset(scene_host()->valid, UNTOUCHED, sizeof scene_host()->valid);
}

penta_status scene_map_rows(const pca_scene *s, penta_map *map)
{
    penta_status status = PENTA_OK;

    scene_clear_results();
    for (int i = 0; i < 2 && status == PENTA_OK; i++) {
        penta_cube_rows rows = scene_rows(s, i);

        status = penta_map_add(map, &rows);
    }
    return status;
}

penta_status scene_take(const pca_scene *s, penta_map *map)
{
    double least[MOST_BANDS], largest[MOST_BANDS];
    penta_map_format f = {.type = s->result,
                          .rescale = s->rescale,
                          .low = low,
                          .high = high,
                          .fill = -1,
                          .valid = scene_host()->valid,
                          .clipped = s->given ? &got_results.clipped : NULL,
                          .least = s->given ? least : NULL,
                          .largest = s->given ? largest : NULL};

    for (size_t o = 0; o < s->outs; o++) {
        least[o] = scene_cube()->before[o];
        largest[o] = least[o] + 50;
    }
    got_results.clipped = 0;
    return penta_map_take(map, &f, scene_host()->out, PIXELS);
}

penta_status scene_ask_range(penta_map *map)
{
    return penta_map_range(map, got_results.least, got_results.largest);
}

penta_status scene_create_map(const pca_scene *s, penta_context *ctx, penta_map **map)
{
    const pca_scene_cube *c = scene_cube();
    penta_affine a = {s->bands, s->outs, c->matrix, c->before, c->after};
    penta_status status;

    *map = (penta_map *)(uintptr_t)1;
    status = penta_map_create(ctx, &a, s->precision, s->no_data, map);
    assert_true((status == PENTA_OK) == (*map != NULL));
    if (*map)
        pca_limit_map(*map, PCA_UNIT, SLABS);
    return status;
}

void scene_forget_results(void)
{
    right_results.known = false;
}
