/* The forces for GPUs (src/nbody/tiled.c, few.c) against sums in long double: accuracy, the same bits again, hard
 * cases. */
#include "support/test.h"

#include "nbody/few.h"
#include "nbody/tiled.h"
#include "reference/nbody.h"
#include "support/random.h"

/* ---- bodies ---- */

/* A Plummer sphere of scale 1 about `at`, cut at radius 20; masses 1/n to 2/n, that of every seventh body 0. */
static double *plummer(size_t n, const double at[3])
{
    double *bodies = must_calloc(7 * n, sizeof *bodies);

    random_seed(n);
    for (size_t i = 0; i < n; i++) {
        double *b = bodies + 7 * i, r = 21, size = 0, d[3];

        while (r > 20)
            r = 1 / sqrt(pow(1 - random_uniform(), -2.0 / 3) - 1);
        for (int k = 0; k < 3; k++) {
            d[k] = random_normal();
            size += d[k] * d[k];
        }
        for (int k = 0; k < 3; k++)
            b[1 + k] = at[k] + r * d[k] / sqrt(size);
        b[0] = i % 7 == 6 ? 0 : (1 + random_uniform()) / (double)n;
    }
    return bodies;
}

/* The form with a work-group that the device has. */
static nbody_tiled_form fitting(const penta_context *ctx, const nbody_tiled_form *form)
{
    nbody_tiled_form fits = *form;

    if (fits.group > penta_largest_group(ctx)) {
        print_message("%zu work-items instead of %zu\n", penta_largest_group(ctx), fits.group);
        fits.group = penta_largest_group(ctx);
    }
    return fits;
}

typedef struct {
    const char *name;
    int kernel;
    nbody_tiled_form form;
    double median, p99; /* relative errors allowed */
    nbody_few_form few; /* of few.c, if it has a group */
} variant;

static void create_variant(penta_context *ctx, const nbody_shape *shape, const variant *v, void **state)
{
    nbody_tiled_form form = fitting(ctx, &v->form);

    if (v->few.group)
        EXPECT_OK(ctx, nbody_few_create(ctx, shape, v->kernel, &v->few, state));
    else
        EXPECT_OK(ctx, nbody_tiled_create(ctx, shape, v->kernel, &form, state));
}

/* Accelerations (n x 3) by a kernel, to free. The same call twice gives the same bits, and numbers behind the bodies
 * are finite. */
static double *forces(penta_context *ctx, size_t n, const double *bodies, double eps, const variant *v)
{
    const nbody_engine *engine = v->few.group ? &nbody_few : &nbody_tiled;
    size_t pitch = (n + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH;
    nbody_shape shape = {n, pitch, eps, NULL};
    nbody_bodies b = {.n = n, .pitch = pitch};
    penta_buffer acceleration = {0};
    double *arrays = must_calloc(4 * pitch, sizeof *arrays), *got = must_calloc(6 * pitch, sizeof *got), *again;
    void *tiled = NULL;

    for (size_t i = 0; i < pitch; i++)
        for (size_t k = 0; k < 4; k++)
            arrays[k * pitch + i] = i < n ? bodies[7 * i + k] : k > 0 ? bodies[k] : 0;
    EXPECT_OK(ctx, penta_buffer_create(ctx, pitch * sizeof(double), &b.mass));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * pitch * sizeof(double), &b.position));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 3 * pitch * sizeof(double), &acceleration));
    EXPECT_OK(ctx, nbody_write_numbers(ctx, &b.mass, 0, arrays, pitch));
    EXPECT_OK(ctx, nbody_write_numbers(ctx, &b.position, 0, arrays + pitch, 3 * pitch));
    create_variant(ctx, &shape, v, &tiled);
    again = got + 3 * pitch;
    EXPECT_OK(ctx, engine->accelerate(tiled, &b, &acceleration));
    EXPECT_OK(ctx, nbody_read_numbers(ctx, &acceleration, 0, again, 3 * pitch));
    EXPECT_OK(ctx, penta_buffer_write(&acceleration, 0, arrays, 3 * pitch * sizeof(double)));
    EXPECT_OK(ctx, engine->accelerate(tiled, &b, &acceleration));
    EXPECT_OK(ctx, nbody_read_numbers(ctx, &acceleration, 0, got, 3 * pitch));
    assert_memory_equal(got, again, 3 * pitch * sizeof(double));
    for (size_t i = 0; i < 3 * pitch; i++)
        assert_true(isfinite(got[i]));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            arrays[3 * i + k] = got[k * pitch + i];
    nbody_state_free(tiled);
    penta_buffer_release(&b.mass);
    penta_buffer_release(&b.position);
    penta_buffer_release(&acceleration);
    free(got);
    return arrays;
}

/* ---- accuracy ---- */

static const variant variants[] = {
    {"best", PENTA_NBODY_BEST, {0}, 1e-6, 1e-5, {0}},
    {"best, each pair twice", PENTA_NBODY_BEST, {.pairs = -1}, 1e-6, 1e-5, {0}},
    {"best, 1 body an item", PENTA_NBODY_BEST, {.group = 64, .bodies = 1, .slices = 1, .pairs = -1}, 1e-6, 1e-5, {0}},
    {"best, 2 bodies, 3 slices",
     PENTA_NBODY_BEST,
     {.group = 512, .bodies = 2, .slices = 3, .pairs = -1},
     1e-6,
     1e-5,
     {0}},
    {"pairs", PENTA_NBODY_BEST, {.pairs = 1}, 1e-6, 1e-5, {0}},
    {"pairs, 256 items", PENTA_NBODY_BEST, {.pairs = 1, .group = 256}, 1e-6, 1e-5, {0}},
    {"pairs, 1 body, small passes",
     PENTA_NBODY_BEST,
     {.pairs = 1, .group = 64, .bodies = 1, .runs = 3, .memory = 1},
     1e-6,
     1e-5,
     {0}},
    {"pairs, 2 bodies, passes",
     PENTA_NBODY_BEST,
     {.pairs = 1, .group = 128, .bodies = 2, .runs = 2, .memory = 1 << 21},
     1e-6,
     1e-5,
     {0}},
    {"jsplit", PENTA_NBODY_JSPLIT, {0}, 1e-6, 1e-5, {0}},
    {"jsplit, 60 slices", PENTA_NBODY_JSPLIT, {.slices = 60}, 1e-6, 1e-5, {0}},
    {"ds", PENTA_NBODY_DS, {0}, 2e-7, 2e-6, {0}},
    {"ds, 7 slices", PENTA_NBODY_DS, {.slices = 7}, 2e-7, 2e-6, {0}},
    {"few", PENTA_NBODY_BEST, {0}, 1e-6, 1e-5, {.group = 256}},
    {"few, 16 targets", PENTA_NBODY_BEST, {0}, 1e-6, 1e-5, {.group = 128, .targets = 16}},
    {"few, 4 targets", PENTA_NBODY_BEST, {0}, 1e-6, 1e-5, {.group = 64, .targets = 4}},
    {"few, ds", PENTA_NBODY_DS, {0}, 2e-7, 2e-6, {.group = 256}},
    {"few, double", PENTA_NBODY_DOUBLE, {0}, 1e-15, 1e-14, {.group = 256}},
    {"few, double, 8 targets", PENTA_NBODY_DOUBLE, {0}, 1e-15, 1e-14, {.group = 64, .targets = 8}},
    {"double", PENTA_NBODY_DOUBLE, {0}, 1e-15, 1e-14, {0}},
    {"double, 4 bodies, 5 slices", PENTA_NBODY_DOUBLE, {.bodies = 4, .slices = 5}, 1e-15, 1e-14, {0}},
};

/* Those of precision double are last. */
static size_t variant_count(penta_context *ctx)
{
    size_t count = COUNT(variants);

    while (!penta_context_device(ctx)->fp64 && variants[count - 1].kernel == PENTA_NBODY_DOUBLE)
        count--;
    return count;
}

/* The errors of single pairs do not average where there are few. */
static void check_variants(penta_context *ctx, size_t n, double eps)
{
    const double centre[3] = {0, 0, 0};
    HELD double *bodies = plummer(n, centre), *want = must_calloc(3 * n, sizeof *want);

    reference_nbody_forces(n, bodies, eps, want, NULL);
    for (size_t v = 0; v < variant_count(ctx); v++) {
        const variant *a = &variants[v];
        HELD double *got = forces(ctx, n, bodies, eps, a);
        reference_nbody_errors e = reference_nbody_compare(n, got, want);
        double few = n < 100 ? 4 : 1;

        if (!(e.median <= few * a->median && e.p99 <= few * a->p99))
            fail_msg("%s, n = %zu, eps = %g: relative errors %.2g (median), %.2g (99%%)", a->name, n, eps, e.median,
                     e.p99);
    }
}

TEST(accuracy)
{
    const size_t sizes[] = {1, 2, 3, 31, 257, 1000, 1024, 4096};
    penta_context *ctx = gpu_of(state);

    for (size_t i = 0; i < COUNT(sizes); i++) {
        check_variants(ctx, sizes[i], 0.05);
        check_variants(ctx, sizes[i], 0);
    }
    check_variants(ctx, stands_in(ctx) ? 8192 : 16384, 0.05); /* several passes of pairs, and rounds of groups */
}

/* Sums of ds are pairs of floats: those of floats would have three times this error. */
TEST(long_sums)
{
    penta_context *ctx = gpu_of(state);
    const double centre[3] = {0, 0, 0}, eps = 0.05;
    const variant one_slice = {.name = "ds, one slice", .kernel = PENTA_NBODY_DS, .form = {.slices = 1}};
    const size_t n = 4096;
    HELD double *bodies = plummer(n, centre), *want = must_calloc(3 * n, sizeof *want),
                *got = forces(ctx, n, bodies, eps, &one_slice);

    reference_nbody_forces(n, bodies, eps, want, NULL);
    expect_near(reference_nbody_compare(n, got, want).median, 0, 4e-8);
}

/* ---- hard cases ---- */

/* Largest relative error over the bodies. */
static double worst(penta_context *ctx, size_t n, const double *bodies, double eps, const variant *v)
{
    HELD double *want = must_calloc(3 * n, sizeof *want), *got = forces(ctx, n, bodies, eps, v);
    double largest;

    reference_nbody_forces(n, bodies, eps, want, NULL);
    largest = reference_nbody_compare(n, got, want).largest;
    return largest;
}

/* Nothing and nobody to attract: zeros, whatever eps is. */
TEST(nothing_attracts)
{
    penta_context *ctx = gpu_of(state);
    const double one[7] = {5, 1e3, -2, 0.1}, massless[14] = {[1] = 1, [8] = 1 + 1e-12};

    for (size_t v = 0; v < variant_count(ctx); v++)
        for (double eps = 0; eps < 1; eps += 0.5) {
            expect_near(worst(ctx, 1, one, eps, &variants[v]), 0, 0);
            expect_near(worst(ctx, 2, massless, eps, &variants[v]), 0, 0);
        }
}

/* Two bodies whose places round to the same floats, and a third one, without softening. */
TEST(same_floats)
{
    penta_context *ctx = gpu_of(state);
    const double bodies[21] = {1, 0.1, 0.2, 0.3, 0, 0, 0, 2, 0.1 + 1e-12, 0.2, 0.3, 0, 0, 0, 4, 3, 0, 0};

    for (size_t v = 0; v < variant_count(ctx); v++) {
        HELD double *a = forces(ctx, 3, bodies, 0, &variants[v]);
        double r = sqrt(2.9 * 2.9 + 0.2 * 0.2 + 0.3 * 0.3);

        expect_near(a[6], -3 * 2.9 / (r * r * r), 1e-6);
        if (variants[v].kernel == PENTA_NBODY_BEST || variants[v].kernel == PENTA_NBODY_JSPLIT)
            expect_near(a[0], 4 * 2.9 / (r * r * r), 1e-6); /* the pair has no force */
        else
            assert_true(a[0] > 1.9e24 && a[0] < 2.1e24);
    }
}

/* Pairs nearer and farther than powers of their distance fit in a number: the force is bounded, not NaN; forces()
 * looks at that. The lone body gets it right as long as r^-2 does. */
TEST(extreme_distances)
{
    penta_context *ctx = gpu_of(state);

    for (size_t v = 0; v < variant_count(ctx); v++)
        for (double r = 1e-36; r < 1e37; r *= 1e3) {
            const double bodies[14] = {1e-3, 0, 0, 0, 0, 0, 0, 3, r, r / 2, 0};
            double error = worst(ctx, 2, bodies, 0, &variants[v]);
            bool squared_fits = r > 1e-17 && r < 1e15;

            if (variants[v].kernel == PENTA_NBODY_DOUBLE || squared_fits)
                expect_near(error, 0, variants[v].kernel == PENTA_NBODY_DOUBLE ? 1e-15 : 1e-6);
        }
}

/* A close pair far from the origin: of the differences nothing is lost but in single precision. */
TEST(close_pair_far_out)
{
    penta_context *ctx = gpu_of(state);
    const double bodies[14] = {1, 100, -70, 30, 0, 0, 0, 2, 100 + 3e-5, -70 + 1e-5, 30 - 2e-5};

    for (size_t v = 0; v < variant_count(ctx); v++) {
        int kernel = variants[v].kernel;
        double error = worst(ctx, 2, bodies, 0, &variants[v]);

        if (kernel == PENTA_NBODY_DOUBLE || kernel == PENTA_NBODY_DS)
            expect_near(error, 0, kernel == PENTA_NBODY_DS ? 1e-6 : 1e-14);
        else
            assert_true(error > 1e-3);
    }
}

/* A sphere far from the origin, in double and float pairs. */
TEST(far_sphere)
{
    penta_context *ctx = gpu_of(state);
    const double at[3] = {1e4, -3e4, 2e4};
    const size_t n = 1000;
    HELD double *bodies = plummer(n, at);

    for (size_t v = 0; v < variant_count(ctx); v++)
        if (variants[v].kernel == PENTA_NBODY_DOUBLE || variants[v].kernel == PENTA_NBODY_DS)
            expect_near(worst(ctx, n, bodies, 0.01, &variants[v]), 0,
                        variants[v].kernel == PENTA_NBODY_DS ? 1e-6 : 1e-13);
}

RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_device);
RUN(AS_IT_IS, "device", open_device, close_device);
