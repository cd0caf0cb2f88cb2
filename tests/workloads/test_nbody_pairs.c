/* Forces of which each pair is computed once (src/nbody/tiled_pairs.c, tiled_tree.c): the same bits for any number of
 * members and for any memory that holds a part, and the sums of long double. */
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
#include "nbody/tiled.h"
#include "support/device.h"
#include "support/expect.h"
#include "support/random.h"

enum { MOST = 5, N = 2100, PITCH = (N + NBODY_PITCH - 1) / NBODY_PITCH * NBODY_PITCH };

static const double eps = 0.05;

/* ---- the tree over parts ---- */

static penta_status count_merges(void *data, size_t first, size_t second)
{
    size_t *merges = data;

    assert_int_equal(second, first + 1);
    (*merges)++;
    return PENTA_OK;
}

/* However parts come, branches are as large as they can be, and few. */
static void test_branches(void **state)
{
    (void)state;
    for (size_t begin = 0; begin < NBODY_PAIRS_PARTS; begin += 1 + begin / 64)
        for (size_t end = begin + 1; end <= NBODY_PAIRS_PARTS; end += 1 + end / 64)
            for (size_t most = 1; most <= NBODY_PAIRS_PARTS; most *= 4) {
                nbody_branches b = {.count = 0};
                size_t merges = 0, added = 0, at = begin;

                for (size_t size; at < end; at += size, added++) {
                    size = nbody_branch_size(at, end, most);
                    nbody_branches_add(&b, at, size, count_merges, &merges);
                    assert_true(b.count < NBODY_PAIRS_BRANCHES);
                }
                assert_int_equal(added - merges, b.count);
                at = begin;
                for (size_t k = 0; k < b.count; at += b.of[k++].size) {
                    assert_int_equal(b.of[k].begin, at);
                    assert_int_equal(b.of[k].size, nbody_branch_size(at, end, NBODY_PAIRS_PARTS));
                }
                assert_int_equal(at, end);
            }
}

/* ---- forces ---- */

typedef struct {
    penta_context **contexts;
    nbody_tiled_form form;
    double *arrays;  /* PITCH x 4: masses, x, y, z */
    double *results; /* of each member PITCH x 3 */
} job;

static penta_status forces(penta_context *ctx, nbody_share *share, const job *j, double *out)
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

static penta_status member(penta_group *group, void *data)
{
    const job *j = data;
    size_t rank = penta_group_rank(group);
    penta_context *ctx = j->contexts[rank];
    nbody_share share = {.ctx = ctx, .group = group, .rank = rank, .size = penta_group_size(group)};
    penta_status status = forces(ctx, &share, j, j->results + rank * 3 * PITCH);

    if (status != PENTA_OK)
        print_error("member %zu: %s\n", rank, penta_last_error(ctx));
    nbody_share_release(&share);
    return status;
}

static job open_job(penta_context *like)
{
    const char *one = getenv("PENTACL_DEVICE");
    char list[MOST * 64];
    size_t count = 0;
    job j = {.form = {.pairs = 1, .group = 32, .bodies = 1, .runs = 2}};

    one = one && *one ? one : "0";
    snprintf(list, sizeof list, "%.60s,%.60s,%.60s,%.60s,%.60s", one, one, one, one, one);
    assert_int_equal(penta_contexts_create(list, &j.contexts, &count), PENTA_OK);
    assert_int_equal(count, MOST);
    for (size_t i = 0; i < count; i++)
        j.contexts[i]->info.type = like->info.type;
    j.arrays = must_calloc(4 * PITCH, sizeof *j.arrays);
    j.results = must_calloc(MOST * 3 * PITCH, sizeof *j.results);
    random_seed(3);
    for (size_t i = 0; i < PITCH; i++) {
        j.arrays[i] = i < N ? (1 + random_uniform()) / N : 0;
        for (size_t k = 1; k < 4; k++)
            j.arrays[k * PITCH + i] = i < N ? random_normal() : j.arrays[k * PITCH];
    }
    return j;
}

static void close_job(job *j)
{
    penta_contexts_destroy(j->contexts, MOST);
    free(j->arrays);
    free(j->results);
}

static void expect_sums(const job *j, const double *got)
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

/* memory: bytes for partial sums, of which a part of the blocks takes some 110 KB; 1: one run of offsets at a time. */
static void expect_members(penta_context *like, size_t memory, double *alone)
{
    job j = open_job(like);

    j.form.memory = memory;
    EXPECT_OK(j.contexts[0], forces(j.contexts[0], NULL, &j, alone));
    expect_sums(&j, alone);
    for (size_t members = 1; members <= MOST; members++) {
        memset(j.results, 0, MOST * 3 * PITCH * sizeof *j.results);
        assert_int_equal(penta_group_threads(members, member, &j), PENTA_OK);
        for (size_t i = 0; i < members; i++)
            assert_memory_equal(j.results + i * 3 * PITCH, alone, 3 * PITCH * sizeof *alone);
    }
    close_job(&j);
}

static void test_members(void **state)
{
    penta_context *ctx = gpu_of(state);
    double *all = must_calloc(3 * PITCH, sizeof *all), *some = must_calloc(3 * PITCH, sizeof *some);

    expect_members(ctx, 0, all);
    expect_members(ctx, 500000, some); /* a few parts at a time */
    assert_memory_equal(all, some, 3 * PITCH * sizeof *all);
    expect_members(ctx, 1, some);
    free(all);
    free(some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_branches), cmocka_unit_test(test_members)};
    const struct CMUnitTest gpu_form[] = {cmocka_unit_test(test_members)};
    int failed = cmocka_run_group_tests_name("device", tests, open_device, close_device);

    return failed + cmocka_run_group_tests_name("forms for GPUs", gpu_form, open_gpu_form, close_device);
}
