/* The covariance of a cube larger than any memory: its rows are made when they are added, and forgotten. They are the
 * same again and again, so what must come out is known. Usage: endless GIGABYTES [DEVICE], as in `penta -d`. */
#define _DEFAULT_SOURCE /* getrusage */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <pentacl/pentacl.h>

enum { BANDS = 224, ROWS = 128, COLS = 512, PIXELS = ROWS * COLS };

static float cube[BANDS][PIXELS];
static double mean[BANDS];

static double noise(unsigned *state) /* -1 .. 1 */
{
    *state = *state * 1664525u + 1013904223u;
    return *state / 2147483648.0 - 1;
}

/* Two spectra in changing shares, and noise. */
static void fill(void)
{
    unsigned state = 1;

    for (int p = 0; p < PIXELS; p++) {
        double first = noise(&state), second = noise(&state);

        for (int b = 0; b < BANDS; b++) {
            cube[b][p] = (float)(100 + 10 * first * sin(0.02 * b) + 5 * second * cos(0.05 * b) + noise(&state));
            mean[b] += cube[b][p] / (double)PIXELS;
        }
    }
}

/* The largest error of the covariance, of every ninth band with every other one, in deviations. */
static double error_of(const penta_pca_model *m, double pixels)
{
    double worst = 0;

    for (int i = 0; i < BANDS; i += 9)
        for (int j = 0; j < BANDS; j++) {
            double sum = 0, size = sqrt(m->covariance[i * BANDS + i] * m->covariance[j * BANDS + j]);
            for (int p = 0; p < PIXELS; p++)
                sum += (cube[i][p] - mean[i]) * (cube[j][p] - mean[j]);
            worst = fmax(worst, fabs(m->covariance[i * BANDS + j] - sum * (pixels / PIXELS) / (pixels - 1)) / size);
        }
    return worst;
}

int main(int argc, char **argv)
{
    const double rounds = ceil(argc > 1 ? atof(argv[1]) * 1e9 / sizeof cube : 0), pixels = rounds * PIXELS;
    const penta_cube_rows rows = {ROWS, COLS, PENTA_BSQ, PENTA_F32, cube, 0, NULL};
    penta_context *ctx = NULL;
    penta_pca *plan = NULL;
    penta_pca_model model = {0};
    struct rusage memory[2] = {0}; /* after the first rows; after the last */
    int ok = rounds > 0 && penta_context_create(argc > 2 ? argv[2] : NULL, &ctx) == PENTA_OK &&
             penta_pca_create(ctx, BANDS, 0, NULL, &plan) == PENTA_OK;

    fill();
    for (double r = 0; ok && r < rounds; r++) {
        ok = penta_pca_add(plan, &rows) == PENTA_OK;
        getrusage(RUSAGE_SELF, &memory[r > 0]);
    }
    ok = ok && penta_pca_solve(plan, &model) == PENTA_OK;
    if (!ok)
        fprintf(stderr, "endless: %s\n", rounds > 0 ? penta_last_error(ctx) : "give GIGABYTES [DEVICE]");
    else
        printf("%.4g GB: the covariance is off by %.2g; memory %ld MB at first, %ld MB at last\n",
               rounds * sizeof cube / 1e9, error_of(&model, pixels), memory[0].ru_maxrss / 1024,
               memory[1].ru_maxrss / 1024);
    penta_pca_model_free(&model);
    penta_pca_destroy(plan);
    penta_context_destroy(ctx);
    return !ok;
}
