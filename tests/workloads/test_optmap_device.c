/* Movies and maps in device memory: the bits of the same in host memory, for one array of all frames and one for each.
 */
#include "support/test.h"

#include <pentacl/optmap.h>

#include "core/core.h"
#include "support/device_array.h"
#include "support/random.h"

enum { WIDTH = 20, HEIGHT = 16, PIXELS = WIDTH * HEIGHT, FRAMES = 60 };

typedef struct {
    float filtered[FRAMES * PIXELS], traces[FRAMES * PIXELS];
    uint8_t valid[PIXELS];
} answers;

static uint16_t movie[FRAMES][PIXELS];
static uint8_t mask[PIXELS];
static answers want, got;

/* A wave that runs to the right, twice, on a bright ground with noise. */
static void draw_movie(void)
{
    random_seed(6);
    for (int p = 0; p < PIXELS; p++)
        mask[p] = p % 37 != 3;
    for (int f = 0; f < FRAMES; f++)
        for (int p = 0; p < PIXELS; p++) {
            double t = fmod((double)f - 0.4 * (p % WIDTH) + 60, 30);

            movie[f][p] = (uint16_t)(9000 - 900 * exp(-0.5 * (t - 8) * (t - 8) / 6) + 20 * random_uniform());
        }
}

static penta_optmap *make_plan(penta_context *ctx)
{
    penta_optmap *plan = NULL;

    EXPECT_OK(ctx, penta_optmap_create(ctx, WIDTH, HEIGHT, FRAMES, NULL, &plan));
    assert_true(penta_optmap_frames(plan) <= FRAMES);
    return plan;
}

/* each: an array for each frame, or one for all. */
static void run_on_device(penta_context *ctx, penta_optmap *plan, size_t offset, bool each)
{
    device_array in[FRAMES], flags = make_device_array(ctx, offset, mask, sizeof mask);
    HELD_BY(free_device_array)
    device_array filtered = make_device_array(ctx, offset, NULL, penta_optmap_frames(plan) * PIXELS * sizeof(float));
    HELD_BY(free_device_array) device_array traces = make_device_array(ctx, offset, NULL, sizeof got.traces);
    HELD_BY(free_device_array) device_array valid = make_device_array(ctx, offset, NULL, sizeof got.valid);
    const void *frames[FRAMES];
    penta_movie m = {.type = PENTA_U16, .frames = frames, .mask = flags.address};
    penta_optmap_result result = {.filtered = filtered.address, .traces = traces.address, .valid = valid.address};

    for (int f = 0; f < (each ? FRAMES : 1); f++)
        in[f] = make_device_array(ctx, offset, movie[f], each ? sizeof movie[f] : sizeof movie);
    for (int f = 0; f < FRAMES; f++)
        frames[f] = each ? in[f].address : (char *)in[0].address + (size_t)f * sizeof movie[f];
    EXPECT_OK(ctx, penta_optmap_run(plan, &m, &result));
    memset(&got, 0, sizeof got);
    read_device_array(&filtered, got.filtered);
    read_device_array(&traces, got.traces);
    read_device_array(&valid, got.valid);
    for (int f = 0; f < (each ? FRAMES : 1); f++)
        free_device_array(&in[f]);
    free_device_array(&flags);
}

DEVICE_TEST(same_bits)
{
    static const size_t offsets[] = {AT_START, AT_ALIGNED, AT_ODD};
    HELD_BY(penta_optmap_held) penta_optmap *plan = make_plan(ctx);
    const void *frames[FRAMES];
    penta_movie m = {.type = PENTA_U16, .frames = frames, .mask = mask};
    penta_optmap_result result = {.filtered = want.filtered, .traces = want.traces, .valid = want.valid};

    draw_movie();
    memset(&want, 0, sizeof want);
    for (int f = 0; f < FRAMES; f++)
        frames[f] = movie[f];
    EXPECT_OK(ctx, penta_optmap_run(plan, &m, &result));
    assert_true(result.valid_pixels > PIXELS / 2);
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++)
        for (int each = 0; each < 2; each++) {
            run_on_device(ctx, plan, offsets[o], each);
            assert_memory_equal(&got, &want, sizeof got);
        }
}

DEVICE_TEST(refusals)
{
    HELD_BY(penta_optmap_held) penta_optmap *plan = make_plan(ctx);
    HELD_BY(free_device_array) device_array small = make_device_array(ctx, AT_START, NULL, 99);
    const void *frames[FRAMES];
    penta_movie m = {.type = PENTA_U16, .frames = frames};
    penta_optmap_result result = {.valid = want.valid};

    draw_movie();
    for (int f = 0; f < FRAMES; f++)
        frames[f] = movie[f];
    frames[FRAMES / 2] = small.address;
    EXPECT_REFUSED(ctx, penta_optmap_run(plan, &m, &result), PENTA_INVALID,
                   "640 bytes are needed of a device array that has 99");
    frames[FRAMES / 2] = movie[FRAMES / 2];
    result.valid = small.address;
    EXPECT_REFUSED(ctx, penta_optmap_run(plan, &m, &result), PENTA_INVALID,
                   "320 bytes are needed of a device array that has 99");
    result.valid = want.valid;
    EXPECT_OK(ctx, penta_optmap_run(plan, &m, &result));
}

static int open_without_double(void **state)
{
    int failed = open_device(state);

    if (!failed)
        penta_context_without_double(*state);
    return failed;
}

RUN(AS_IT_IS, "optmap, movies in device memory", open_device, close_device);
RUN(AS_GPU, "optmap, movies in device memory as on a GPU", open_gpu_form, close_device);
RUN(AS_IT_IS, "optmap, movies in device memory without double precision", open_without_double, close_device);
