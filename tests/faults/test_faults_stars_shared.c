/*
 * Faults of OpenCL while two members draw a frame: all members end, with an error or the right frame (smaller batches
 * may do), and with the same plans they draw the right one afterwards.
 */
#include "faults/sweep.h"

#include <pentacl/group.h>
#include <pentacl/group_transport.h>

#include "stars/shared.h"
#include "support/device.h"
#include "support/random.h"

enum { MEMBERS = 2, STARS = 9000, WIDTH = 60, HEIGHT = 50 };

static double xs[STARS], ys[STARS], magnitudes[STARS];
static float expected[WIDTH * HEIGHT], got[WIDTH * HEIGHT];

/* What both members draw with. */
typedef struct {
    penta_context *contexts[MEMBERS];
    penta_stars *plans[MEMBERS];
    size_t chunk, drawn[MEMBERS];
} team;

static penta_context *second; /* the other one's */

static penta_status run_member(penta_group *group, void *data)
{
    team *t = data;
    size_t rank = penta_group_rank(group), first, n, rows;
    penta_stars_list all = {.n = STARS, .x = xs, .y = ys, .magnitude = magnitudes}, part;
    penta_stars_result result = {0};
    penta_status status;

    penta_group_slice(group, rank, STARS, &first, &n);
    part = penta_stars_list_part(&all, first, n);
    penta_group_slice(group, rank, HEIGHT, &first, &rows);
    result.image = got + first * WIDTH;
    status = stars_run_shared(t->plans[rank], group, &part, t->chunk, &result);
    t->drawn[rank] = result.drawn;
    return status == PENTA_OK ? status : penta_group_fail(status, penta_last_error(t->contexts[rank]));
}

static void expect_frame(const team *t)
{
    assert_memory_equal(got, expected, sizeof expected);
    assert_int_equal(t->drawn[0] + t->drawn[1], STARS);
}

static penta_stars_options options_of_frame(void)
{
    penta_stars_options o;

    penta_stars_options_init(&o);
    o.engine = PENTA_STARS_FIXED;
    o.roi = 8;
    return o;
}

static penta_status attempt_frame(trial *t)
{
    const penta_stars_options o = options_of_frame();
    team m = {.contexts = {t->ctx, second}, .chunk = *(const size_t *)t->job->what};
    penta_status status;

    for (int i = 0; i < MEMBERS; i++)
        EXPECT_OK(m.contexts[i], penta_stars_create(m.contexts[i], WIDTH, HEIGHT, &o, &m.plans[i]));
    EXPECT_OK(NULL, penta_group_threads(MEMBERS, run_member, &m));
    memset(got, 0xFF, sizeof got);
    begin_faults(t);
    status = penta_group_threads(MEMBERS, run_member, &m);
    end_faults(t, NULL, status);
    faults_forget_transfers();
    faults_disarm();
    if (status != PENTA_OK)
        EXPECT_OK(NULL, penta_group_threads(MEMBERS, run_member, &m));
    expect_frame(&m);
    for (int i = 0; i < MEMBERS; i++)
        penta_stars_destroy(m.plans[i]);
    settle(second);
    return status;
}

static void learn(void)
{
    const penta_stars_options o = options_of_frame();
    penta_stars_list all = {.n = STARS, .x = xs, .y = ys, .magnitude = magnitudes};
    penta_stars_result result = {.image = expected};
    penta_stars *plan;

    random_seed(5);
    for (size_t i = 0; i < STARS; i++) {
        xs[i] = random_uniform() * WIDTH - 0.5;
        ys[i] = random_uniform() * HEIGHT - 0.5;
        magnitudes[i] = 6 * random_uniform();
    }
    EXPECT_OK(second, penta_stars_create(second, WIDTH, HEIGHT, &o, &plan));
    EXPECT_OK(second, penta_stars_run(plan, &all, &result));
    penta_stars_destroy(plan);
}

TEST_WITH(no_faults, NULL, frame)
{
    static const size_t chunks[] = {0, 5000};

    for (int gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < 2; i++) {
            job j = {.name = gpu ? "a frame by two members, as GPUs" : "a frame by two members",
                     .attempt = attempt_frame,
                     .what = &chunks[i],
                     .as_gpu = gpu,
                     .retries = true,
                     .on_device = true};

            EXPECT_OK(NULL, penta_context_create(NULL, &second));
            if (gpu)
                second->info.type = PENTA_DEVICE_GPU;
            learn();
            sweep(&j);
            penta_context_destroy(second);
        }
}
