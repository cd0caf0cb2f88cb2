/* Frames and planes of offsets in device memory: the bits of the same in host memory; what is copied; what is refused.
 */
#include "support/test.h"

#include <pentacl/autocorr.h>

#include "support/device_array.h"
#include "support/numbers.h"
#include "support/random.h"

enum { WIDTH = 61, HEIGHT = 45, PIXELS = WIDTH * HEIGHT, R = 12, CELLS = (2 * R + 1) * (2 * R + 1), FRAMES = 3 };

typedef struct {
    const char *name;
    penta_type type;
    bool cross, masked, nan;
    int estimator, demean, bootstrap;
} kind;

static const kind kinds[] = {
    {.name = "u8", .type = PENTA_U8},
    {.name = "u8, two images", .type = PENTA_U8, .cross = true, .estimator = PENTA_AUTOCORR_PEARSON},
    {.name = "u16, masked", .type = PENTA_U16, .masked = true},
    {.name = "u16, errors", .type = PENTA_U16, .bootstrap = 20},
    {.name = "u8, plane", .type = PENTA_U8, .demean = PENTA_AUTOCORR_DEMEAN_PLANE},
    {.name = "f32", .type = PENTA_F32},
    {.name = "f32, NaN", .type = PENTA_F32, .nan = true},
    {.name = "f64, two images, masked", .type = PENTA_F64, .cross = true, .masked = true},
};

/* Frames of one kind, their arrays one after another. */
typedef struct {
    uint8_t image[FRAMES][PIXELS * 8], with[FRAMES][PIXELS * 8], mask[FRAMES][PIXELS];
} pictures;

/* A texture of blobs, so that there are peaks. */
static void draw(const kind *k, uint64_t seed, void *image)
{
    random_seed(seed);
    for (int i = 0; i < PIXELS; i++) {
        double x = i % WIDTH, y = (double)i / WIDTH;
        double v = 100 + 60 * sin(0.8 * x) * sin(0.7 * y + (double)seed) + 30 * random_uniform();

        put_number(k->type, image, (size_t)i, k->type == PENTA_F32 || k->type == PENTA_F64 ? v : floor(v));
        if (k->nan && i % 97 == 5)
            put_number(k->type, image, (size_t)i, NAN);
    }
}

static void make_pictures(const kind *k, pictures *p)
{
    for (int f = 0; f < FRAMES; f++) {
        draw(k, 3 + (uint64_t)f, p->image[f]);
        draw(k, 30 + (uint64_t)f, p->with[f]);
        for (int i = 0; i < PIXELS; i++)
            p->mask[f][i] = (i * 7 + f) % 11 != 0;
    }
}

typedef struct {
    double c2d[FRAMES][CELLS];
    int64_t numerators[FRAMES][CELLS];
    penta_autocorr_bin c1d[FRAMES][R + 1];
    penta_peak peak[FRAMES];
    size_t nan_pixels[FRAMES];
} answers;

static bool has_numerators(const kind *k)
{
    return (k->type == PENTA_U8 || k->type == PENTA_U16) && k->demean != PENTA_AUTOCORR_DEMEAN_PLANE;
}

/* Sums that are not exact integers are in double, where the device has it. */
static int precision_of(const penta_context *ctx, const kind *k)
{
    return has_numerators(k) || penta_context_device(ctx)->fp64 ? PENTA_PRECISION_AUTO : PENTA_PRECISION_SINGLE;
}

static penta_autocorr *make_plan(penta_context *ctx, const kind *k)
{
    penta_autocorr_options o;
    penta_autocorr *plan = NULL;

    penta_autocorr_options_init(&o);
    o.max_offset = R;
    o.estimator = k->estimator ? k->estimator : o.estimator;
    o.demean = k->demean ? k->demean : o.demean;
    o.bootstrap = k->bootstrap;
    o.precision = precision_of(ctx, k);
    EXPECT_OK(ctx, penta_autocorr_create(ctx, WIDTH, HEIGHT, k->type, &o, &plan));
    return plan;
}

static void from_host(penta_context *ctx, penta_autocorr *plan, const kind *k, pictures *p, answers *a)
{
    penta_autocorr_frame frames[FRAMES] = {{0}};
    penta_autocorr_result results[FRAMES] = {{0}};

    for (int f = 0; f < FRAMES; f++) {
        frames[f] = (penta_autocorr_frame){p->image[f], k->cross ? p->with[f] : NULL, k->masked ? p->mask[f] : NULL};
        results[f].c2d = a->c2d[f];
        results[f].numerators = has_numerators(k) ? a->numerators[f] : NULL;
        results[f].c1d = a->c1d[f];
    }
    EXPECT_OK(ctx, penta_autocorr_run(plan, FRAMES, frames, results));
    for (int f = 0; f < FRAMES; f++) {
        a->peak[f] = results[f].peak;
        a->nan_pixels[f] = results[f].nan_pixels;
    }
}

static void from_device(penta_context *ctx, penta_autocorr *plan, const kind *k, pictures *p, size_t offset, answers *a)
{
    size_t bytes = PIXELS * penta_type_size(k->type);
    device_array image[FRAMES], with[FRAMES], mask[FRAMES], c2d[FRAMES], numerators[FRAMES];
    penta_autocorr_frame frames[FRAMES] = {{0}};
    penta_autocorr_result results[FRAMES] = {{0}};

    for (int f = 0; f < FRAMES; f++) {
        image[f] = make_device_array(ctx, offset, p->image[f], bytes);
        with[f] = make_device_array(ctx, offset, p->with[f], bytes);
        mask[f] = make_device_array(ctx, offset, p->mask[f], PIXELS);
        c2d[f] = make_device_array(ctx, offset, NULL, sizeof a->c2d[f]);
        numerators[f] = make_device_array(ctx, offset, NULL, sizeof a->numerators[f]);
        frames[f] = (penta_autocorr_frame){image[f].address, k->cross ? with[f].address : NULL,
                                           k->masked ? mask[f].address : NULL};
        results[f].c2d = c2d[f].address;
        results[f].numerators = has_numerators(k) ? numerators[f].address : NULL;
        results[f].c1d = a->c1d[f];
    }
    EXPECT_OK(ctx, penta_autocorr_run(plan, FRAMES, frames, results));
    for (int f = 0; f < FRAMES; f++) {
        a->peak[f] = results[f].peak;
        a->nan_pixels[f] = results[f].nan_pixels;
        read_device_array(&c2d[f], a->c2d[f]);
        if (has_numerators(k))
            read_device_array(&numerators[f], a->numerators[f]);
        free_device_array(&image[f]);
        free_device_array(&with[f]);
        free_device_array(&mask[f]);
        free_device_array(&c2d[f]);
        free_device_array(&numerators[f]);
    }
}

static void expect_same(const kind *k, const answers *a, const answers *b)
{
    assert_memory_equal(a->c2d, b->c2d, sizeof a->c2d);
    if (has_numerators(k))
        assert_memory_equal(a->numerators, b->numerators, sizeof a->numerators);
    for (int f = 0; f < FRAMES; f++) {
        assert_int_equal(a->nan_pixels[f], b->nan_pixels[f]);
        assert_int_equal(a->peak[f].status, b->peak[f].status);
        assert_memory_equal(&a->peak[f].r_max, &b->peak[f].r_max, sizeof(double));
        assert_memory_equal(&a->peak[f].r_max_se, &b->peak[f].r_max_se, sizeof(double));
        for (int r = 0; r <= R; r++)
            assert_memory_equal(&a->c1d[f][r].c, &b->c1d[f][r].c, sizeof(double));
    }
}

DEVICE_TEST(same_bits)
{
    static const size_t offsets[] = {AT_START, AT_ALIGNED, AT_ODD};
    static pictures p;
    static answers want, got;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        HELD_BY(penta_autocorr_held) penta_autocorr *plan = make_plan(ctx, &kinds[i]);

        print_message("%s\n", kinds[i].name);
        make_pictures(&kinds[i], &p);
        from_host(ctx, plan, &kinds[i], &p, &want);
        assert_true(want.nan_pixels[0] == 0 || kinds[i].nan);
        for (size_t o = 0; o < COUNT(offsets); o++) {
            memset(&got, 0, sizeof got);
            from_device(ctx, plan, &kinds[i], &p, offsets[o], &got);
            expect_same(&kinds[i], &got, &want);
        }
    }
}

/* Of a frame. Without double precision the host takes the averages: the frame goes there and, as its sums need it,
 * back, and so do the sums and the plane that comes of them. */
static size_t most_bytes(const penta_context *ctx, const kind *k)
{
    if (penta_context_device(ctx)->fp64)
        return (5 * HEIGHT + 5 * R + 40) * sizeof(double);
    return 2 * (PIXELS * penta_type_size(k->type) + CELLS * sizeof(double));
}

/* Of integers and of floats without NaN no image and no plane of offsets moves on a device that correlates one frame at
 * a time; what comes to the host is of a few numbers a line and a ring, where the device has double precision. */
DEVICE_TEST(traffic_of_frames)
{
    static const kind some[] = {{.name = "u8", .type = PENTA_U8}, {.name = "f64", .type = PENTA_F64}};
    static pictures p;
    static answers got;

    for (size_t i = 0; i < COUNT(some); i++) {
        HELD_BY(penta_autocorr_held) penta_autocorr *plan = make_plan(ctx, &some[i]);
        traffic t;

        make_pictures(&some[i], &p);
        penta_profile_reset(ctx);
        from_device(ctx, plan, &some[i], &p, AT_START, &got);
        t = traffic_of(ctx);
        if (penta_autocorr_batch(plan) == 1)
            assert_int_equal(t.copies, 0);
        if (t.transferred > FRAMES * most_bytes(ctx, &some[i]))
            fail_msg("%s: %zu bytes were transferred", some[i].name, t.transferred);
    }
}

DEVICE_TEST(refusals)
{
    static pictures p;
    static answers got;
    const kind k = {.name = "u8", .type = PENTA_U8};
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = make_plan(ctx, &k);
    HELD_BY(free_device_array) device_array small;
    HELD_BY(free_device_array) device_array plane, all;
    penta_autocorr_frame frame = {0};
    penta_autocorr_result result = {0};

    make_pictures(&k, &p);
    small = make_device_array(ctx, AT_START, p.image[0], PIXELS - 1);
    all = make_device_array(ctx, AT_START, p.image[0], PIXELS);
    plane = make_device_array(ctx, AT_START, NULL, CELLS * sizeof(double) - 1);
    frame.image = small.address;
    EXPECT_REFUSED(ctx, penta_autocorr_run(plan, 1, &frame, &result), PENTA_INVALID,
                   "2745 bytes are needed of a device array that has 2744");
    frame.image = all.address;
    result.c2d = plane.address;
    EXPECT_REFUSED(ctx, penta_autocorr_run(plan, 1, &frame, &result), PENTA_INVALID, "5000 bytes are needed");
    result.c2d = NULL;
    result.c1d = plane.address;
    EXPECT_REFUSED(ctx, penta_autocorr_run(plan, 1, &frame, &result), PENTA_INVALID, "c1d must be in host memory");
    result.c1d = got.c1d[0];
    EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &frame, &result));
    penta_opencl_array_release(ctx, all.address);
    EXPECT_REFUSED(ctx, penta_autocorr_run(plan, 1, &frame, &result), PENTA_INVALID, "was released");
}

ON_DEVICE;
AS_ON_A_GPU;
