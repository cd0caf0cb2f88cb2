/*
 * Statistics, models and scores that the members of a group make together: the bits of a plan of its own, for one to
 * four members, all types, masks, numbers that are not finite, fewer slabs than members; beside the reference.
 */
#include "support/test.h"

#include <pentacl/group.h>

#include "pca/pca.h"
#include "support/members.h"
#include "support/numbers.h"
#include "support/pca_cube.h"

enum { MOST = 4 };

static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_I16, PENTA_U32, PENTA_I32, PENTA_F32, PENTA_F64};

/* ---- a job of several members ---- */

typedef struct {
    penta_context **contexts;
    const pca_cube *cube;
    penta_pca_options options;
    int layout;
    size_t limit, piece; /* pixels of a slab; rows per call */
    bool keep, twice;    /* pixels stay on the device, and scores are made of them; the cube is added once more */
    penta_pca_part parts[MOST];
    penta_pca_model models[MOST];
    double *scores; /* components x pixels */
} job;

static penta_status add_part(const job *j, penta_pca *plan, const penta_pca_part *part)
{
    penta_status status = PENTA_OK;

    for (size_t at = 0; at < part->rows && status == PENTA_OK; at += j->piece) {
        size_t count = j->piece < part->rows - at ? j->piece : part->rows - at;
        penta_cube_rows rows = rows_of_pca_cube(j->cube, j->layout, part->first_row + at, count);

        status = penta_pca_add(plan, &rows);
        free((void *)rows.data);
    }
    return status;
}

/* Scores of the pixels that the plan keeps. */
static penta_status map_part(const job *j, penta_context *ctx, penta_pca *plan, const penta_pca_part *part,
                             const penta_pca_model *model)
{
    penta_status status = PENTA_OK;
    const penta_affine affine = {model->bands, model->components, model->forward, model->mean, NULL};
    const penta_map_format format = {.type = PENTA_F64, .fill = -1};
    HELD_BY(penta_map_held) penta_map *map = NULL;

    TRY(penta_map_create(ctx, &affine, PENTA_PRECISION_AUTO, NULL, &map));
    TRY(penta_map_add_kept(map, plan, part->first, (size_t)part->pixels));
    TRY(penta_map_take(map, &format, j->scores + part->first, j->cube->pixels));
    if (part->first > 0)
        assert_int_equal(penta_map_add_kept(map, plan, part->first - 1, 1), PENTA_INVALID);
    assert_int_equal(penta_map_add_kept(map, plan, part->first + part->pixels, 1), PENTA_INVALID);
cleanup:
    return status;
}

static penta_status run_member(penta_group *group, void *data)
{
    penta_status status = PENTA_OK;
    job *j = data;
    size_t rank = penta_group_rank(group);
    penta_context *ctx = j->contexts[rank];
    penta_pca_part *part = &j->parts[rank];
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;

    TRY(penta_pca_create(ctx, j->cube->bands, j->cube->pixels, &j->options, &plan));
    pca_limit_slabs(plan, j->limit);
    TRY(penta_pca_join(plan, group, j->cube->rows, j->cube->cols, j->cube->type, part));
    if (j->keep)
        TRY(penta_pca_keep(plan, 0));
    TRY(add_part(j, plan, part));
    if (j->twice) {
        TRY(penta_pca_solve(plan, &j->models[rank]));
        penta_pca_model_free(&j->models[rank]);
        penta_pca_reset(plan);
        TRY(add_part(j, plan, part));
    }
    TRY(penta_pca_solve(plan, &j->models[rank]));
    if (j->keep && part->pixels > 0)
        TRY(map_part(j, ctx, plan, part, &j->models[rank]));
cleanup:
    if (status != PENTA_OK) /* where the group looks for it */
        status = penta_fail(NULL, status, "%s", penta_last_error(status == PENTA_CANCELLED ? NULL : ctx));
    return status;
}

/* Devices of groups of one to MOST members, which share the device of the tests; open until the last test. */
static penta_context **members_of[MOST + 1];

static penta_context **have_members(void **state, size_t count)
{
    if (!members_of[count])
        members_of[count] = open_members(device_of(state), count);
    return members_of[count];
}

static int close_members(void **state)
{
    for (size_t count = 1; count <= MOST; count++)
        penta_contexts_destroy(members_of[count], count);
    return close_device(state);
}

/* ---- the same without a group ---- */

static penta_pca_model model_alone(penta_context *ctx, const job *j)
{
    HELD_BY(penta_pca_held) penta_pca *plan = plan_of_pca_cube(ctx, j->cube, &j->options);
    penta_pca_model m;

    pca_limit_slabs(plan, j->limit);
    add_pca_cube(ctx, plan, j->cube, j->layout, j->piece);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    return m;
}

static void expect_same(const penta_pca_model *a, const penta_pca_model *b)
{
    size_t n = a->bands, k = a->components, size = sizeof(double);

    assert_int_equal(a->bands, b->bands);
    assert_int_equal(a->components, b->components);
    assert_int_equal(a->pixels, b->pixels);
    assert_memory_equal(&a->rounding, &b->rounding, size);
    assert_memory_equal(a->mean, b->mean, n * size);
    assert_memory_equal(a->deviation, b->deviation, n * size);
    assert_memory_equal(a->covariance, b->covariance, n * n * size);
    assert_memory_equal(a->eigenvalues, b->eigenvalues, n * size);
    assert_memory_equal(a->percent, b->percent, n * size);
    assert_memory_equal(a->loadings, b->loadings, k * n * size);
    assert_memory_equal(a->forward, b->forward, k * n * size);
    assert_memory_equal(a->inverse, b->inverse, n * k * size);
}

/* Every pixel is of one part, and each part lies in its rows. */
static void expect_parts(const job *j, size_t members)
{
    uint64_t next = 0;

    for (size_t i = 0; i < members; i++) {
        const penta_pca_part *p = &j->parts[i];

        if (p->pixels == 0)
            continue;
        assert_int_equal(p->first, next);
        assert_true((uint64_t)p->first_row * j->cube->cols <= p->first);
        assert_true((uint64_t)(p->first_row + p->rows) * j->cube->cols >= p->first + p->pixels);
        next += p->pixels;
    }
    assert_int_equal(next, j->cube->pixels);
}

/* One to four members against none. */
static void expect_groups(void **state, job *j)
{
    penta_context *ctx = device_of(state);
    HELD_BY(penta_pca_model_free) penta_pca_model alone = model_alone(ctx, j);

    if (j->options.kind == PENTA_PCA_PCA)
        expect_statistics(j->cube, &alone, 1, 1e-13);
    for (size_t members = 1; members <= MOST; members++) {
        j->contexts = have_members(state, members);
        assert_int_equal(penta_group_threads(members, run_member, j), PENTA_OK);
        expect_parts(j, members);
        for (size_t i = 0; i < members; i++) {
            expect_same(&j->models[i], &alone);
            penta_pca_model_free(&j->models[i]);
        }
    }
}

static job job_of(const pca_cube *c)
{
    return (job){.cube = c, .options = default_pca_options(), .limit = PCA_UNIT, .piece = 7};
}

/* ---- models ---- */

TEST(types)
{
    for (size_t t = 0; t < COUNT(types); t++)
        for (int kind = PENTA_PCA_PCA; kind <= PENTA_PCA_MNF; kind++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(11, 97, 53, types[t], 4 + t);
            job j = job_of(&c);

            if (t % 2)
                mask_pca_cube(&c);
            j.options.kind = kind;
            j.layout = (int)(t % 3);
            j.twice = t % 2 == 0;
            expect_groups(state, &j);
        }
}

TEST(single_precision)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(20, 90, 41, PENTA_F32, 7);
    job j = job_of(&c);
    HELD_BY(penta_pca_model_free) penta_pca_model alone;

    j.options.precision = PENTA_PRECISION_SINGLE;
    j.contexts = have_members(state, 3);
    alone = model_alone(device_of(state), &j);
    assert_int_equal(penta_group_threads(3, run_member, &j), PENTA_OK);
    for (size_t i = 0; i < 3; i++) {
        expect_same(&j.models[i], &alone);
        penta_pca_model_free(&j.models[i]);
    }
}

/* Slabs that begin in the middle of rows, rows longer than a slab, fewer slabs or rows than members. */
TEST(sizes)
{
    static const struct {
        size_t rows, cols;
    } sizes[] = {{1, 2}, {2, 1}, {1, 3000}, {3, 700}, {3000, 1}, {37, 29}, {8, 512}, {64, 24}};
    static const penta_type some[] = {PENTA_I16, PENTA_F64};

    for (size_t s = 0; s < COUNT(sizes); s++)
        for (size_t t = 0; t < COUNT(some); t++) {
            HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(3, sizes[s].rows, sizes[s].cols, some[t], s);
            job j = job_of(&c);

            j.layout = (int)((s + t) % 3);
            j.piece = s % 2 ? 1000000 : 1;
            expect_groups(state, &j);
        }
}

/* Slabs without a valid pixel, at the ends of parts and in the middle. */
TEST(empty_slabs)
{
    for (size_t t = 0; t < COUNT(types); t++) {
        pca_cube c = make_pca_cube(4, 120, 64, types[t], t); /* 15 slabs */
        job j = job_of(&c);

        mask_pca_cube(&c);
        for (size_t p = 0; p < c.pixels; p++)
            if (p < 700 || (p / PCA_UNIT) % 5 == 3 || p >= 14 * (size_t)PCA_UNIT)
                c.mask[p] = 0;
        expect_groups(state, &j);
        free_pca_cube(&c);
    }
}

TEST(no_data)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(4, 60, 64, PENTA_F32, 3);
    job j = job_of(&c);

    c.mask = must_calloc(c.pixels, 1); /* of the reference */
    memset(c.mask, 1, c.pixels);
    for (size_t p = 5; p < c.pixels; p += 11) {
        c.x[(p % 4) * c.pixels + p] = NAN;
        c.mask[p] = 0;
    }
    j.options.no_data = "nan";
    expect_groups(state, &j);
}

/* ---- pixels that stay ---- */

DEVICE_TEST(kept)
{
    for (size_t t = 0; t < COUNT(types); t++) {
        HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(6, 61, 53, types[t], t);
        job j = job_of(&c);
        HELD double *scores = must_calloc(6 * c.pixels, sizeof *scores);
        HELD_BY(penta_pca_model_free) penta_pca_model m = model_alone(ctx, &j);
        const penta_affine affine = {m.bands, m.components, m.forward, m.mean, NULL};
        const penta_map_format format = {.type = PENTA_F64, .fill = -1};

        map_pca_cube(ctx, &c, &affine, PENTA_PRECISION_AUTO, PENTA_BSQ, c.rows, format, scores);
        j.keep = true;
        for (size_t members = 1; members <= MOST; members++) {
            j.scores = must_calloc(6 * c.pixels, sizeof *j.scores);
            j.contexts = have_members(state, members);
            assert_int_equal(penta_group_threads(members, run_member, &j), PENTA_OK);
            assert_memory_equal(j.scores, scores, 6 * c.pixels * sizeof *scores);
            for (size_t i = 0; i < members; i++)
                penta_pca_model_free(&j.models[i]);
            free(j.scores);
        }
    }
}

/* ---- what is refused ---- */

/* The text is that of one device. */
static void expect_failure(void **state, job *j, penta_status expected, const char *text)
{
    penta_context *ctx = device_of(state);
    penta_pca *plan = plan_of_pca_cube(ctx, j->cube, &j->options);
    const penta_pca_part all = {.rows = j->cube->rows};
    penta_pca_model m;
    char alone[512];

    pca_limit_slabs(plan, j->limit);
    if (add_part(j, plan, &all) == PENTA_OK)
        assert_int_equal(penta_pca_solve(plan, &m), expected);
    snprintf(alone, sizeof alone, "%.*s", (int)strcspn(penta_last_error(ctx), "\n"), penta_last_error(ctx));
    expect_text(alone, text);
    penta_pca_destroy(plan);
    for (size_t members = 1; members <= MOST; members++) {
        j->contexts = have_members(state, members);
        assert_int_equal(penta_group_threads(members, run_member, j), expected);
        expect_text(penta_last_error(NULL), alone);
        for (size_t i = 0; i < members; i++)
            assert_null(j->models[i].mean);
    }
}

TEST(failures)
{
    HELD_BY(free_pca_cube)
    pca_cube one = make_pca_cube(3, 1, 1, PENTA_F32, 1), bad = make_pca_cube(3, 80, 50, PENTA_F64, 1);
    job j = job_of(&one);

    expect_failure(state, &j, PENTA_INVALID, "2 valid pixels; there is 1");
    j.cube = &bad;
    bad.x[2 * bad.pixels + 3605] = NAN; /* in two parts, for many members */
    bad.x[bad.pixels + 1234] = INFINITY;
    expect_failure(state, &j, PENTA_INVALID, "band 2, row 24, column 34");
    bad.mask = must_calloc(bad.pixels, 1);
    expect_failure(state, &j, PENTA_INVALID, "there are 0");
    memset(bad.mask, 1, bad.pixels);
    for (size_t p = 0; p < bad.pixels; p++)
        bad.x[p] = 3; /* a constant band */
    bad.x[2 * bad.pixels + 3605] = bad.x[bad.pixels + 1234] = 1;
    j.options.standardize = true;
    expect_failure(state, &j, PENTA_INVALID, "constant");
}

/* Rows of another member, of another shape, too few, too late. */
DEVICE_TEST(wrong_rows)
{
    HELD_BY(free_pca_cube)
    pca_cube c = make_pca_cube(3, 20, 50, PENTA_F32, 1), narrow = make_pca_cube(3, 20, 40, PENTA_F32, 1);
    penta_cube_rows rows = rows_of_pca_cube(&c, PENTA_BSQ, 0, 20), others = rows_of_pca_cube(&narrow, PENTA_BSQ, 0, 20);
    penta_group *group = NULL;
    penta_pca *plan = NULL;
    penta_pca_part part;
    penta_pca_model m;

    assert_int_equal(penta_group_alone(&group), PENTA_OK);
    EXPECT_OK(ctx, penta_pca_create(ctx, 3, c.pixels, NULL, &plan));
    assert_int_equal(penta_pca_join(plan, group, 0, 50, PENTA_F32, &part), PENTA_INVALID);
    EXPECT_OK(ctx, penta_pca_join(plan, group, 20, 50, PENTA_F32, &part));
    assert_int_equal(part.rows, 20);
    EXPECT_REFUSED(ctx, penta_pca_add(plan, &others), PENTA_INVALID,
                   "rows of 40 pixels of type f32: the group has rows of 50 of type f32");
    EXPECT_REFUSED(ctx, penta_pca_solve(plan, &m), PENTA_INVALID,
                   "rows 0 to 20 of the cube to add; 0 of them were added");
    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    assert_int_equal(penta_pca_join(plan, group, 20, 50, PENTA_F32, &part), PENTA_INVALID);
    rows.rows = 3;
    rows.band_stride = c.pixels;
    EXPECT_REFUSED(ctx, penta_pca_add(plan, &rows), PENTA_INVALID, "3 rows more than the 20");
    for (int i = 0; i < 2; i++) { /* as often as one likes */
        EXPECT_OK(ctx, penta_pca_solve(plan, &m));
        expect_statistics(&c, &m, 1, 1e-13);
        penta_pca_model_free(&m);
    }
    penta_pca_destroy(plan);
    penta_group_leave(group);
    free((void *)rows.data);
    free((void *)others.data);
}

typedef struct {
    penta_context **contexts;
    penta_status status[2];
} quarrel;

static penta_status disagree(penta_group *group, void *data)
{
    quarrel *q = data;
    size_t rank = penta_group_rank(group);
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    penta_pca_part part;

    assert_int_equal(penta_pca_create(q->contexts[rank], 3, 100, NULL, &plan), PENTA_OK);
    q->status[rank] = penta_pca_join(plan, group, 10, 10 + rank, PENTA_F32, &part);
    return PENTA_OK;
}

TEST(disagreement)
{
    quarrel q = {.contexts = have_members(state, 2)};

    assert_int_equal(penta_group_threads(2, disagree, &q), PENTA_OK);
    assert_int_equal(q.status[0], PENTA_INVALID);
    assert_int_equal(q.status[1], PENTA_INVALID);
    expect_text(penta_last_error(q.contexts[0]), "different cubes");
}

/* Member 1 has no rows to give: the others do not wait for its sums, though it stays. */
typedef struct {
    penta_context **contexts;
    const pca_cube *cube;
    penta_status status[3];
} lazy_job;

static penta_status be_lazy(penta_group *group, void *data)
{
    lazy_job *l = data;
    size_t rank = penta_group_rank(group);
    penta_cube_rows rows;
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    penta_pca_part part;
    penta_pca_model m;

    assert_int_equal(penta_pca_create(l->contexts[rank], 3, l->cube->pixels, NULL, &plan), PENTA_OK);
    assert_int_equal(penta_pca_join(plan, group, l->cube->rows, l->cube->cols, PENTA_U8, &part), PENTA_OK);
    rows = rows_of_pca_cube(l->cube, PENTA_BSQ, part.first_row, part.rows);
    if (rank != 1)
        assert_int_equal(penta_pca_add(plan, &rows), PENTA_OK);
    l->status[rank] = penta_pca_solve(plan, &m);
    free((void *)rows.data);
    return PENTA_OK;
}

TEST(member_without_sums)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(3, 30, 7, PENTA_U8, 1);
    lazy_job l = {.contexts = have_members(state, 3), .cube = &c};

    assert_int_equal(penta_group_threads(3, be_lazy, &l), PENTA_OK);
    assert_int_equal(l.status[0], PENTA_CANCELLED);
    assert_int_equal(l.status[1], PENTA_INVALID);
    assert_int_equal(l.status[2], PENTA_CANCELLED);
    expect_text(penta_last_error(l.contexts[0]), "member 1 of the group has failed");
}

RUN(EVERYWHERE, NULL, open_device, close_members);
