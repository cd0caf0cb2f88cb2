/*
 * One frame by the members of a group, of which each has a part of the stars: pixels, counts and errors of one plan
 * that has all, for one to four members, in one process and, by messages, as between processes.
 */
#include "support/test.h"

#include <stdio.h>
#include "core/group.h"
#include "stars/shared.h"
#include "support/device.h"
#include "support/members.h"
#include "support/stars_run.h"

enum { MOST = 4, WIDTH = 67, HEIGHT = 101, MANY = 20000 };

/* ---- a job of several members ---- */

typedef struct {
    penta_context **contexts;
    penta_stars_options options;
    penta_stars_list list; /* of all */
    size_t height, chunk;
    bool apart;          /* members see each other's messages alone */
    bool one_has_all;    /* of the stars: the last member */
    stars_limits limits; /* of each member's device; rows 0: as it has */
    char *pixels;        /* of the frame */
    size_t pixel;        /* bytes */
    size_t drawn[MOST];
    double flux[MOST];
    uint64_t sent[MOST]; /* bytes to the device in a run */
    char texts[MOST][160];
    penta_status statuses[MOST];
} job;

static penta_stars_list part_of(const job *j, const penta_group *group)
{
    size_t first, n, rank = penta_group_rank(group), size = penta_group_size(group);

    penta_group_slice(group, rank, j->list.n, &first, &n);
    if (j->one_has_all) {
        n = rank + 1 == size ? j->list.n : 0;
        first = 0;
    }
    return penta_stars_list_part(&j->list, first, n);
}

static penta_status limit_device(const job *j, penta_stars *plan)
{
    bool moving = j->list.motion_x != NULL;

    if (j->limits.rows == 0)
        return PENTA_OK;
    EXPECT_OK(plan->ctx, stars_need_device(plan, moving));
    stars_device_destroy(plan->device[moving]);
    return stars_device_create(plan->ctx, &plan->psf, &plan->options, plan->width, plan->height, plan->engine, moving,
                               plan->dbl, j->limits, &plan->device[moving]);
}

static uint64_t bytes_sent(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].name, "write") == 0)
            bytes += entries[i].bytes;
    return bytes;
}

static penta_status run_member(penta_group *group, void *data)
{
    job *j = data;
    size_t rank = penta_group_rank(group), first, rows;
    penta_context *ctx = j->contexts[rank];
    penta_group_backend apart = *group->backend;
    const penta_group_backend *whole = group->backend;
    penta_stars_list list = part_of(j, group);
    penta_stars_result result = {0};
    penta_stars *plan = NULL;
    penta_status status = penta_stars_create(ctx, WIDTH, j->height, &j->options, &plan);

    apart.one_process = whole->one_process && !j->apart;
    group->backend = &apart;
    penta_group_slice(group, rank, j->height, &first, &rows);
    result.image = j->pixels + first * WIDTH * j->pixel;
    if (status == PENTA_OK)
        status = limit_device(j, plan);
    for (int twice = 0; twice < 2 && status == PENTA_OK; twice++) {
        penta_profile_reset(ctx);
        status = stars_run_shared(plan, group, &list, j->chunk, &result);
    }
    j->sent[rank] = bytes_sent(ctx);
    j->drawn[rank] = result.drawn;
    j->flux[rank] = result.flux_total;
    j->statuses[rank] = status;
    if (status != PENTA_OK)
        snprintf(j->texts[rank], sizeof j->texts[rank], "%s", penta_last_error(ctx));
    penta_stars_destroy(plan);
    group->backend = whole;
    return status;
}

/* A frame of one plan, to be freed. */
static char *draw_whole(job *j, penta_stars_result *result)
{
    penta_context *ctx = j->contexts[0];
    penta_stars *plan;
    char *pixels = must_calloc(WIDTH * j->height, j->pixel);

    *result = (penta_stars_result){.image = pixels};
    EXPECT_OK(ctx, penta_stars_create(ctx, WIDTH, j->height, &j->options, &plan));
    EXPECT_OK(ctx, penta_stars_run(plan, &j->list, result));
    penta_stars_destroy(plan);
    return pixels;
}

/* The same bits, but for engines that add in another order. */
static void expect_pixels(const job *j, const char *expected)
{
    const float *got = (const float *)(const void *)j->pixels, *want = (const float *)(const void *)expected;
    float most = 0;

    if (j->options.engine != PENTA_STARS_TILE && j->options.engine != PENTA_STARS_STAR) {
        assert_memory_equal(j->pixels, expected, WIDTH * j->height * j->pixel);
        return;
    }
    for (size_t i = 0; i < WIDTH * j->height; i++)
        most = fmaxf(most, want[i]);
    for (size_t i = 0; i < WIDTH * j->height; i++)
        assert_true(fabsf(got[i] - want[i]) <= 1e-6F * most);
}

static void draw_shared(job *j, size_t members, const char *expected, const penta_stars_result *whole)
{
    size_t drawn = 0;
    double flux = 0;

    memset(j->pixels, 0xaa, WIDTH * j->height * j->pixel);
    EXPECT_OK(NULL, penta_group_threads(members, run_member, j));
    expect_pixels(j, expected);
    for (size_t i = 0; i < members; i++) {
        drawn += j->drawn[i];
        flux += j->flux[i];
    }
    assert_int_equal(drawn, whole->drawn);
    assert_true(fabs(flux - whole->flux_total) <= 1e-12 * whole->flux_total);
}

/* By one to four members, in both ways, and some sizes of chunks and slabs. */
static void expect_whole(job *j)
{
    static const size_t chunks[] = {0, 777, 1 << 20};
    static const stars_limits limits[] = {{0}, {.rows = 7, .batch = 1000}};
    penta_stars_result whole;
    char *expected;

    j->pixel = j->options.precision == PENTA_PRECISION_DOUBLE ? sizeof(double) : sizeof(float);
    j->pixels = must_calloc(WIDTH * j->height, j->pixel);
    expected = draw_whole(j, &whole);
    assert_true(whole.drawn > 0);
    for (size_t k = 0; k < 12; k++) {
        j->apart = k % 2;
        j->limits = limits[k / 2 % 2];
        if (j->options.engine == PENTA_STARS_PIXEL)
            j->limits.batch = 0; /* GPUs round after each batch */
        j->chunk = chunks[k / 4];
        j->one_has_all = k % 3 == 2;
        draw_shared(j, 1 + (k + 1) % MOST, expected, &whole);
    }
    free(j->pixels);
    free(expected);
}

static penta_context **contexts; /* of all tests of a group, of the type of its device */

static job begin(void **state, int engine, const stars_scene *scene)
{
    penta_context *ctx = device_of(state);

    if (lacks_double(ctx, "a frame by several members"))
        skip();
    if (!contexts)
        contexts = open_members(ctx, MOST);
    return (job){
        .contexts = contexts, .options = stars_options(engine), .list = stars_scene_list(scene), .height = HEIGHT};
}

static int close_members(void **state)
{
    penta_contexts_destroy(contexts, MOST);
    contexts = NULL;
    return close_device(state);
}

TEST(fixed)
{
    stars_scene scene = stars_scene_random(MANY, WIDTH, HEIGHT, 3);
    job j = begin(state, PENTA_STARS_FIXED, &scene);

    expect_whole(&j);
    j.options.precision = PENTA_PRECISION_DOUBLE;
    expect_whole(&j);
    stars_scene_free(&scene);
}

/* Adds in the order of the list, in floats. */
TEST_IN(AS_IT_IS, pixel)
{
    stars_scene scene = stars_scene_random(3000, WIDTH, HEIGHT, 4);
    job j = begin(state, PENTA_STARS_PIXEL, &scene);

    expect_whole(&j);
    stars_scene_free(&scene);
}

TEST_IN(AS_IT_IS, other_engines)
{
    stars_scene scene = stars_scene_random(3000, WIDTH, HEIGHT, 4);
    job j = begin(state, PENTA_STARS_TILE, &scene);

    expect_whole(&j);
    j.options.engine = PENTA_STARS_STAR;
    expect_whole(&j);
    stars_scene_free(&scene);
}

TEST(moving_by_flux)
{
    stars_scene scene = stars_scene_random(5000, WIDTH, HEIGHT, 5);
    job j = begin(state, PENTA_STARS_FIXED, &scene);
    double *flux = must_calloc(scene.n, sizeof *flux), *mx = must_calloc(scene.n, sizeof *mx);
    double *my = must_calloc(scene.n, sizeof *my);

    for (size_t i = 0; i < scene.n; i++) {
        flux[i] = exp(-scene.m[i]) - 1e-4;
        mx[i] = fmod(scene.x[i], 3) - 1;
        my[i] = fmod(scene.y[i], 2) - 1;
    }
    j.list.flux = flux;
    j.list.magnitude = NULL;
    expect_whole(&j);
    j.list.motion_x = mx;
    j.list.motion_y = my;
    expect_whole(&j);
    free(flux);
    free(mx);
    free(my);
    stars_scene_free(&scene);
}

/* Members without a row, stars without one, few stars, none. */
TEST_IN(AS_IT_IS, small)
{
    stars_scene scene = stars_scene_random(300, WIDTH, 3, 6);
    job j = begin(state, PENTA_STARS_FIXED, &scene);

    j.height = 3;
    scene.y[0] = -1e300;
    scene.y[1] = 1e300;
    scene.y[2] = 1e9;
    expect_whole(&j);
    j.list.n = 4;
    expect_whole(&j);
    stars_scene_free(&scene);
}

TEST_IN(AS_IT_IS, no_star)
{
    stars_scene scene = stars_scene_random(1, WIDTH, HEIGHT, 6);
    job j = begin(state, PENTA_STARS_FIXED, &scene);
    float none[WIDTH * HEIGHT] = {0};
    penta_stars_result nothing = {0};

    j.list.n = 0;
    j.pixel = sizeof(float);
    j.pixels = must_calloc(WIDTH * HEIGHT, sizeof(float));
    for (int apart = 0; apart < 2; apart++) {
        j.apart = apart;
        draw_shared(&j, 3, (const char *)none, &nothing);
    }
    free(j.pixels);
    stars_scene_free(&scene);
}

/* ---- what a member has to do ---- */

static bool touches(double y, int roi, size_t first, size_t rows)
{
    double row = ceil(y - 0.5 * roi);

    return row > (double)first - roi && row < (double)(first + rows);
}

/* A device is sent the stars that touch its rows, and no others. */
TEST_IN(AS_GPU, uploads)
{
    enum { COLUMNS_BYTES = 3 * sizeof(double), REST = 4096 };
    stars_scene scene = stars_scene_random(MANY, WIDTH, HEIGHT, 3);
    job j = begin(state, PENTA_STARS_FIXED, &scene);
    penta_stars_options *o = &j.options;

    j.pixel = sizeof(float);
    j.pixels = must_calloc(WIDTH * HEIGHT, j.pixel);
    for (int k = 0; k < 4; k++) {
        j.apart = k % 2;
        j.chunk = k / 2 ? 1000 : 1 << 20;
        EXPECT_OK(NULL, penta_group_threads(MOST, run_member, &j));
        for (size_t m = 0; m < MOST; m++) {
            size_t first = m * (HEIGHT / MOST) + (m > 0), rows = HEIGHT / MOST + (m == 0);
            uint64_t bytes = 0;

            for (size_t i = 0; i < MANY; i++)
                if (touches(scene.y[i], o->roi, first, rows) || (m == 0 && !touches(scene.y[i], o->roi, 0, HEIGHT)))
                    bytes += COLUMNS_BYTES;
            assert_in_range(j.sent[m], bytes, bytes + REST);
        }
    }
    free(j.pixels);
    stars_scene_free(&scene);
}

/* Random stars by parts are those of one list. */
TEST_IN(AS_IT_IS, random_parts)
{
    enum { STARS = 200000, CUT = 70001 };
    double *whole = must_calloc((size_t)3 * STARS, sizeof *whole), *part = must_calloc((size_t)3 * STARS, sizeof *part);

    penta_stars_random(9, STARS, WIDTH, HEIGHT, 12, whole, whole + STARS, whole + 2 * STARS);
    for (size_t first = 0, n; first < STARS; first += n) {
        n = first ? STARS - CUT : CUT;
        penta_stars_random_from(9, first, n, WIDTH, HEIGHT, 12, part + first, part + STARS + first,
                                part + 2 * STARS + first);
    }
    assert_memory_equal(whole, part, (size_t)3 * STARS * sizeof *whole);
    free(whole);
    free(part);
}

/* ---- what is refused ---- */

/* By all members, but for those that hear of another's end first. */
static void expect_refused(job *j, penta_status wanted, const char *text)
{
    j->pixel = sizeof(float);
    j->pixels = must_calloc(WIDTH * j->height, j->pixel);
    for (int k = 0; k < 4; k++) {
        j->apart = k % 2;
        j->chunk = k / 2 ? 1500 : 0;
        assert_int_equal(penta_group_threads(3, run_member, j), wanted);
        for (size_t i = 0; i < 3; i++) {
            if (j->statuses[i] == wanted)
                expect_text(j->texts[i], text);
            else
                assert_int_equal(j->statuses[i], PENTA_CANCELLED);
        }
    }
    free(j->pixels);
}

/* Every member tells of the first bad star in the order of the lists, whoever has it and whoever would draw it. */
TEST(bad_stars)
{
    enum { FIRST = 8123, SECOND = 8200, LAST = 17001 };
    stars_scene scene = stars_scene_random(MANY, WIDTH, HEIGHT, 3);
    job j = begin(state, PENTA_STARS_FIXED, &scene);
    double *motion = must_calloc(MANY, sizeof *motion), *rest = must_calloc(MANY, sizeof *rest);

    scene.x[LAST] = NAN;
    scene.y[LAST] = 0;
    expect_refused(&j, PENTA_INVALID, "star 17001 lies at (nan, 0)");
    scene.y[FIRST] = NAN;
    expect_refused(&j, PENTA_INVALID, "star 8123 lies at");
    scene.y[FIRST] = HEIGHT - 1;
    scene.m[FIRST] = -INFINITY;
    scene.m[SECOND] = NAN;
    scene.y[SECOND] = 1;
    expect_refused(&j, PENTA_INVALID, "star 8123 has the magnitude -inf");
    j.list.motion_x = motion;
    j.list.motion_y = rest;
    motion[LAST + 1] = NAN;
    scene.y[FIRST] = scene.m[FIRST] = scene.m[SECOND] = scene.x[LAST] = 5;
    expect_refused(&j, PENTA_INVALID, "star 17002 has the motion (nan, 0)");
    free(motion);
    free(rest);
    stars_scene_free(&scene);
}

TEST_IN(AS_IT_IS, refused)
{
    stars_scene scene = stars_scene_random(100, WIDTH, HEIGHT, 3);
    job j = begin(state, PENTA_STARS_THREADS, &scene);

    expect_refused(&j, PENTA_UNSUPPORTED, "whole frames only");
    j.options.engine = PENTA_STARS_FIXED;
    j.list.y = NULL;
    expect_refused(&j, PENTA_INVALID, "lacks x, y");
    stars_scene_free(&scene);
}

/* ---- sorting ---- */

/* Stars go to the parts whose rows they touch, in order, and no others: counted one by one. */
TEST_IN(AS_IT_IS, sorting)
{
    enum { ROI = 10, MEMBERS = 4, PASSES = 2, STARS = 40000, HIGH = 397 };
    stars_scene scene = stars_scene_random(STARS, WIDTH, HIGH, 8);
    penta_stars_list all = stars_scene_list(&scene), lists[] = {penta_stars_list_part(&all, 0, 17000),
                                                                {0},
                                                                penta_stars_list_part(&all, 17000, STARS - 17000)};
    const stars_range range = {lists, COUNT(lists), 100, STARS - 150};
    const stars_parts parts = {.height = HIGH, .members = MEMBERS, .passes = PASSES, .roi = ROI};
    stars_sorting sorting;
    double *to[MEMBERS][STARS_COLUMNS];
    size_t at[MEMBERS] = {0, 1, 2, 3};

    EXPECT_OK(NULL, stars_sorting_make(NULL, &parts, range.n, COUNT(lists), false, &sorting));
    for (size_t m = 0; m < MEMBERS; m++)
        for (int c = 0; c < STARS_COLUMNS; c++)
            to[m][c] = must_calloc(STARS, sizeof(double));
    for (sorting.pass = 0; sorting.pass < PASSES; sorting.pass++) {
        stars_sorting_count(&sorting, &range);
        stars_sorting_put(&sorting, (double *const(*)[STARS_COLUMNS])to, at);
        for (size_t m = 0; m < MEMBERS; m++) {
            size_t first, rows, k = 0;

            stars_part_rows(&parts, m, sorting.pass, &first, &rows);
            for (size_t i = range.first; i < range.first + range.n; i++) {
                bool lost = m == 0 && sorting.pass == 0 && !touches(scene.y[i], ROI, 0, HIGH);

                if (!lost && !touches(scene.y[i], ROI, first, rows))
                    continue;
                assert_memory_equal(&to[m][0][at[m] + k], &scene.x[i], sizeof(double));
                assert_memory_equal(&to[m][1][at[m] + k], &scene.y[i], sizeof(double));
                assert_memory_equal(&to[m][2][at[m] + k], &scene.m[i], sizeof(double));
                if (k++ % 999 == 0)
                    assert_int_equal(stars_sorting_find(&parts, sorting.pass, m, &range, k - 1), i);
            }
            assert_int_equal(sorting.total[m], k);
            assert_true(k < STARS / 6);
        }
    }
    for (size_t m = 0; m < MEMBERS; m++)
        for (int c = 0; c < STARS_COLUMNS; c++)
            free(to[m][c]);
    stars_sorting_free(&sorting);
    stars_scene_free(&scene);
}

RUN(AS_IT_IS, "stars/shared", open_device, close_members);
RUN(AS_GPU, "stars/shared, GPU form", open_gpu_form, close_members);
