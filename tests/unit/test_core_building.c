/* A program is told when kernels compile, for programs, first launches and the libraries' own kernels; results are the
 * same. */
#include "support/test.h"

#include "core/internal.h"
#include "math/fft.h"
#include "support/kernels.h"

typedef struct {
    char text[512]; /* "what " at each begin, ". " at each end */
    size_t built;
} calls;

static void note(void *user, const char *what, size_t built)
{
    calls *c = user;
    size_t used = strlen(c->text);

    snprintf(c->text + used, sizeof c->text - used, "%s ", what ? what : ".");
    c->built = built;
}

static void add(penta_context *ctx, penta_kernel *kernel)
{
    const int32_t a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    penta_buffer in[2] = {{0}}, out = {0};
    int32_t sum[4] = {0};

    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof a, &in[0]));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof b, &in[1]));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof sum, &out));
    EXPECT_OK(ctx, penta_buffer_write(&in[0], 0, a, sizeof a));
    EXPECT_OK(ctx, penta_buffer_write(&in[1], 0, b, sizeof b));
    EXPECT_OK(ctx, penta_launch(kernel, penta_grid_1d(4), ARGS(&in[0], &in[1], &out, 4, 1, 1)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, sum, sizeof sum));
    for (int i = 0; i < 4; i++)
        assert_int_equal(sum[i], a[i] + b[i]);
    penta_buffer_release(&in[0]);
    penta_buffer_release(&in[1]);
    penta_buffer_release(&out);
}

TEST_WITH_KERNELS(kernels)
{
    penta_context *ctx = *state;
    HELD_BY(penta_kernel_release) penta_kernel kernel = {0}, again = {0};
    calls c = {.text = ""};

    write_add_kernel();
    penta_context_on_build(ctx, note, &c);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "-DTOLD", &kernel));
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "-DTOLD", &again)); /* of the same program */
    assert_string_equal(c.text, "");
    EXPECT_OK(ctx, penta_kernel_ready(&kernel));
    EXPECT_OK(ctx, penta_kernel_ready(&again));
    assert_string_equal(c.text, "unit/add.cl . ");
    add(ctx, &kernel);
    assert_string_equal(c.text, penta_is_cpu(ctx) ? "unit/add.cl . unit_add . " : "unit/add.cl . ");
    add(ctx, &kernel);
    assert_int_equal(c.built, penta_is_cpu(ctx) ? 2 : 1);
    penta_context_on_build(ctx, NULL, NULL);
    penta_kernel_release(&again);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", "-DUNTOLD", &again));
    EXPECT_OK(ctx, penta_kernel_ready(&again));
    assert_int_equal(c.built, penta_is_cpu(ctx) ? 2 : 1);
}

/* A program that nobody waits for is given up with the context. */
TEST_WITH_KERNELS(unwanted)
{
    penta_context *ctx = NULL;
    penta_kernel kernel = {0};

    write_add_kernel();
    EXPECT_OK(*state, penta_context_create(NULL, &ctx));
    for (int i = 0; i < 8; i++) {
        char defines[32];

        snprintf(defines, sizeof defines, "-DMANY=%d", i);
        EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/add.cl", "unit_add", defines, &kernel));
    }
    penta_context_destroy(ctx);
}

TEST_WITH_KERNELS(failure)
{
    penta_context *ctx = *state;
    penta_kernel kernel = {0};
    calls c = {.text = ""};

    write_kernel("broken.cl", "__kernel void broken(__global int *out) { out[0] = nonsense; }\n");
    penta_context_on_build(ctx, note, &c);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "unit/broken.cl", "broken", "", &kernel));
    assert_int_equal(penta_kernel_ready(&kernel), PENTA_BUILD);
    assert_int_equal(penta_kernel_ready(&kernel), PENTA_BUILD); /* again */
    assert_string_equal(c.text, "unit/broken.cl . unit/broken.cl . ");
    penta_context_on_build(ctx, NULL, NULL);
}

DEVICE_TEST(transforms)
{
    penta_fft_shape shape = {.rank = 1, .nx = 60, .ny = 1, .batch = 1};
    penta_fft *fft = NULL;
    calls c = {.text = ""};

    penta_context_on_build(ctx, note, &c);
    EXPECT_OK(ctx, penta_fft_create(ctx, PENTA_FFT_VKFFT, &shape, &fft));
    assert_string_equal(c.text, "vkfft . ");
    penta_context_on_build(ctx, NULL, NULL);
    penta_fft_destroy(fft);
}

/* A program that is kept is not built. */
static int open_uncached(void **state)
{
    setenv("PENTACL_CACHE", "never", 1);
    return open_device(state);
}

RUN(AS_IT_IS, NULL, open_uncached, close_device);
