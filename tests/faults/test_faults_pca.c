/*
 * Faults in plans and maps of cubes: each time there is an error and no answer, or the right one; the rows are the
 * caller's again, and after penta_pca_reset or penta_map_reset the same plan or map gives the right answer.
 */
#include "faults/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/blas.h"
#include "pca/pca.h"
#include "reference/pca.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/random.h"

enum {
    MOST_BANDS = 36,
    COLS = 37,
    ROWS = 31,
    FIRST_ROWS = 17, /* of the first of two pieces */
    PIXELS = ROWS * COLS,
    SLABS = 4, /* that results are kept of: two full ones of a unit and an open one, or two of each of two types */
};

/* ---- scenes ---- */

/* A cube and what is asked of it. */
typedef struct {
    const char *name;
    size_t bands, outs; /* outs: of the map; 0: statistics */
    bool keeps;         /* statistics, then the map of the pixels that they keep */
    int layout;
    penta_type type;
    bool mixed; /* the second piece of a map is of floats */
    bool masked, pinned;
    const char *no_data; /* "7" or "nan" */
    int kind, cov, precision;
    penta_type result; /* of maps */
    bool rescale, given;
} scene;

/* What the scene now swept is made of. */
static struct {
    double x[MOST_BANDS * PIXELS];           /* bands x pixels */
    uint8_t valid[PIXELS];                   /* neither masked nor without data */
    double elements[2][MOST_BANDS * PIXELS]; /* as the rows have them, for each piece */
    uint8_t mask[PIXELS];                    /* of the rows */
    double matrix[MOST_BANDS * MOST_BANDS], before[MOST_BANDS], after[MOST_BANDS];
} cube;

/* What the library is given: rows, and room for results. */
typedef struct {
    double elements[2][MOST_BANDS * PIXELS];
    uint8_t mask[PIXELS];
    double out[MOST_BANDS * PIXELS];
    uint8_t valid[PIXELS];
} memory;

static memory pageable, *pinned; /* pinned: transfers use it after they were asked for; or NULL */

static memory *host(void)
{
    return pinned ? pinned : &pageable;
}

static bool is_float(penta_type type)
{
    return type == PENTA_F32 || type == PENTA_F64;
}

/* Of piece 0 or 1. */
static penta_type type_of(const scene *s, int i)
{
    return i && s->mixed ? PENTA_F32 : s->type;
}

static void put(void *data, penta_type type, size_t i, double v)
{
    switch (type) {
    case PENTA_U8:
        ((uint8_t *)data)[i] = (uint8_t)v;
        break;
    case PENTA_U16:
        ((uint16_t *)data)[i] = (uint16_t)v;
        break;
    case PENTA_I16:
        ((int16_t *)data)[i] = (int16_t)v;
        break;
    case PENTA_I32:
        ((int32_t *)data)[i] = (int32_t)v;
        break;
    case PENTA_F32:
        ((float *)data)[i] = (float)v;
        break;
    default:
        ((double *)data)[i] = v;
    }
}

static double get(const void *data, penta_type type, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)data)[i];
    case PENTA_I16:
        return ((const int16_t *)data)[i];
    case PENTA_F32:
        return (double)((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

static size_t place(const scene *s, size_t band, size_t pixel)
{
    size_t row = pixel / COLS, col = pixel % COLS;

    return s->layout == PENTA_BSQ   ? band * PIXELS + pixel
           : s->layout == PENTA_BIL ? (row * s->bands + band) * COLS + col
                                    : pixel * s->bands + band;
}

/* 8 .. 248, so that all types hold them and none is the no-data value; of floats in quarters. */
static void make_pixels(const scene *s)
{
    bool whole = !is_float(s->type);

    for (size_t p = 0; p < PIXELS; p++) {
        double common = random_uniform();

        cube.mask[p] = !s->masked || p % 11 != 3;
        cube.valid[p] = cube.mask[p];
        for (size_t b = 0; b < s->bands; b++) {
            double v = 8 + 100 * common + (double)(p % COLS) + 100 * random_uniform();

            cube.x[b * PIXELS + p] = whole ? floor(v) : floor(4 * v) / 4;
        }
        if (s->no_data && p % 13 == 5) {
            cube.x[p % s->bands * PIXELS + p] = strtod(s->no_data, NULL);
            cube.valid[p] = 0;
        }
    }
}

static void make_cube(const scene *s)
{
    random_seed(21);
    make_pixels(s);
    for (size_t b = 0; b < s->bands; b++)
        for (size_t p = 0; p < PIXELS; p++)
            for (int i = 0; i < 2; i++)
                put(cube.elements[i], type_of(s, i), place(s, b, p), cube.x[b * PIXELS + p]);
    for (size_t i = 0; i < s->outs * s->bands; i++)
        cube.matrix[i] = 2 * random_uniform() - 1;
    for (size_t i = 0; i < MOST_BANDS; i++) {
        cube.before[i] = 100 * random_uniform();
        cube.after[i] = random_uniform();
    }
}

/* Piece 0 or 1. */
static penta_cube_rows piece(const scene *s, int i)
{
    size_t first = i ? FIRST_ROWS : 0, element = s->layout == PENTA_BSQ ? first * COLS : first * COLS * s->bands;

    return (penta_cube_rows){.rows = i ? ROWS - FIRST_ROWS : FIRST_ROWS,
                             .cols = COLS,
                             .layout = s->layout,
                             .type = type_of(s, i),
                             .data = (const char *)host()->elements[i] + element * penta_type_size(type_of(s, i)),
                             .band_stride = PIXELS,
                             .mask = s->masked ? host()->mask + first * COLS : NULL};
}

/* Memory of the rows and for results; before a trial begins. */
static void have_memory(const scene *s, penta_context *ctx)
{
    void *made = NULL;

    if (s->pinned)
        EXPECT_OK(ctx, penta_host_alloc(ctx, sizeof *pinned, &made));
    pinned = made;
    memcpy(host()->elements, cube.elements, sizeof cube.elements);
    memcpy(host()->mask, cube.mask, sizeof cube.mask);
}

static void return_memory(penta_context *ctx)
{
    if (pinned)
        penta_host_free(ctx, pinned);
    pinned = NULL;
}

/* ---- statistics ---- */

/* A model by value. */
typedef struct {
    bool known;
    uint64_t pixels;
    double mean[MOST_BANDS], covariance[MOST_BANDS * MOST_BANDS], eigenvalues[MOST_BANDS];
    double loadings[MOST_BANDS * MOST_BANDS], forward[MOST_BANDS * MOST_BANDS], inverse[MOST_BANDS * MOST_BANDS];
} model;

static model right_model;

/* Against the reference, roughly: other tests ask for more. */
static void check_model(const scene *s, const model *m)
{
    static double mean[MOST_BANDS], covariance[MOST_BANDS * MOST_BANDS], noise[MOST_BANDS * MOST_BANDS];
    static double values[MOST_BANDS], vectors[MOST_BANDS * MOST_BANDS];
    size_t n = s->bands;

    assert_int_equal(reference_pca_covariance(n, PIXELS, cube.x, cube.valid, 1, mean, covariance), m->pixels);
    for (size_t i = 0; i < n * n; i++)
        expect_near(m->covariance[i], covariance[i], 1e-4 * covariance[0]);
    if (s->kind == PENTA_PCA_MNF) {
        reference_pca_noise(n, ROWS, COLS, cube.x, cube.valid, noise);
        reference_pca_generalised(n, covariance, noise, values, vectors);
    } else {
        reference_pca_eigen(n, covariance, values, vectors);
    }
    for (size_t i = 0; i < n; i++)
        expect_near(m->eigenvalues[i], values[i], 1e-4 * values[0]);
}

/* Takes the first one for right once the reference agrees. */
static void expect_right_model(const scene *s, penta_pca_model *m)
{
    static model got;
    size_t n = m->bands;

    assert_int_equal(n, s->bands);
    assert_int_equal(m->components, n);
    memset(&got, 0, sizeof got);
    got.known = true;
    got.pixels = m->pixels;
    memcpy(got.mean, m->mean, n * sizeof(double));
    memcpy(got.covariance, m->covariance, n * n * sizeof(double));
    memcpy(got.eigenvalues, m->eigenvalues, n * sizeof(double));
    memcpy(got.loadings, m->loadings, n * n * sizeof(double));
    memcpy(got.forward, m->forward, n * n * sizeof(double));
    memcpy(got.inverse, m->inverse, n * n * sizeof(double));
    penta_pca_model_free(m);
    if (!right_model.known) {
        check_model(s, &got);
        right_model = got;
    }
    assert_memory_equal(&got, &right_model, sizeof got);
}

static const penta_pca_model empty;

/* A model that must be empty if there is an error. */
static penta_status solve(penta_pca *plan, penta_pca_model *out)
{
    penta_status status;

    memset(out, 1, sizeof *out);
    status = penta_pca_solve(plan, out);
    if (status != PENTA_OK)
        assert_memory_equal(out, &empty, sizeof empty);
    return status;
}

static penta_status add(const scene *s, penta_pca *plan)
{
    penta_status status = PENTA_OK;

    for (int i = 0; i < 2 && status == PENTA_OK; i++) {
        penta_cube_rows rows = piece(s, i);

        status = penta_pca_add(plan, &rows);
    }
    return status;
}

static void expect_rows_idle(const trial *t)
{
    expect_idle(t, host(), sizeof *host());
}

/* Rows that failed half-way give no model; a model that failed may be asked for again, if it is not refused. The plan
 * is as good as new once it is reset. */
static void expect_good_plan(const trial *t, penta_pca *plan, bool added)
{
    const scene *s = t->job->what;
    penta_pca_model m;
    penta_status status = solve(plan, &m);

    if (added && status == PENTA_OK) {
        expect_right_model(s, &m);
    } else {
        assert_int_equal(status, PENTA_INVALID);
        if (added)
            expect_text(penta_last_error(t->ctx), "penta_pca_reset");
    }
    penta_pca_reset(plan);
    EXPECT_OK(t->ctx, add(s, plan));
    EXPECT_OK(t->ctx, solve(plan, &m));
    expect_right_model(s, &m);
}

static penta_status create_plan(const scene *s, penta_context *ctx, penta_pca **plan)
{
    penta_pca_options o;
    penta_status status;

    penta_options_init(penta_pca_option_table, &o);
    o.kind = s->kind;
    o.cov = s->cov;
    o.precision = s->precision;
    o.no_data = s->no_data;
    *plan = (penta_pca *)(uintptr_t)1;
    status = penta_pca_create(ctx, s->bands, 0, &o, plan);
    assert_true((status == PENTA_OK) == (*plan != NULL));
    if (*plan)
        pca_limit_slabs(*plan, PCA_UNIT);
    return status;
}

static penta_status attempt_statistics(trial *t)
{
    const scene *s = t->job->what;
    penta_pca *plan;
    penta_pca_model m = empty;
    penta_status status;
    bool added = false;

    have_memory(s, t->ctx);
    begin_faults(t);
    status = create_plan(s, t->ctx, &plan);
    if (status == PENTA_OK)
        status = add(s, plan);
    if (status == PENTA_OK) {
        added = true;
        status = solve(plan, &m);
    }
    end_faults(t, t->ctx, status);
    expect_rows_idle(t);
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK)
        expect_right_model(s, &m);
    else if (plan)
        expect_good_plan(t, plan, added);
    penta_pca_destroy(plan);
    return_memory(t->ctx);
    return status;
}

/* ---- maps ---- */

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
            expect_near(get(got_results.out, s->result, o * PIXELS + p),
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

/* ---- both, of pixels that stay on the device ---- */

/* Where there was no memory to keep them they come again. */
static penta_status map_kept(const scene *s, penta_pca *plan, penta_map *map)
{
    if (!penta_pca_has_kept(plan))
        return map_rows(s, map);
    memset(&got_results, 0, sizeof got_results);
    memset(host()->out, UNTOUCHED, sizeof host()->out);
    memset(host()->valid, UNTOUCHED, sizeof host()->valid);
    return penta_map_add_kept(map, plan, 0, PIXELS);
}

static penta_status use_kept(const scene *s, penta_context *ctx, penta_pca *plan, penta_map **map, penta_pca_model *m)
{
    penta_status status = penta_pca_keep(plan, 0);

    status = status == PENTA_OK ? add(s, plan) : status;
    status = status == PENTA_OK ? solve(plan, m) : status;
    status = status == PENTA_OK ? create_map(s, ctx, map) : status;
    status = status == PENTA_OK ? map_kept(s, plan, *map) : status;
    status = status == PENTA_OK ? ask_range(*map) : status;
    return status == PENTA_OK ? take(s, *map) : status;
}

static bool fell_back; /* a fault made pixels come again, and nothing else */

static penta_status attempt_kept(trial *t)
{
    const scene *s = t->job->what;
    penta_pca *plan;
    penta_map *map = NULL;
    penta_pca_model m = empty;
    penta_status status;

    have_memory(s, t->ctx);
    begin_faults(t);
    status = create_plan(s, t->ctx, &plan);
    if (plan)
        status = use_kept(s, t->ctx, plan, &map, &m);
    end_faults(t, t->ctx, status);
    expect_rows_idle(t);
    faults_forget_transfers();
    faults_disarm();
    if (status == PENTA_OK) {
        assert_true(t->struck || penta_pca_has_kept(plan));
        fell_back |= !penta_pca_has_kept(plan);
        expect_right_model(s, &m);
        expect_right_results(s);
    } else {
        penta_pca_model_free(&m);
    }
    penta_map_destroy(map);
    penta_pca_destroy(plan);
    return_memory(t->ctx);
    return status;
}

/* ---- sweeps ---- */

static void sweep_scene(const scene *s, const job *how)
{
    job j = *how;

    j.name = s->name;
    j.attempt = s->keeps ? attempt_kept : s->outs > 0 ? attempt_map : attempt_statistics;
    j.what = s;
    j.least = 10;
    make_cube(s);
    right_model.known = right_results.known = false;
    sweep(&j);
}

static const job on_cpu = {.dense = 40, .stride = 2}, as_gpu = {.dense = 40, .stride = 2, .as_gpu = true};

/* Each trial builds its programs, which takes long, so few calls fail, and no allocations. */
static void test_first_use(void **state)
{
    (void)state;
    sweep_scene(&(scene){.name = "statistics in a new context", .bands = 5, .type = PENTA_F32, .no_data = "nan"},
                &(job){.fresh = true, .on_device = true, .dense = 5, .stride = 29});
    sweep_scene(
        &(scene){.name = "a map in a new context", .bands = 5, .outs = 3, .type = PENTA_U16, .result = PENTA_F32},
        &(job){.fresh = true, .on_device = true, .dense = 5, .stride = 29});
}

static void test_statistics(void **state)
{
    static const scene scenes[] = {
        {.name = "floats, bsq", .bands = 5, .type = PENTA_F32, .precision = PENTA_PRECISION_SINGLE, .pinned = true},
        {.name = "doubles, bil", .bands = 5, .layout = PENTA_BIL, .type = PENTA_F64, .masked = true, .no_data = "nan"},
        {.name = "bytes, bip", .bands = 5, .layout = PENTA_BIP, .type = PENTA_U8, .no_data = "7", .pinned = true},
        {.name = "16 bits, bsq", .bands = 5, .type = PENTA_I16, .masked = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_scene(&scenes[i], &on_cpu);
}

static void test_statistics_as_gpu(void **state)
{
    static const scene scenes[] = {
        {.name = "floats as on a GPU, bsq", .bands = 5, .type = PENTA_F32, .no_data = "7"},
        {.name = "doubles as on a GPU, bip", .bands = 35, .layout = PENTA_BIP, .type = PENTA_F64, .masked = true},
        {.name = "bytes as on a GPU, bsq",
         .bands = 5,
         .type = PENTA_U8,
         .masked = true,
         .no_data = "7",
         .pinned = true},
        {.name = "32 bits as on a GPU, bil", .bands = 5, .layout = PENTA_BIL, .type = PENTA_I32, .pinned = true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_scene(&scenes[i], &as_gpu);
}

static void test_noise(void **state)
{
    static const scene here = {.name = "noise fractions of 16 bits, bil",
                               .bands = 5,
                               .layout = PENTA_BIL,
                               .type = PENTA_U16,
                               .kind = PENTA_PCA_MNF,
                               .masked = true,
                               .no_data = "7",
                               .pinned = true};
    static const scene there = {.name = "noise fractions of floats as on a GPU, bsq",
                                .bands = 5,
                                .type = PENTA_F32,
                                .kind = PENTA_PCA_MNF,
                                .no_data = "nan"};

    (void)state;
    sweep_scene(&here, &on_cpu);
    sweep_scene(&there, &as_gpu);
}

/* What CLBlast calls by itself does not fail, as the linker reaches no calls of a shared library. It is held
 * throughout, or each trial would compile its programs anew. */
static void test_methods(void **state)
{
    static const scene scenes[] = {
        {.name = "syrk", .bands = 5, .type = PENTA_F32, .cov = PENTA_PCA_COV_SYRK},
        {.name = "gemm", .bands = 5, .type = PENTA_F64, .cov = PENTA_PCA_COV_GEMM, .masked = true},
        {.name = "splitk", .bands = 5, .type = PENTA_U8, .cov = PENTA_PCA_COV_SPLITK},
        {.name = "square",
         .bands = 35,
         .layout = PENTA_BIP,
         .type = PENTA_F32,
         .cov = PENTA_PCA_COV_SQUARE,
         .no_data = "7"},
        {.name = "volkov", .bands = 5, .type = PENTA_U16, .cov = PENTA_PCA_COV_VOLKOV},
    };

    (void)state;
    print_message("calls inside CLBlast are left out: the linker does not reach them\n");
    penta_blas_hold();
    for (size_t i = 0; i < COUNT(scenes); i++)
        sweep_scene(&scenes[i], i % 2 ? &as_gpu : &on_cpu);
    penta_blas_release();
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
        sweep_scene(&scenes[i], &on_cpu);
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
        sweep_scene(&scenes[i], &as_gpu);
}

static void test_kept(void **state)
{
    static const scene here = {.name = "floats that are kept, bsq",
                               .bands = 5,
                               .outs = 3,
                               .keeps = true,
                               .type = PENTA_F32,
                               .no_data = "7",
                               .result = PENTA_F64};
    static const scene there = {.name = "16 bits that are kept as on a GPU, bil, to bytes",
                                .bands = 5,
                                .outs = 3,
                                .keeps = true,
                                .layout = PENTA_BIL,
                                .type = PENTA_I16,
                                .masked = true,
                                .pinned = true,
                                .result = PENTA_U8,
                                .rescale = true};
    job cpu = on_cpu, gpu = as_gpu;

    (void)state;
    cpu.retries = gpu.retries = true;
    fell_back = false;
    sweep_scene(&here, &cpu);
    assert_true(fell_back);
    fell_back = false;
    sweep_scene(&there, &gpu);
    assert_true(fell_back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_use, no_faults),         cmocka_unit_test_setup(test_statistics, no_faults),
        cmocka_unit_test_setup(test_statistics_as_gpu, no_faults), cmocka_unit_test_setup(test_noise, no_faults),
        cmocka_unit_test_setup(test_methods, no_faults),           cmocka_unit_test_setup(test_maps, no_faults),
        cmocka_unit_test_setup(test_maps_as_gpu, no_faults),       cmocka_unit_test_setup(test_kept, no_faults),
    };

    return cmocka_run_group_tests_name("faults: pca", tests, NULL, NULL);
}
