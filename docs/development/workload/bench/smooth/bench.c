/* Smoothing a camera frame. */
#include <stdlib.h>

#include <pentacl/smooth.h>

#include "bench.h"

enum { SIDE = 1024 };

typedef struct {
    bench *b;
    penta_smooth *plan;
    float *image, *result;
} job;

static void work(void *data, double *device_seconds)
{
    job *j = data;

    bench_time_kernels(j->b);
    if (penta_smooth_run(j->plan, j->image, j->result) != PENTA_OK)
        bench_fail(j->b, "%s", penta_last_error(bench_context(j->b)));
    *device_seconds = bench_kernel_seconds(j->b);
}

void bench_smooth(bench *b)
{
    job j = {.b = b};
    bench_samples samples;
    double device = 0;

    if (!bench_case(b, "1024x1024-r1", 1, "frame"))
        return;
    j.image = bench_alloc(b, (size_t)SIDE * SIDE, sizeof *j.image);
    j.result = bench_alloc(b, (size_t)SIDE * SIDE, sizeof *j.result);
    j.image[SIDE + 1] = 9;
    if (penta_smooth_create(bench_context(b), SIDE, SIDE, NULL, &j.plan) != PENTA_OK)
        bench_fail(b, "%s", penta_last_error(bench_context(b)));
    work(&j, &device);
    if (!(j.result[0] > 2.2f && j.result[0] < 2.3f)) /* the corner has 4 pixels in its window: 9 / 4 */
        bench_fail(b, "WRONG RESULT: %g", (double)j.result[0]);
    bench_measure(work, &j, &samples);
    bench_row(b, "mean resident", BENCH_OURS, BENCH_DEVICE, &samples);
    bench_row(b, "mean host", BENCH_OURS, BENCH_WALL, &samples);
    penta_smooth_destroy(j.plan);
    free(j.image);
    free(j.result);
}
