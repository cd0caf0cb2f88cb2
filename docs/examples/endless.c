/*
 * The covariance of a cube that is larger than any memory: its rows are made when they are added, and forgotten. Four
 * blocks of rows come again and again, so what must come out is known. Usage: endless GIGABYTES [DEVICE], as in
 * `penta -d`.
 */
#define _DEFAULT_SOURCE /* getrusage */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <pentacl/pentacl.h>

enum { BANDS = 224, ROWS = 32, COLS = 512, PIXELS = ROWS * COLS, BLOCKS = 4 };

static float cube[BLOCKS][BANDS][PIXELS];
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

    for (int k = 0; k < BLOCKS; k++)
        for (int p = 0; p < PIXELS; p++) {
            double first = noise(&state), second = noise(&state);

            for (int b = 0; b < BANDS; b++) {
                double x = 100 + 10 * first * sin(0.02 * b) + 5 * second * cos(0.05 * b) + k + noise(&state);

                cube[k][b][p] = (float)x;
                mean[b] += cube[k][b][p] / (double)(BLOCKS * PIXELS);
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

            for (int k = 0; k < BLOCKS; k++)
                for (int p = 0; p < PIXELS; p++)
                    sum += (cube[k][i][p] - mean[i]) * (cube[k][j][p] - mean[j]);
            sum *= pixels / (BLOCKS * PIXELS) / (pixels - 1);
            worst = fmax(worst, fabs(m->covariance[i * BANDS + j] - sum) / size);
        }
    return worst;
}

static long kilobytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv)
{
    const double round = sizeof cube, rounds = ceil(argc > 1 ? atof(argv[1]) * 1e9 / round : 0);
    const double pixels = rounds * BLOCKS * PIXELS;
    penta_context *ctx = NULL;
    penta_pca *plan = NULL;
    penta_pca_model model = {0};
    long begun = 0;
    int ok = rounds > 0 && penta_context_create(argc > 2 ? argv[2] : NULL, &ctx) == PENTA_OK &&
             penta_pca_create(ctx, BANDS, 0, NULL, &plan) == PENTA_OK;

    fill();
    for (double r = 0; ok && r < rounds; r++) {
        for (int k = 0; ok && k < BLOCKS; k++)
            ok =
                penta_pca_add(plan, &(penta_cube_rows){ROWS, COLS, PENTA_BSQ, PENTA_F32, cube[k], 0, NULL}) == PENTA_OK;
        begun = begun ? begun : kilobytes();
    }
    ok = ok && penta_pca_solve(plan, &model) == PENTA_OK;
    if (!ok)
        fprintf(stderr, "endless: %s\n", rounds > 0 ? penta_last_error(ctx) : "give GIGABYTES [DEVICE]");
    else
        printf("%.4g GB, %.4g pixels: the covariance is off by %.2g; memory %ld MB at first, %ld MB at most\n",
               rounds * round / 1e9, pixels, error_of(&model, pixels), begun / 1024, kilobytes() / 1024);
    penta_pca_model_free(&model);
    penta_pca_destroy(plan);
    penta_context_destroy(ctx);
    return !ok;
}
