/* The length scale of an image that a program already has in memory. Usage: embed [DEVICE], as in `penta -d`. */
#include <math.h>
#include <stdio.h>

#include <pentacl/pentacl.h>

enum { WIDTH = 256, HEIGHT = 256, WAVES = 64 };

static uint8_t image[HEIGHT * WIDTH]; /* row-major, top row first */

/* Plane waves of one wave number k in all directions: C1D is near J0(k r), whose first maximum lies at 7.0156 / k. */
static double pattern(double k, int x, int y)
{
    double sum = 0;

    for (int w = 0; w < WAVES; w++) {
        double direction = 3.14159265 * w / WAVES, phase = 3.88322208 * w * w; /* as good as random */

        sum += cos(k * (x * cos(direction) + y * sin(direction)) + phase);
    }
    return sum / sqrt(WAVES / 2.0);
}

int main(int argc, char **argv)
{
    penta_context *ctx = NULL;
    penta_autocorr *plan = NULL;
    penta_autocorr_options options;
    penta_autocorr_frame frame = {.image = image};
    penta_autocorr_result result = {0}; /* the arrays are left out: only the peak is wanted */
    int code = 1;

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        image[i] = (uint8_t)fmin(fmax(128 + 36 * pattern(7.0156 / 15, i % WIDTH, i / WIDTH), 0), 255);
    penta_autocorr_options_init(&options);
    options.max_offset = 60; /* px; the rest as it is by default: unbiased, the mean taken off */
    if (penta_context_create(argc > 1 ? argv[1] : NULL, &ctx) != PENTA_OK ||
        penta_autocorr_create(ctx, WIDTH, HEIGHT, PENTA_U8, &options, &plan) != PENTA_OK ||
        penta_autocorr_run(plan, 1, &frame, &result) != PENTA_OK) {
        fprintf(stderr, "embed: %s\n", penta_last_error(ctx)); /* before a context is there: ctx NULL is fine */
    } else {
        printf("%s: R_max = %.2f +- %.2f px (%s)\n", penta_context_device(ctx)->name, result.peak.r_max,
               result.peak.r_max_se, penta_peak_status_name(result.peak.status));
        code = 0;
    }
    penta_autocorr_destroy(plan); /* plans before their context; NULL is fine */
    penta_context_destroy(ctx);
    return code;
}
