/* Stars, frames and detectors in device memory: the bits of the same in host memory; what is copied; what is refused.
 */
#include "support/test.h"

#include <pentacl/detector.h>

#include "core/core.h"
#include "support/device_array.h"
#include "support/stars_run.h"

enum { STARS = 700, WIDTH = 132, HEIGHT = 70, PIXELS = WIDTH * HEIGHT };

static const size_t offsets[] = {AT_START, AT_ALIGNED, AT_ODD};

typedef struct {
    int engine;
    bool dbl, moving;
} kind;

static const kind kinds[] = {
    {PENTA_STARS_TILE, false, false},   {PENTA_STARS_TILE, true, false},  {PENTA_STARS_TILE, false, true},
    {PENTA_STARS_PIXEL, false, false},  {PENTA_STARS_STAR, false, false}, {PENTA_STARS_FIXED, true, false},
    {PENTA_STARS_SERIAL, false, false},
};

static bool has_double(const penta_context *ctx)
{
    return penta_context_device(ctx)->fp64;
}

static penta_stars_options options_of(const kind *k)
{
    penta_stars_options o = stars_options(k->engine);

    o.precision = k->dbl ? PENTA_PRECISION_DOUBLE : PENTA_PRECISION_SINGLE;
    return o;
}

/* Without double precision only the host draws doubles. */
static bool is_refused(const penta_context *ctx, const kind *k)
{
    return k->dbl && k->engine != PENTA_STARS_FIXED && !has_double(ctx);
}

static void expect_refusal(penta_context *ctx, const kind *k)
{
    penta_stars_options o = options_of(k);
    penta_stars *plan = NULL;

    EXPECT_REFUSED(ctx, penta_stars_create(ctx, WIDTH, HEIGHT, &o, &plan), PENTA_UNSUPPORTED,
                   "`precision` double needs double precision");
}

static penta_stars *make_plan(penta_context *ctx, const kind *k)
{
    penta_stars_options o = options_of(k);
    penta_stars *plan = NULL;

    EXPECT_OK(ctx, penta_stars_create(ctx, WIDTH, HEIGHT, &o, &plan));
    return plan;
}

/* Adds up floats in an order that the device chooses, so that bits may differ from run to run. */
static bool is_repeatable(const kind *k)
{
    return k->engine != PENTA_STARS_STAR;
}

static void from_device(penta_context *ctx, penta_stars *plan, const penta_stars_list *host, size_t offset,
                        size_t bytes, double *out, penta_stars_result *result)
{
    const double *columns[5] = {host->x, host->y, host->magnitude, host->motion_x, host->motion_y};
    device_array in[5], image = make_device_array(ctx, offset, NULL, bytes);
    penta_stars_list list = {.n = host->n};

    for (int c = 0; c < 5; c++)
        in[c] = make_device_array(ctx, offset, columns[c], host->n * sizeof(double));
    list.x = in[0].address;
    list.y = in[1].address;
    list.magnitude = in[2].address;
    list.motion_x = host->motion_x ? in[3].address : NULL;
    list.motion_y = host->motion_y ? in[4].address : NULL;
    *result = (penta_stars_result){.image = image.address};
    EXPECT_OK(ctx, penta_stars_run(plan, &list, result));
    read_device_array(&image, out);
    for (int c = 0; c < 5; c++)
        free_device_array(&in[c]);
    free_device_array(&image);
}

DEVICE_TEST(same_bits)
{
    static double want[PIXELS], got[PIXELS], motion[2][STARS];
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 5);

    for (int i = 0; i < STARS; i++) {
        motion[0][i] = (double)(i % 7) - 3;
        motion[1][i] = (double)(i % 5) - 2;
    }
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        HELD_BY(penta_stars_held) penta_stars *plan = NULL;
        penta_stars_list list = stars_scene_list(&scene);
        penta_stars_result right = {.image = want}, result;
        size_t bytes = PIXELS * (kinds[k].dbl ? sizeof(double) : sizeof(float));

        if (is_refused(ctx, &kinds[k])) {
            expect_refusal(ctx, &kinds[k]);
            continue;
        }
        plan = make_plan(ctx, &kinds[k]);
        list.motion_x = kinds[k].moving ? motion[0] : NULL;
        list.motion_y = kinds[k].moving ? motion[1] : NULL;
        EXPECT_OK(ctx, penta_stars_run(plan, &list, &right));
        assert_true(right.drawn > STARS / 2);
        for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
            memset(got, 0, sizeof got);
            from_device(ctx, plan, &list, offsets[o], bytes, got, &result);
            assert_int_equal(result.drawn, right.drawn);
            assert_memory_equal(&result.flux_total, &right.flux_total, sizeof(double));
            if (is_repeatable(&kinds[k]))
                assert_memory_equal(got, want, bytes);
        }
    }
}

/* Bytes that a list of three columns may move: the sums of the light alone; without double precision the stars come to
 * the host, unless they are there, and go to the device packed. */
static size_t bytes_of_list(const penta_context *ctx, bool on_device)
{
    enum { PACKED = 4 * sizeof(float) + sizeof(uint32_t), COLUMNS = 3 * sizeof(double) };

    if (has_double(ctx))
        return STARS * sizeof(double) - 1;
    return STARS * (PACKED + (on_device ? COLUMNS : 0));
}

/* Stars and frame stay where they are. */
DEVICE_TEST(no_copies)
{
    static double got[PIXELS];
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 6);
    HELD_BY(penta_stars_held) penta_stars *plan = make_plan(ctx, &kinds[0]);
    penta_stars_list list = stars_scene_list(&scene);
    penta_stars_result result = {.image = got};
    traffic t;

    penta_profile_reset(ctx);
    from_device(ctx, plan, &list, works_in_place(ctx, AT_ALIGNED) ? AT_ALIGNED : AT_START, PIXELS * sizeof(float), got,
                &result);
    t = traffic_of(ctx);
    assert_int_equal(t.copies, 0);
    assert_in_range(t.transferred, 0, bytes_of_list(ctx, true));
    if (penta_is_cpu(ctx)) {
        result.image = got;
        penta_profile_reset(ctx);
        EXPECT_OK(ctx, penta_stars_run(plan, &list, &result));
        assert_in_range(traffic_of(ctx).transferred, 0, bytes_of_list(ctx, false));
    }
}

DEVICE_TEST(refusals)
{
    static double got[PIXELS];
    HELD_BY(stars_scene_free) stars_scene scene = stars_scene_random(STARS, WIDTH, HEIGHT, 7);
    HELD_BY(penta_stars_held) penta_stars *plan = make_plan(ctx, &kinds[0]);
    penta_stars_list list = stars_scene_list(&scene);
    penta_stars_result result = {.image = got};
    HELD_BY(free_device_array) device_array x, small;

    scene.x[123] = NAN;
    x = make_device_array(ctx, AT_START, scene.x, STARS * sizeof(double));
    small = make_device_array(ctx, AT_START, NULL, PIXELS * sizeof(float) - 1);
    list.x = x.address;
    EXPECT_REFUSED(ctx, penta_stars_run(plan, &list, &result), PENTA_INVALID, "123");
    EXPECT_REFUSED(ctx, penta_stars_fluxes(plan, &list, got, NULL), PENTA_INVALID, "must be in host memory");
    list.n++;
    EXPECT_REFUSED(ctx, penta_stars_run(plan, &list, &result), PENTA_INVALID,
                   "5608 bytes are needed of a device array that has 5600");
    list = stars_scene_list(&scene);
    scene.x[123] = 1;
    result.image = small.address;
    EXPECT_REFUSED(ctx, penta_stars_run(plan, &list, &result), PENTA_INVALID, "of a device array that has 36959");
    result.image = got;
    EXPECT_OK(ctx, penta_stars_run(plan, &list, &result));
}

DEVICE_TEST(detector)
{
    static float photons[PIXELS], want[PIXELS], got[PIXELS];
    static uint8_t want_full[PIXELS], got_full[PIXELS];
    penta_detector_options o;
    HELD_BY(penta_detector_held) penta_detector *d = NULL;

    penta_detector_options_init(&o);
    o.full_well = 900;
    o.read_noise = 3;
    for (int i = 0; i < PIXELS; i++)
        photons[i] = (float)(i % 1000);
    EXPECT_OK(ctx, penta_detector_create(ctx, WIDTH, HEIGHT, &o, &d));
    EXPECT_OK(ctx, penta_detector_run(d, 3, photons, PENTA_F32, want, want_full));
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        HELD_BY(free_device_array) device_array in = make_device_array(ctx, offsets[i], photons, sizeof photons);
        HELD_BY(free_device_array) device_array dn = make_device_array(ctx, offsets[i], NULL, sizeof want);
        HELD_BY(free_device_array) device_array full = make_device_array(ctx, offsets[i], NULL, PIXELS);

        EXPECT_OK(ctx, penta_detector_run(d, 3, in.address, PENTA_F32, dn.address, full.address));
        read_device_array(&dn, got);
        read_device_array(&full, got_full);
        assert_memory_equal(got, want, sizeof want);
        assert_memory_equal(got_full, want_full, sizeof want_full);
        EXPECT_OK(ctx, penta_detector_run(d, 3, in.address, PENTA_F32, in.address, NULL)); /* dn may be the image */
        read_device_array(&in, got);
        assert_memory_equal(got, want, sizeof want);
    }
}

ON_DEVICE;
RUN(AS_GPU, "forms for GPUs", open_gpu_tiles, close_device);
