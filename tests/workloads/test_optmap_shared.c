/*
 * One movie by the members of a group: the bits of one plan, for one to four members and for more than there are rows,
 * in one process and, by messages, as between processes; who does what; errors.
 */
#include "support/test.h"

#include <stdio.h>
#include "core/group.h"
#include "optmap/shared.h"
#include "support/device.h"
#include "support/members.h"
#include "support/random.h"

enum { MOST = 4, WIDTH = 13, HEIGHT = 11, FRAMES = 90, PIXELS = WIDTH * HEIGHT };

/* ---- movies ---- */

typedef struct {
    float data[2 * FRAMES * PIXELS]; /* of two cameras */
    const void *frames[2 * FRAMES];
    uint8_t mask[PIXELS];
    penta_movie movie;
} film;

/* A pulse that runs down the frame, noise, and light that fades. */
static film *make_film(void)
{
    film *f = must_calloc(1, sizeof *f);

    random_seed(8);
    for (size_t n = 0; n < FRAMES; n++) {
        f->frames[n] = f->data + n * PIXELS;
        f->frames[FRAMES + n] = f->data + (FRAMES + n) * PIXELS;
        for (size_t p = 0; p < PIXELS; p++) {
            double t = (double)n - 20 - 0.4 * (double)(p % WIDTH) - 1.7 * (double)(p / WIDTH);
            double v = t < 0 ? exp(-t * t / 6) : exp(-t * t / 300);

            f->data[n * PIXELS + p] = (float)((3000 - 250 * v) * (1 - 1e-4 * (double)n) + 5 * random_normal());
            f->data[(FRAMES + n) * PIXELS + p] = (float)(2000 + 3 * random_normal());
        }
    }
    for (size_t p = 0; p < PIXELS; p++)
        f->mask[p] = p / WIDTH > 3 && p % 7 > 0;
    f->movie = (penta_movie){.type = PENTA_F32, .frames = f->frames};
    return f;
}

/* ---- results ---- */

static size_t out_frames(const penta_optmap_options *o)
{
    return o->output == PENTA_OPTMAP_INTERPOLATED ? (size_t)FRAMES * (size_t)o->interp : FRAMES;
}

static penta_optmap_result make_result(const penta_optmap_options *o)
{
    size_t neighbours = (size_t)(o->window * o->window);

    return (penta_optmap_result){.filtered = must_calloc(out_frames(o) * PIXELS, sizeof(float)),
                                 .traces = must_calloc((size_t)FRAMES * PIXELS, sizeof(float)),
                                 .shifts = must_calloc(PIXELS * neighbours, sizeof(int32_t)),
                                 .valid = must_calloc(PIXELS, 1)};
}

static void free_result(penta_optmap_result *r)
{
    free(r->filtered);
    free(r->traces);
    free(r->shifts);
    free(r->valid);
}

static void same_result(const penta_optmap_result *a, const penta_optmap_result *b, const penta_optmap_options *o)
{
    assert_memory_equal(a->filtered, b->filtered, out_frames(o) * PIXELS * sizeof(float));
    assert_memory_equal(a->traces, b->traces, (size_t)FRAMES * PIXELS * sizeof(float));
    assert_memory_equal(a->shifts, b->shifts, PIXELS * (size_t)(o->window * o->window) * sizeof(int32_t));
    assert_memory_equal(a->valid, b->valid, PIXELS);
    assert_int_equal(a->valid_pixels, b->valid_pixels);
}

/* ---- a job of several members ---- */

typedef struct {
    penta_context **contexts;
    penta_optmap_options options;
    film *film;
    penta_optmap_result result;
    bool apart; /* members see each other's messages alone */
    size_t rows_of_last;
    char texts[MOST][160];
    penta_status statuses[MOST];
} job;

static penta_status run_member(penta_group *group, void *data)
{
    job *j = data;
    size_t rank = penta_group_rank(group), size = penta_group_size(group);
    penta_context *ctx = j->contexts[rank];
    penta_group_backend apart = *group->backend;
    const penta_group_backend *whole = group->backend;
    bool first = rank == 0;
    penta_optmap *plan = NULL;
    penta_status status = penta_optmap_create_shared(
        ctx, size, WIDTH, rank + 1 == size && j->rows_of_last ? j->rows_of_last : HEIGHT, FRAMES, &j->options, &plan);

    apart.one_process = whole->one_process && !j->apart;
    group->backend = &apart;
    for (int twice = 0; twice < 2 && status == PENTA_OK; twice++)
        status = penta_optmap_run_shared(plan, group, first ? &j->film->movie : NULL, first ? &j->result : NULL);
    j->statuses[rank] = status;
    if (status != PENTA_OK)
        snprintf(j->texts[rank], sizeof j->texts[rank], "%.*s", (int)strcspn(penta_last_error(ctx), "\n"),
                 penta_last_error(ctx));
    penta_optmap_destroy(plan);
    group->backend = whole;
    return status;
}

static penta_optmap_result run_whole(const job *j)
{
    penta_context *ctx = j->contexts[0];
    penta_optmap_result r = make_result(&j->options);
    penta_optmap *plan;

    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, &j->options, &plan));
    EXPECT_OK(ctx, penta_optmap_run(plan, &j->film->movie, &r));
    penta_optmap_destroy(plan);
    return r;
}

/* By one to four members, in both ways. */
static void expect_whole(job *j)
{
    penta_optmap_result whole = run_whole(j);

    for (size_t k = 0; k < 2 * MOST; k++) {
        j->apart = k % 2;
        j->result = make_result(&j->options);
        EXPECT_OK(NULL, penta_group_threads(1 + k / 2, run_member, j));
        same_result(&j->result, &whole, &j->options);
        free_result(&j->result);
    }
    free_result(&whole);
}

static penta_context **contexts; /* of all tests of a group, of the type of its device */

static job begin(void **state, int engine)
{
    penta_context *ctx = device_of(state);
    job j = {.film = make_film()};

    if (!contexts)
        contexts = open_members(ctx, MOST);
    j.contexts = contexts;
    penta_optmap_options_init(&j.options);
    j.options.engine = engine;
    j.options.drift = PENTA_OPTMAP_DRIFT_NONE;
    return j;
}

static int close_members(void **state)
{
    penta_contexts_destroy(contexts, MOST);
    contexts = NULL;
    return close_device(state);
}

/* ---- the same bits ---- */

TEST(engines)
{
    for (int engine = 0; engine < 2; engine++) {
        job j = begin(state, engine);

        expect_whole(&j);
        j.options.border = PENTA_OPTMAP_SHRINK;
        expect_whole(&j);
        j.film->movie.mask = j.film->mask;
        j.options.batch = 2;
        expect_whole(&j);
        free(j.film);
    }
}

TEST(two_cameras)
{
    job j = begin(state, PENTA_OPTMAP_FAST);

    j.film->movie.under = j.film->frames + FRAMES;
    j.film->movie.mask = j.film->mask;
    j.options.output = PENTA_OPTMAP_INTERPOLATED;
    j.options.interp = 3;
    expect_whole(&j);
    free(j.film);
}

/* Rank 0 looks how much the light fades; the others are told. */
TEST_IN(AS_IT_IS, chosen_drift)
{
    job j = begin(state, PENTA_OPTMAP_FAST);

    j.options.drift = PENTA_OPTMAP_DRIFT_AUTO;
    expect_whole(&j);
    free(j.film);
}

/* Tissue of two rows, so that some members have none. */
TEST_IN(AS_IT_IS, members_without_rows)
{
    job j = begin(state, PENTA_OPTMAP_FAST);
    size_t first[MOST + 1];

    memset(j.film->mask, 0, sizeof j.film->mask);
    memset(j.film->mask + 5 * WIDTH, 1, 2 * WIDTH);
    j.film->movie.mask = j.film->mask;
    j.options.border = PENTA_OPTMAP_SHRINK;
    penta_optmap_share(WIDTH, 2, NULL, MOST, first);
    assert_true(first[1] == 0 || first[2] == first[1] || first[3] == first[2] || first[4] == first[3]);
    expect_whole(&j);
    free(j.film);
}

TEST_IN(AS_IT_IS, wanting_less)
{
    job j = begin(state, PENTA_OPTMAP_FAST);
    penta_optmap_result whole = run_whole(&j);

    for (int apart = 0; apart < 2; apart++) {
        j.apart = apart;
        j.result = (penta_optmap_result){.filtered = must_calloc(FRAMES * PIXELS, sizeof(float))};
        EXPECT_OK(NULL, penta_group_threads(3, run_member, &j));
        assert_memory_equal(j.result.filtered, whole.filtered, FRAMES * PIXELS * sizeof(float));
        assert_int_equal(j.result.valid_pixels, whole.valid_pixels);
        free_result(&j.result);
    }
    free_result(&whole);
    free(j.film);
}

/* ---- who does what ---- */

TEST_IN(AS_IT_IS, rows)
{
    enum { W = 40, H = 300, N = 7 };
    static uint8_t mask[W * H];
    size_t first[N + 1], most = 0;

    penta_optmap_share(W, H, NULL, N, first);
    assert_int_equal(first[0], 0);
    assert_int_equal(first[N], H);
    for (size_t m = 0; m < N; m++)
        assert_in_range(first[m + 1] - first[m], H / N, H / N + 1);
    for (size_t p = 0; p < (size_t)W * H; p++) { /* a disc */
        double x = (double)(p % W) - 19.5, y = ((double)(p / W) - 149.5) / 7.5;

        mask[p] = x * x + y * y < 400;
        most += mask[p];
    }
    penta_optmap_share(W, H, mask, N, first);
    assert_int_equal(first[N], H);
    for (size_t m = 0; m < N; m++) {
        size_t n = 0;

        for (size_t p = first[m] * W; p < first[m + 1] * W; p++)
            n += mask[p];
        assert_in_range(n, 0.85 * (double)most / N, 1.15 * (double)most / N);
    }
}

/* ---- errors ---- */

static void expect_failure(job *j, penta_status status, const char *text)
{
    for (int apart = 0; apart < 2; apart++) {
        j->apart = apart;
        j->result = make_result(&j->options);
        assert_int_equal(penta_group_threads(3, run_member, j), status);
        for (size_t m = 0; m < 3; m++) {
            if (m > 0 && j->statuses[m] == PENTA_CANCELLED)
                continue; /* another one had ended with the error before */
            assert_int_equal(j->statuses[m], status);
            expect_text(j->texts[m], text);
        }
        free_result(&j->result);
    }
}

TEST_IN(AS_IT_IS, bad_numbers)
{
    job j = begin(state, PENTA_OPTMAP_FAST);

    j.film->data[7 * PIXELS + 9 * WIDTH + 4] = INFINITY; /* in rows of the last member */
    expect_failure(&j, PENTA_INVALID, "frame 7, pixel x 4, y 9: a number that is not finite");
    free(j.film);
}

TEST_IN(AS_IT_IS, no_valid_pixel)
{
    job j = begin(state, PENTA_OPTMAP_FAST);

    memset(j.film->mask, 0, sizeof j.film->mask);
    j.film->movie.mask = j.film->mask;
    expect_failure(&j, PENTA_INVALID, "no valid pixel: of 143, 143 are masked");
    free(j.film);
}

TEST_IN(AS_IT_IS, wrong_calls)
{
    job j = begin(state, PENTA_OPTMAP_FAST);
    penta_optmap *plan;

    j.rows_of_last = HEIGHT + 1;
    expect_failure(&j, PENTA_INVALID, "members 0 and 2 of the group have different plans");
    j.rows_of_last = 0;
    j.film->frames[5] = NULL;
    expect_failure(&j, PENTA_INVALID, "frame 5 of the movie is not there");
    assert_int_equal(penta_optmap_create_shared(contexts[0], 0, WIDTH, HEIGHT, FRAMES, NULL, &plan), PENTA_INVALID);
    assert_null(plan);
    free(j.film);
}

static bool stop(void *user, double done, double total)
{
    (void)user, (void)done, (void)total;
    return true;
}

TEST_IN(AS_IT_IS, cancel)
{
    job j = begin(state, PENTA_OPTMAP_FAST);

    penta_context_set_progress(contexts[0], stop, NULL);
    expect_failure(&j, PENTA_CANCELLED, "");
    penta_context_set_progress(contexts[0], NULL, NULL);
    expect_whole(&j); /* all goes on */
    free(j.film);
}

RUN(AS_IT_IS, "optmap/shared", open_device, close_members);
RUN(AS_GPU, "optmap/shared, GPU form", open_gpu_form, close_members);
