#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "support/device.h"
#include "support/pairs_run.h"
#include "support/random.h"

enum { N = PAIRS_BODIES, PITCH = PAIRS_PITCH };

static const double eps = 0.05;

penta_status pairs_forces(penta_context *ctx, nbody_share *share, const pairs_job *j, double *out)
{
    nbody_shape shape = {N, PITCH, eps, share};
    nbody_bodies b = {.n = N, .pitch = PITCH};
    penta_buffer acceleration = {0};
    penta_status status = PENTA_OK;
    void *plan = NULL;

    TRY(penta_buffer_create(ctx, PITCH * sizeof(double), &b.mass));
    TRY(penta_buffer_create(ctx, 3 * PITCH * sizeof(double), &b.position));
    TRY(penta_buffer_create(ctx, 3 * PITCH * sizeof(double), &acceleration));
    TRY(nbody_write_numbers(ctx, &b.mass, 0, j->arrays, PITCH));
    TRY(nbody_write_numbers(ctx, &b.position, 0, j->arrays + PITCH, 3 * PITCH));
    TRY(nbody_tiled_create(ctx, &shape, PENTA_NBODY_BEST, &j->form, &plan));
    for (int again = 0; again < 2; again++)
        TRY(nbody_tiled.accelerate(plan, &b, &acceleration));
    TRY(nbody_read_numbers(ctx, &acceleration, 0, out, 3 * PITCH));
cleanup:
    nbody_state_free(plan);
    penta_buffer_release(&b.mass);
    penta_buffer_release(&b.position);
    penta_buffer_release(&acceleration);
    return status;
}

pairs_job pairs_open(void)
{
    pairs_job j = {.form = {.pairs = 1, .group = 32, .bodies = 1, .runs = 2}};

    j.arrays = must_calloc(4 * PITCH, sizeof *j.arrays);
    random_seed(3);
    for (size_t i = 0; i < PITCH; i++) {
        j.arrays[i] = i < N ? (1 + random_uniform()) / N : 0;
        for (size_t k = 1; k < 4; k++)
            j.arrays[k * PITCH + i] = i < N ? random_normal() : j.arrays[k * PITCH];
    }
    return j;
}

void pairs_close(pairs_job *j)
{
    free(j->arrays);
}

void pairs_expect_sums(const pairs_job *j, const double *got)
{
    for (size_t i = 0; i < N; i += 97) {
        long double sum[3] = {0}, size = 0, off = 0;

        for (size_t s = 0; s < N; s++) {
            long double d[3], r2 = (long double)(eps * eps);

            for (size_t k = 0; k < 3; k++) {
                d[k] = (long double)j->arrays[(k + 1) * PITCH + s] - (long double)j->arrays[(k + 1) * PITCH + i];
                r2 += d[k] * d[k];
            }
            for (size_t k = 0; k < 3; k++)
                sum[k] += (long double)j->arrays[s] * d[k] / (r2 * sqrtl(r2));
        }
        for (size_t k = 0; k < 3; k++) {
            size += sum[k] * sum[k];
            off += ((long double)got[k * PITCH + i] - sum[k]) * ((long double)got[k * PITCH + i] - sum[k]);
        }
        assert_true(off < 1e-10L * size); /* 1e-5 */
    }
}
