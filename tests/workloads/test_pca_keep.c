/*
 * Pixels that stay on the device: statistics and maps are the same bits with and without, for all types, layouts,
 * masks, no-data values, pieces and slabs; room that is exceeded; plans that are used again; what is refused; in the
 * forms for this device and for GPUs.
 */
#include "support/test.h"

#include "pca/pca.h"
#include "support/numbers.h"
#include "support/random.h"

enum { BANDS = 5, OUTS = 3, ROWS = 31, COLS = 101, PIXELS = ROWS * COLS, SLABS = (PIXELS + PCA_UNIT - 1) / PCA_UNIT };

/* ---- cubes ---- */

typedef struct {
    penta_type type;
    int layout, kind;
    bool masked;
    const char *no_data; /* or NULL */
    double data[BANDS * PIXELS];
    uint8_t mask[PIXELS];
} cube;

static size_t place(const cube *c, size_t band, size_t pixel)
{
    return c->layout == PENTA_BSQ   ? band * PIXELS + pixel
           : c->layout == PENTA_BIL ? (pixel / COLS * BANDS + band) * COLS + pixel % COLS
                                    : pixel * BANDS + band;
}

/* 20 .. 120 of bands that have something in common; every 13th pixel has the no-data value in one band. */
static void fill(cube *c)
{
    random_seed(5);
    for (size_t p = 0; p < PIXELS; p++) {
        double common = random_uniform();

        c->mask[p] = p % 11 != 4;
        for (size_t b = 0; b < BANDS; b++)
            put_number(c->type, c->data, place(c, b, p),
                       nearest_number(c->type, 20 + 50 * common + 50 * random_uniform()));
        if (c->no_data && p % 13 == 6)
            put_number(c->type, c->data, place(c, p % BANDS, p), strtod(c->no_data, NULL));
    }
}

static penta_cube_rows rows_of(const cube *c, size_t first, size_t count)
{
    size_t at = c->layout == PENTA_BSQ ? first * COLS : first * COLS * BANDS;

    return (penta_cube_rows){.rows = count,
                             .cols = COLS,
                             .layout = c->layout,
                             .type = c->type,
                             .data = (const char *)c->data + at * penta_type_size(c->type),
                             .band_stride = PIXELS,
                             .mask = c->masked ? c->mask + first * COLS : NULL};
}

/* ---- plans ---- */

static penta_pca *make_plan(penta_context *ctx, const cube *c, size_t limit)
{
    penta_pca_options o;
    penta_pca *plan;

    penta_pca_options_init(&o);
    o.kind = c->kind;
    o.components = OUTS;
    o.no_data = c->no_data;
    EXPECT_OK(ctx, penta_pca_create(ctx, BANDS, 0, &o, &plan));
    pca_limit_slabs(plan, limit);
    return plan;
}

static void add(penta_context *ctx, penta_pca *plan, const cube *c, size_t first, size_t count, size_t step)
{
    for (size_t at = first, n; at < first + count; at += n) {
        penta_cube_rows rows;

        n = first + count - at < step ? first + count - at : step;
        rows = rows_of(c, at, n);
        EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    }
}

/* Bytes of that many slabs of PCA_UNIT pixels. */
static uint64_t slabs_of(const cube *c, uint64_t count)
{
    return count * PCA_UNIT * (BANDS * penta_type_size(c->type) + 1);
}

static void expect_same(const penta_pca_model *a, const penta_pca_model *b)
{
    assert_int_equal(a->pixels, b->pixels);
    assert_memory_equal(a->mean, b->mean, BANDS * sizeof(double));
    assert_memory_equal(a->covariance, b->covariance, BANDS * BANDS * sizeof(double));
    assert_memory_equal(a->forward, b->forward, OUTS * BANDS * sizeof(double));
}

/* ---- maps ---- */

typedef struct {
    double out[OUTS * PIXELS], least[OUTS], largest[OUTS];
    uint8_t bytes[OUTS * PIXELS], valid[PIXELS];
} results;

static penta_map *make_map(penta_context *ctx, const cube *c, const penta_pca_model *m)
{
    penta_affine a = {BANDS, OUTS, m->forward, m->mean, NULL};
    penta_map *map;

    EXPECT_OK(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_AUTO, c->no_data, &map));
    return map;
}

/* All pixels, `step` at a time (of rows a whole number), each time as they are; then, all at once, as bytes. kept NULL:
 * from rows. */
static void map_all(penta_context *ctx, const cube *c, const penta_pca_model *m, penta_pca *kept, size_t slab,
                    size_t step, results *r)
{
    penta_map_format exact = {.type = PENTA_F64, .fill = -7};
    penta_map_format bytes = {.type = PENTA_U8, .rescale = true, .low = 1, .high = 255, .fill = 0};
    HELD_BY(penta_map_held) penta_map *map = make_map(ctx, c, m);

    memset(r, 0xA5, sizeof *r);
    pca_limit_map(map, slab, (PIXELS + slab - 1) / slab);
    for (int pass = 0; pass < 2; pass++)
        for (size_t at = 0, n; at < PIXELS; at += n) {
            penta_cube_rows rows = rows_of(c, at / COLS, (PIXELS - at < step ? PIXELS - at : step) / COLS);

            n = PIXELS - at < step ? PIXELS - at : step;
            EXPECT_OK(ctx, kept ? penta_map_add_kept(map, kept, at, n) : penta_map_add(map, &rows));
            exact.valid = r->valid + at;
            if (pass == 0)
                EXPECT_OK(ctx, penta_map_take(map, &exact, r->out + at, PIXELS));
        }
    EXPECT_OK(ctx, penta_map_range(map, r->least, r->largest));
    EXPECT_OK(ctx, penta_map_take(map, &bytes, r->bytes, PIXELS));
}

/* ---- the same bits ---- */

static results wanted, got;

/* Plans with and without; pieces and slabs of all of them differ. */
static void check(penta_context *ctx, cube *c)
{
    static const size_t slabs[] = {PCA_UNIT, 3 * PCA_UNIT, 8 * PCA_UNIT}, steps[] = {PIXELS, 700, 1};
    HELD_BY(penta_pca_held) penta_pca *plan = make_plan(ctx, c, PCA_UNIT), *keeping = make_plan(ctx, c, PCA_UNIT);
    penta_pca_model want, m;

    add(ctx, plan, c, 0, ROWS, ROWS);
    EXPECT_OK(ctx, penta_pca_solve(plan, &want));
    assert_false(penta_pca_has_kept(plan));
    map_all(ctx, c, &want, NULL, PCA_UNIT, 7 * COLS, &wanted);
    EXPECT_OK(ctx, penta_pca_keep(keeping, 0));
    assert_false(penta_pca_has_kept(keeping));
    for (size_t i = 0; i < COUNT(slabs); i++) {
        size_t step = steps[i] == 1 && c->type != PENTA_F32 ? 97 : steps[i]; /* 1 takes its time */

        penta_pca_reset(keeping);
        add(ctx, keeping, c, 0, ROWS, 1 + 9 * i);
        EXPECT_OK(ctx, penta_pca_solve(keeping, &m));
        assert_true(penta_pca_has_kept(keeping));
        expect_same(&m, &want);
        map_all(ctx, c, &m, keeping, slabs[i], step, &got);
        assert_memory_equal(&got, &wanted, sizeof got);
        penta_pca_model_free(&m);
    }
    penta_pca_model_free(&want);
}

TEST(types)
{
    static cube c;

    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (int marks = 0; marks < 4; marks++) {
            c = (cube){.type = pixel_types[t],
                       .layout = (int)(t + (size_t)marks) % 3,
                       .masked = marks % 2,
                       .no_data = marks / 2 == 0               ? NULL
                                  : is_integer(pixel_types[t]) ? "7"
                                                               : "nan"};
            fill(&c);
            check(device_of(state), &c);
        }
}

TEST(noise_fractions)
{
    static cube c = {.type = PENTA_U16, .kind = PENTA_PCA_MNF, .masked = true, .no_data = "7"};

    fill(&c);
    check(device_of(state), &c);
}

/* Slabs as they come: the cube is one, and open. */
DEVICE_TEST(one_slab)
{
    static cube c = {.type = PENTA_F64, .layout = PENTA_BIL};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    HELD_BY(penta_pca_model_free) penta_pca_model m;

    fill(&c);
    plan = make_plan(ctx, &c, SIZE_MAX / 2);
    EXPECT_OK(ctx, penta_pca_keep(plan, 0));
    add(ctx, plan, &c, 0, ROWS, 10);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    map_all(ctx, &c, &m, NULL, PCA_UNIT, COLS, &wanted);
    map_all(ctx, &c, &m, plan, 5 * PCA_UNIT, 1000, &got);
    assert_memory_equal(&got, &wanted, sizeof got);
}

/* A map may leave out more than the statistics did. */
DEVICE_TEST(other_no_data)
{
    static cube c = {.type = PENTA_I16, .masked = true};
    penta_pca *plan;
    penta_pca_model m;

    c.no_data = "7";
    fill(&c);
    for (int without = 0; without < 2; without++) {
        c.no_data = NULL;
        plan = make_plan(ctx, &c, PCA_UNIT);
        EXPECT_OK(ctx, penta_pca_keep(plan, 0));
        add(ctx, plan, &c, 0, ROWS, 10);
        EXPECT_OK(ctx, penta_pca_solve(plan, &m));
        c.no_data = without ? NULL : "7";
        map_all(ctx, &c, &m, NULL, PCA_UNIT, PIXELS, &wanted);
        map_all(ctx, &c, &m, plan, PCA_UNIT, PIXELS, &got);
        assert_memory_equal(&got, &wanted, sizeof got);
        assert_int_equal(got.valid[6], without);
        penta_pca_model_free(&m);
        penta_pca_destroy(plan);
    }
}

/* Kernels for many outputs are others. Slabs are whole blocks of the map, and the last one is not full. */
DEVICE_TEST(many_outputs)
{
    enum { MANY = 40 };
    static cube c = {.type = PENTA_F64, .masked = true, .no_data = "nan"};
    static double matrix[MANY * BANDS], out[2][MANY * PIXELS], least[2][MANY], largest[2][MANY];
    const penta_affine a = {BANDS, MANY, matrix, NULL, NULL};
    const penta_map_format exact = {.type = PENTA_F64, .fill = -7};
    penta_cube_rows rows;
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    penta_map *map;

    fill(&c);
    for (size_t i = 0; i < COUNT(matrix); i++)
        matrix[i] = 1 + random_uniform(); /* so that no valid result is near 0 */
    plan = make_plan(ctx, &c, 2 * PCA_UNIT);
    EXPECT_OK(ctx, penta_pca_keep(plan, 0));
    add(ctx, plan, &c, 0, ROWS, 10);
    rows = rows_of(&c, 0, ROWS);
    for (int kept = 0; kept < 2; kept++) {
        EXPECT_OK(ctx, penta_map_create(ctx, &a, PENTA_PRECISION_AUTO, c.no_data, &map));
        pca_limit_map(map, 2 * PCA_UNIT, 10);
        EXPECT_OK(ctx, kept ? penta_map_add_kept(map, plan, 0, PIXELS) : penta_map_add(map, &rows));
        EXPECT_OK(ctx, penta_map_range(map, least[kept], largest[kept]));
        EXPECT_OK(ctx, penta_map_take(map, &exact, out[kept], PIXELS));
        penta_map_destroy(map);
    }
    assert_memory_equal(out[0], out[1], sizeof *out);
    assert_memory_equal(least[0], least[1], sizeof *least);
    assert_memory_equal(largest[0], largest[1], sizeof *largest);
    assert_true(least[0][0] > 20);
}

/* ---- rows that come later ---- */

DEVICE_TEST(more_rows)
{
    static cube c = {.type = PENTA_F32, .masked = true, .no_data = "7"};
    penta_map_format exact = {.type = PENTA_F64, .fill = -7};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    HELD_BY(penta_pca_model_free) penta_pca_model half, all;
    HELD_BY(penta_map_held) penta_map *map = NULL;

    fill(&c);
    plan = make_plan(ctx, &c, PCA_UNIT);
    EXPECT_OK(ctx, penta_pca_keep(plan, slabs_of(&c, SLABS)));
    add(ctx, plan, &c, 0, 8, 3); /* ends within a slab */
    EXPECT_OK(ctx, penta_pca_solve(plan, &half));
    map = make_map(ctx, &c, &half);
    EXPECT_OK(ctx, penta_map_add_kept(map, plan, 0, 8 * COLS));
    add(ctx, plan, &c, 8, ROWS - 8, 5);
    EXPECT_OK(ctx, penta_map_add_kept(map, plan, 8 * COLS, PIXELS - 8 * COLS)); /* without a solution before */
    assert_int_equal(penta_map_add_kept(map, plan, 1, PIXELS), PENTA_INVALID);
    memset(&got, 0xA5, sizeof got);
    exact.valid = got.valid;
    EXPECT_OK(ctx, penta_map_range(map, got.least, got.largest));
    EXPECT_OK(ctx, penta_map_take(map, &exact, got.out, PIXELS));
    map_all(ctx, &c, &half, NULL, PCA_UNIT, PIXELS, &wanted);
    assert_memory_equal(got.out, wanted.out, sizeof got.out);
    assert_memory_equal(got.valid, wanted.valid, sizeof got.valid);
    assert_memory_equal(got.least, wanted.least, sizeof got.least);
    assert_memory_equal(got.largest, wanted.largest, sizeof got.largest);
    EXPECT_OK(ctx, penta_pca_solve(plan, &all));
    map_all(ctx, &c, &all, NULL, PCA_UNIT, PIXELS, &wanted);
    map_all(ctx, &c, &all, plan, PCA_UNIT, 600, &got);
    assert_memory_equal(&got, &wanted, sizeof got);
}

/* ---- room ---- */

/* Whether the cube stays in so many bytes; its statistics are the same in any case. */
static bool stays(penta_context *ctx, penta_pca *plan, const cube *c, uint64_t bytes, const penta_pca_model *want)
{
    HELD_BY(penta_pca_model_free) penta_pca_model m;
    bool kept;

    penta_pca_reset(plan);
    EXPECT_OK(ctx, penta_pca_keep(plan, bytes));
    add(ctx, plan, c, 0, ROWS, 4);
    kept = penta_pca_has_kept(plan);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    assert_int_equal(penta_pca_has_kept(plan), kept);
    expect_same(&m, want);
    if (kept) {
        map_all(ctx, c, &m, plan, PCA_UNIT, 1234, &got);
        assert_memory_equal(&got, &wanted, sizeof got);
    }
    return kept;
}

DEVICE_TEST(room)
{
    static cube c = {.type = PENTA_F32, .layout = PENTA_BIP, .masked = true};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    HELD_BY(penta_pca_model_free) penta_pca_model want;

    fill(&c);
    plan = make_plan(ctx, &c, PCA_UNIT);
    add(ctx, plan, &c, 0, ROWS, ROWS);
    EXPECT_OK(ctx, penta_pca_solve(plan, &want));
    map_all(ctx, &c, &want, NULL, PCA_UNIT, COLS, &wanted);
    for (uint64_t slabs = 0; slabs < SLABS; slabs++)
        assert_false(stays(ctx, plan, &c, slabs_of(&c, slabs) + 1, &want));
    assert_false(stays(ctx, plan, &c, slabs_of(&c, SLABS) - 1, &want));
    assert_true(stays(ctx, plan, &c, slabs_of(&c, SLABS), &want));
    assert_true(stays(ctx, plan, &c, slabs_of(&c, SLABS), &want)); /* in the same memory */
    assert_false(stays(ctx, plan, &c, slabs_of(&c, 4), &want));
    assert_true(stays(ctx, plan, &c, 0, &want));
}

/* Half-way: what is there at first is lost with the rest, until a reset. */
DEVICE_TEST(room_exceeded)
{
    static cube c = {.type = PENTA_I16};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    HELD_BY(penta_pca_model_free) penta_pca_model m;
    HELD_BY(penta_map_held) penta_map *map = NULL;

    fill(&c);
    plan = make_plan(ctx, &c, PCA_UNIT);
    EXPECT_OK(ctx, penta_pca_keep(plan, slabs_of(&c, 4)));
    add(ctx, plan, &c, 0, 20, 1); /* 2020 pixels of 2048 */
    assert_true(penta_pca_has_kept(plan));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    map = make_map(ctx, &c, &m);
    EXPECT_OK(ctx, penta_map_add_kept(map, plan, 0, 20 * COLS));
    add(ctx, plan, &c, 20, 1, 1);
    assert_false(penta_pca_has_kept(plan));
    EXPECT_REFUSED(ctx, penta_map_add_kept(map, plan, 0, 1), PENTA_INVALID, "there are 0 that are kept");
    penta_pca_reset(plan);
    assert_false(penta_pca_has_kept(plan));
    add(ctx, plan, &c, 0, 5, 1);
    assert_true(penta_pca_has_kept(plan));
    assert_int_equal(penta_map_add_kept(map, plan, 0, 5 * COLS + 1), PENTA_INVALID);
    EXPECT_OK(ctx, penta_map_add_kept(map, plan, 0, 5 * COLS));
}

/* Another type after a reset makes a plan begin with other slabs. */
DEVICE_TEST(other_type)
{
    static cube floats = {.type = PENTA_F32, .layout = PENTA_BIL}, bytes = {.type = PENTA_U8, .masked = true};
    cube *const order[] = {&floats, &bytes, &floats};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    penta_pca_model m;

    fill(&floats);
    fill(&bytes);
    plan = make_plan(ctx, &floats, PCA_UNIT);
    EXPECT_OK(ctx, penta_pca_keep(plan, 0));
    for (size_t i = 0; i < COUNT(order); i++) {
        penta_pca_reset(plan);
        add(ctx, plan, order[i], 0, ROWS, 12);
        EXPECT_OK(ctx, penta_pca_solve(plan, &m));
        map_all(ctx, order[i], &m, NULL, PCA_UNIT, COLS, &wanted);
        map_all(ctx, order[i], &m, plan, PCA_UNIT, 900, &got);
        assert_memory_equal(&got, &wanted, sizeof got);
        penta_pca_model_free(&m);
    }
}

/* ---- what is refused ---- */

TEST_IN(AS_IT_IS, refused)
{
    static cube c = {.type = PENTA_F64};
    penta_context *ctx = device_of(state), *other = NULL;
    double few[BANDS - 1] = {1}, all[BANDS] = {1};
    penta_affine narrow = {BANDS - 1, 1, few, NULL, NULL}, one = {BANDS, 1, all, NULL, NULL};
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    penta_pca_model m;
    penta_map *map;

    fill(&c);
    plan = make_plan(ctx, &c, PCA_UNIT);
    EXPECT_OK(ctx, penta_map_create(ctx, &narrow, PENTA_PRECISION_AUTO, NULL, &map));
    assert_int_equal(penta_map_add_kept(map, plan, 0, 1), PENTA_INVALID);
    add(ctx, plan, &c, 0, 1, 1);
    EXPECT_REFUSED(ctx, penta_pca_keep(plan, 0), PENTA_INVALID, "there were rows before");
    penta_pca_reset(plan);
    EXPECT_OK(ctx, penta_pca_keep(plan, 0));
    add(ctx, plan, &c, 0, ROWS, ROWS);
    EXPECT_REFUSED(ctx, penta_map_add_kept(map, plan, 0, PIXELS), PENTA_INVALID, "have 5 bands; the map takes 4");
    penta_map_destroy(map);
    EXPECT_OK(NULL, penta_context_create(NULL, &other));
    EXPECT_OK(other, penta_map_create(other, &one, PENTA_PRECISION_AUTO, NULL, &map));
    EXPECT_REFUSED(other, penta_map_add_kept(map, plan, 0, PIXELS), PENTA_INVALID, "another context");
    penta_map_destroy(map);
    penta_context_destroy(other);
    EXPECT_OK(ctx, penta_map_create(ctx, &one, PENTA_PRECISION_AUTO, NULL, &map));
    pca_limit_map(map, PCA_UNIT, 2);
    EXPECT_REFUSED(ctx, penta_map_add_kept(map, plan, 0, 2 * PCA_UNIT + 1), PENTA_INVALID, "no room");
    EXPECT_OK(ctx, penta_map_add_kept(map, plan, 99, 2 * PCA_UNIT));
    assert_int_equal(penta_map_add_kept(map, plan, PIXELS, 1), PENTA_INVALID);
    assert_int_equal(penta_map_add_kept(map, plan, UINT64_MAX, 2), PENTA_INVALID);
    penta_map_destroy(map);
    c.data[2 * PIXELS + 77] = NAN;
    penta_pca_reset(plan);
    add(ctx, plan, &c, 0, 3, 3);
    assert_true(penta_pca_has_kept(plan));
    EXPECT_OK(ctx, penta_map_create(ctx, &one, PENTA_PRECISION_AUTO, NULL, &map));
    EXPECT_REFUSED(ctx, penta_map_add_kept(map, plan, 0, 10), PENTA_INVALID, "band 3, row 0, column 77 is not finite");
    assert_false(penta_pca_has_kept(plan));
    assert_int_equal(penta_pca_solve(plan, &m), PENTA_INVALID);
    penta_map_destroy(map);
}

ON_DEVICE;
AS_ON_A_GPU;
