/* Which drivers are tested before the first plan, what becomes of a verdict, and what the refusals say. */
#define _XOPEN_SOURCE 700
#include "support/test.h"

#include <pentacl/traits.h>

#include "core/program.h"
#include "support/files.h"

static char scratch[200];

static penta_device device_of_driver(const char *platform, const char *driver, penta_device_type type)
{
    penta_device d = {.type = type};

    snprintf(d.platform, sizeof d.platform, "%s", platform);
    snprintf(d.driver, sizeof d.driver, "%s", driver);
    return d;
}

TEST(drivers)
{
    const char *pocl = "Portable Computing Language";
    penta_device nvidia = device_of_driver("NVIDIA CUDA", "580.65", PENTA_DEVICE_GPU);
    penta_device old = device_of_driver(pocl, "3.1+debian", PENTA_DEVICE_CPU);
    penta_device broken = device_of_driver(pocl, "5.0", PENTA_DEVICE_GPU);
    penta_device newer = device_of_driver(pocl, "7.0", PENTA_DEVICE_CPU);
    penta_device other = device_of_driver("rusticl", "3.1", PENTA_DEVICE_GPU);

    assert_non_null(penta_driver_find(&nvidia));
    assert_null(penta_driver_find(&nvidia)->broken_for);
    assert_null(penta_driver_find(&old)->broken_for);
    expect_text(penta_driver_find(&broken)->broken_for, " stars ");
    assert_null(penta_driver_find(&newer));
    assert_null(penta_driver_find(&other));
}

/* In the form for GPUs PoCL 5 compiles the shifts of optmap without optimisation, and nothing else; Intel's runtime for
 * CPUs all, and its driver for GPUs nothing, which is in doubt. */
TEST(unoptimised)
{
    HELD_BY(penta_context_held) penta_context *ctx = NULL;

    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    ctx->info = device_of_driver("Portable Computing Language", "5.0", PENTA_DEVICE_GPU);
    assert_true(penta_driver_needs_unoptimised(ctx, "optmap/shift_near.cl"));
    assert_false(penta_driver_needs_unoptimised(ctx, "optmap/filter.cl"));
    ctx->info.type = PENTA_DEVICE_CPU;
    assert_false(penta_driver_needs_unoptimised(ctx, "optmap/shift_near.cl"));
    ctx->info = device_of_driver("Portable Computing Language", "3.1", PENTA_DEVICE_GPU);
    assert_false(penta_driver_needs_unoptimised(ctx, "optmap/shift_near.cl"));
    ctx->info = device_of_driver("Intel(R) OpenCL", "2026.22", PENTA_DEVICE_GPU);
    assert_true(penta_driver_needs_unoptimised(ctx, "pca/triangle_single.cl"));
    ctx->info = device_of_driver("Intel(R) OpenCL", "2026.22", PENTA_DEVICE_CPU);
    assert_false(penta_driver_needs_unoptimised(ctx, "pca/triangle_single.cl"));
    ctx->info = device_of_driver("Intel(R) OpenCL Graphics", "24.35", PENTA_DEVICE_GPU);
    assert_false(penta_driver_needs_unoptimised(ctx, "pca/triangle_single.cl"));
    assert_null(penta_driver_find(&ctx->info));
}

/* A listener: what was said last of self-tests, and of how many. */
typedef struct {
    int count;
    char chosen[64];
} told;

static void listen(void *user, const char *what, const char *chosen, const char *why)
{
    told *t = user;

    (void)why;
    if (strncmp(what, "self-test", 9) != 0)
        return;
    t->count++;
    snprintf(t->chosen, sizeof t->chosen, "%s", chosen);
}

/* Opens the device as one whose driver is this one. */
static penta_context *open_with(const penta_driver *driver, told *t)
{
    penta_context *ctx = NULL;

    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_OK);
    ctx->driver = driver;
    ctx->takes_all = false;
    *t = (told){0};
    penta_context_on_choice(ctx, listen, t);
    return ctx;
}

static penta_status make_plan(penta_context *ctx)
{
    HELD_BY(penta_stars_held) penta_stars *plan = NULL;
    penta_status status = penta_stars_create(ctx, 16, 16, NULL, &plan);

    assert_true((status == PENTA_OK) == (plan != NULL));
    return status;
}

static const penta_workload *workload_named(const char *name)
{
    const penta_workload *w;

    for (size_t i = 0; (w = penta_workload_at(i)); i++)
        if (strcmp(penta_workload_name(w), name) == 0)
            return w;
    return NULL;
}

static int clear(void **state)
{
    (void)state;
    return penta_cache_clear(NULL, NULL) == PENTA_OK ? 0 : -1;
}

/* The first plan runs the test, the second does not, nor does the first one of another context. */
TEST_WITH(clear, NULL, unknown)
{
    told t;
    penta_context *ctx = open_with(NULL, &t);

    assert_string_equal(penta_driver_state(ctx), "unknown");
    EXPECT_OK(ctx, make_plan(ctx));
    assert_string_equal(t.chosen, "passed");
    EXPECT_OK(ctx, make_plan(ctx));
    assert_int_equal(t.count, 1);
    penta_context_destroy(ctx);
    ctx = open_with(NULL, &t);
    EXPECT_OK(ctx, make_plan(ctx));
    assert_string_equal(t.chosen, "passed earlier");
    penta_context_destroy(ctx);
}

/* A failure is remembered until the cache is cleared, for this driver only. */
TEST_WITH(clear, NULL, failed)
{
    told t;
    penta_context *ctx = open_with(NULL, &t);

    penta_trust_keep(ctx, workload_named("stars"), "pixel (8,8) is 1, not 2");
    EXPECT_REFUSED(ctx, make_plan(ctx), PENTA_DEVICE,
                   "cannot be used for stars, whose self-test fails with its driver");
    expect_text(penta_last_error(ctx), "pixel (8,8) is 1, not 2");
    expect_text(penta_last_error(ctx), "penta cache --clear");
    assert_string_equal(t.chosen, "failed");
    snprintf(ctx->info.driver, sizeof ctx->info.driver, "another");
    EXPECT_OK(ctx, make_plan(ctx));
    assert_string_equal(t.chosen, "passed");
    penta_context_destroy(ctx);
    assert_int_equal(penta_cache_clear(NULL, NULL), PENTA_OK);
    ctx = open_with(NULL, &t);
    EXPECT_OK(ctx, make_plan(ctx));
    assert_string_equal(t.chosen, "passed");
    penta_context_destroy(ctx);
}

/* ---- each workload's plan is refused, not its first run ---- */

static penta_status make_autocorr(penta_context *ctx)
{
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    penta_autocorr_options o;
    penta_status status;

    penta_autocorr_options_init(&o);
    o.max_offset = 4;
    status = penta_autocorr_create(ctx, 16, 16, PENTA_U8, &o, &plan);
    return status;
}

static penta_status make_nbody(penta_context *ctx)
{
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;
    penta_status status = penta_nbody_create(ctx, 16, NULL, &plan);

    return status;
}

static penta_status make_pca(penta_context *ctx)
{
    HELD_BY(penta_pca_held) penta_pca *plan = NULL;
    penta_status status = penta_pca_create(ctx, 4, 64, NULL, &plan);

    return status;
}

static penta_status make_optmap(penta_context *ctx)
{
    HELD_BY(penta_optmap_held) penta_optmap *plan = NULL;
    penta_status status = penta_optmap_create(ctx, 8, 8, 64, NULL, &plan);

    return status;
}

static penta_status make_prepare(penta_context *ctx)
{
    HELD_BY(penta_prepare_held) penta_prepare *plan = NULL;
    penta_status status = penta_prepare_create(ctx, 32, 32, 1, PENTA_U8, NULL, &plan);

    return status;
}

TEST_WITH(clear, NULL, every_plan)
{
    static const struct {
        const char *workload;
        penta_status (*make)(penta_context *ctx);
    } plans[] = {{"autocorr", make_autocorr}, {"stars", make_plan},    {"nbody", make_nbody},
                 {"pca", make_pca},           {"optmap", make_optmap}, {"prepare", make_prepare}};

    for (size_t i = 0; i < 2 * COUNT(plans); i++) {
        const char *name = plans[i / 2].workload;
        HELD_BY(penta_context_held) penta_context *ctx = NULL;
        told t;

        assert_non_null(workload_named(name));
        ctx = open_with(NULL, &t);
        if (i % 2)
            penta_context_without_double(ctx);
        penta_trust_keep(ctx, workload_named(name), "its numbers are wrong");
        if (plans[i / 2].make(ctx) != PENTA_DEVICE)
            fail_msg("%s, %s double precision: a plan was made", name, i % 2 ? "without" : "with");
        expect_text(penta_last_error(ctx), "its numbers are wrong");
    }
    assert_null(penta_workload_at(COUNT(plans)));
}

/* Options that the context's first program was built with. */
static const char *options_of(penta_context *ctx, char *out, size_t size)
{
    penta_kernel kernel;

    EXPECT_OK(ctx, penta_kernel_get(ctx, "common/limits.cl", "penta_empty", "", &kernel));
    EXPECT_OK(ctx, penta_kernel_ready(&kernel));
    penta_kernel_release(&kernel);
    assert_int_equal(
        clGetProgramBuildInfo(ctx->programs->handle, ctx->device, CL_PROGRAM_BUILD_OPTIONS, size, out, NULL),
        CL_SUCCESS);
    return out;
}

/* PoCL 5 mixes up a kernel's code when two contexts run it: each but the first builds kernels of its own. */
TEST_WITH(clear, NULL, contexts_beside)
{
    penta_context *ctx[3];
    char first[512], other[512];

    for (size_t i = 0; i < COUNT(ctx); i++) {
        assert_int_equal(penta_context_create(NULL, &ctx[i]), PENTA_OK);
        penta_driver_end(ctx[i]);
        snprintf(ctx[i]->info.platform, sizeof ctx[i]->info.platform, "Portable Computing Language");
        snprintf(ctx[i]->info.driver, sizeof ctx[i]->info.driver, "5.0+debian");
    }
    for (size_t i = 0; i < COUNT(ctx); i++)
        penta_driver_begin(ctx[i]);
    options_of(ctx[0], first, sizeof first);
    assert_null(strstr(first, "PENTA_BESIDE"));
    for (size_t i = 1; i < COUNT(ctx); i++) {
        char wanted[32];

        snprintf(wanted, sizeof wanted, " -DPENTA_BESIDE=%zu ", i + 1);
        expect_text(options_of(ctx[i], other, sizeof other), wanted);
    }
    penta_context_destroy(ctx[1]); /* its number is free again */
    assert_int_equal(penta_context_create(NULL, &ctx[1]), PENTA_OK);
    penta_driver_end(ctx[1]);
    ctx[1]->driver = ctx[0]->driver;
    ctx[1]->info = ctx[0]->info;
    penta_driver_begin(ctx[1]);
    assert_int_equal(penta_driver_own_kernels(ctx[1]), 2);
    for (size_t i = 0; i < COUNT(ctx); i++)
        penta_context_destroy(ctx[i]);
}

TEST_WITH(clear, NULL, broken)
{
    penta_device pocl = device_of_driver("Portable Computing Language", "5.0", PENTA_DEVICE_GPU);
    told t;
    HELD_BY(penta_context_held) penta_context *ctx = open_with(penta_driver_find(&pocl), &t);

    assert_string_equal(penta_driver_state(ctx), "broken");
    EXPECT_REFUSED(ctx, make_plan(ctx), PENTA_DEVICE, "compiles stars_slots_draw wrongly; take PoCL 3.1 or 6");
    assert_int_equal(t.count, 0);
}

TEST_WITH(clear, NULL, wishes)
{
    told t;
    penta_context *ctx = open_with(NULL, &t);

    setenv("PENTACL_SELFTEST", "never", 1);
    penta_driver_begin(ctx);
    EXPECT_OK(ctx, make_plan(ctx));
    assert_int_equal(t.count, 0);
    penta_context_destroy(ctx);
    setenv("PENTACL_SELFTEST", "always", 1);
    ctx = open_with(NULL, &t);
    penta_driver_begin(ctx);
    EXPECT_OK(ctx, make_plan(ctx));
    assert_int_equal(t.count, 1);
    unsetenv("PENTACL_SELFTEST");
    penta_context_destroy(ctx);
}

static int begin(void **state)
{
    (void)state;
    unsetenv("PENTACL_SELFTEST");
    unsetenv("PENTACL_KERNEL_DIR");
    return make_scratch_directory("trust", scratch, sizeof scratch) && setenv("PENTACL_CACHE_DIR", scratch, 1) == 0
               ? 0
               : -1;
}

static int finish(void **state)
{
    (void)state;
    return remove_tree(scratch);
}

RUN(EVERYWHERE, NULL, begin, finish);
