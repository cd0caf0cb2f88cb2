/* The limits of a device: cl/common/limits.cl timed by its events, launches and transfers by the host's clock. */
#include "math/limits.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 10, LAUNCHES = 501 };

static const char *const copy_name = "penta_copy_bandwidth";
static const size_t most_copied = (size_t)256 << 20, most_sent = (size_t)64 << 20; /* bytes, larger than caches */

/* At most `most` bytes and an eighth of the device's memory, in whole blocks of all work-groups. */
static size_t block_bytes(penta_context *ctx, size_t most)
{
    const penta_device *device = penta_context_device(ctx);
    uint64_t bytes = most;

    bytes = bytes < device->memory / 8 ? bytes : device->memory / 8;
    bytes = bytes < device->max_allocation ? bytes : device->max_allocation;
    return (size_t)(bytes & ~(uint64_t)0xffff);
}

static void keep_best(double amount, double seconds, double *best)
{
    if (seconds > 0 && amount / seconds > *best)
        *best = amount / seconds;
}

/* ---- memory ---- */

static penta_status measure_copy(penta_context *ctx, double *rate)
{
    penta_status status = PENTA_OK;
    penta_kernel kernel = {0};
    penta_buffer from = {0}, to = {0};
    size_t bytes = block_bytes(ctx, most_copied), block = penta_is_cpu(ctx) ? 64 : 16;
    penta_grid grid = penta_grid_groups(penta_grid_1d(bytes / block), 256, 1, 1);

    TRY(penta_kernel_get(ctx, "common/limits.cl", copy_name, "", &kernel));
    TRY(penta_buffer_create(ctx, bytes, &from));
    TRY(penta_buffer_create(ctx, bytes, &to));
    TRY(penta_buffer_zero(&from, 0, bytes));
    TRY(penta_buffer_zero(&to, 0, bytes));
    for (int k = 0; k <= RUNS; k++) {
        double before = penta_profiled_kernel(ctx, copy_name);

        TRY(penta_launch(&kernel, grid, ARGS(&from, &to)));
        TRY(penta_finish(ctx));
        if (k > 0) /* the first may include compilation */
            keep_best(2.0 * (double)bytes, penta_profiled_kernel(ctx, copy_name) - before, rate);
    }
cleanup:
    penta_buffer_release(&from);
    penta_buffer_release(&to);
    penta_kernel_release(&kernel);
    return status;
}

/* ---- transfers ---- */

static penta_status measure_transfer(penta_context *ctx, bool up, double *rate)
{
    penta_status status = PENTA_OK;
    penta_buffer buffer = {0};
    size_t bytes = block_bytes(ctx, most_sent);
    void *host = NULL;

    TRY(penta_host_alloc(ctx, bytes, &host));
    memset(host, 1, bytes);
    TRY(penta_buffer_create(ctx, bytes, &buffer));
    TRY(penta_buffer_zero(&buffer, 0, bytes));
    TRY(penta_finish(ctx));
    for (int k = 0; k < RUNS; k++) {
        double start = penta_clock();

        if (up)
            TRY(penta_buffer_write(&buffer, 0, host, bytes));
        else
            TRY(penta_buffer_read(&buffer, 0, host, bytes));
        TRY(penta_finish(ctx));
        keep_best((double)bytes, penta_clock() - start, rate);
    }
cleanup:
    penta_buffer_release(&buffer);
    penta_host_free(ctx, host);
    return status;
}

/* ---- launches ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static penta_status measure_launch(penta_context *ctx, double *seconds)
{
    penta_status status = PENTA_OK;
    penta_kernel kernel = {0};
    penta_buffer out = {0};
    double taken[LAUNCHES];

    TRY(penta_kernel_get(ctx, "common/limits.cl", "penta_empty", "", &kernel));
    TRY(penta_buffer_create(ctx, sizeof(int), &out));
    for (int k = -1; k < LAUNCHES; k++) {
        double start = penta_clock();

        TRY(penta_launch(&kernel, penta_grid_1d(1), ARGS(0, &out)));
        TRY(penta_finish(ctx));
        if (k >= 0) /* the first may include compilation */
            taken[k] = penta_clock() - start;
    }
    qsort(taken, LAUNCHES, sizeof *taken, by_value);
    *seconds = taken[LAUNCHES / 2];
cleanup:
    penta_buffer_release(&out);
    penta_kernel_release(&kernel);
    return status;
}

penta_status penta_measure_limit(penta_context *ctx, penta_limit limit, double *value)
{
    penta_status status = PENTA_OK;

    *value = 0;
    switch (limit) {
    case PENTA_LIMIT_DOUBLE:
        TRY(penta_require_double(ctx, "the rate of double precision needs"));
        /* fall through */
    case PENTA_LIMIT_SINGLE:
    case PENTA_LIMIT_INT32:
        TRY(penta_multiply_add_rate(ctx, limit, value));
        break;
    case PENTA_LIMIT_COPY:
        TRY(measure_copy(ctx, value));
        break;
    case PENTA_LIMIT_LAUNCH:
        TRY(measure_launch(ctx, value));
        break;
    case PENTA_LIMIT_UPLOAD:
    case PENTA_LIMIT_DOWNLOAD:
        TRY(measure_transfer(ctx, limit == PENTA_LIMIT_UPLOAD, value));
        break;
    default:
        return penta_fail(ctx, PENTA_INVALID, "there is no limit %d", (int)limit);
    }
    if (!(*value > 0))
        status = penta_fail(ctx, PENTA_DEVICE, "the device reports no times of its kernels");
cleanup:
    return status;
}
