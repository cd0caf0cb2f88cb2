/* Forces of which each pair is computed once (src/nbody/tiled_pairs.c, tiled_tree.c): the same bits for any number of
 * members and for any memory that holds a part, and the sums of long double. */
#include "support/test.h"

#include "core/internal.h"
#include "support/members.h"
#include "support/pairs_run.h"

enum { MOST = 5, PITCH = PAIRS_PITCH };

/* ---- the tree over parts ---- */

static penta_status count_merges(void *data, size_t first, size_t second)
{
    size_t *merges = data;

    assert_int_equal(second, first + 1);
    (*merges)++;
    return PENTA_OK;
}

/* However parts come, branches are as large as they can be, and few. */
TEST_IN(AS_IT_IS, branches)
{
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
    pairs_job what;
    double *results; /* of each member PITCH x 3 */
} job;

static penta_status member(penta_group *group, void *data)
{
    const job *j = data;
    size_t rank = penta_group_rank(group);
    penta_context *ctx = j->contexts[rank];
    HELD_BY(nbody_share_release)
    nbody_share share = {.ctx = ctx,
                         .group = group,
                         .rank = rank,
                         .size = penta_group_size(group),
                         .memory = nbody_memory_of(NULL, ctx)};
    penta_status status = pairs_forces(ctx, &share, &j->what, j->results + rank * 3 * PITCH);

    if (status != PENTA_OK)
        print_error("member %zu: %s\n", rank, penta_last_error(ctx));
    return status;
}

static job open_job(penta_context *like)
{
    job j = {.contexts = open_members(like, MOST), .what = pairs_open()};

    j.results = must_calloc(MOST * 3 * PITCH, sizeof *j.results);
    return j;
}

static void close_job(job *j)
{
    penta_contexts_destroy(j->contexts, MOST);
    pairs_close(&j->what);
    free(j->results);
}

/* memory: bytes for partial sums, of which a part of the blocks takes some 110 KB; 1: one run of offsets at a time. */
static void expect_members(penta_context *like, size_t memory, double *alone)
{
    HELD_BY(close_job) job j = open_job(like);

    j.what.form.memory = memory;
    EXPECT_OK(j.contexts[0], pairs_forces(j.contexts[0], NULL, &j.what, alone));
    pairs_expect_sums(&j.what, alone);
    for (size_t members = 1; members <= MOST; members++) {
        memset(j.results, 0, MOST * 3 * PITCH * sizeof *j.results);
        assert_int_equal(penta_group_threads(members, member, &j), PENTA_OK);
        for (size_t i = 0; i < members; i++)
            assert_memory_equal(j.results + i * 3 * PITCH, alone, 3 * PITCH * sizeof *alone);
    }
}

TEST(members)
{
    penta_context *ctx = gpu_of(state);
    HELD double *all = must_calloc(3 * PITCH, sizeof *all), *some = must_calloc(3 * PITCH, sizeof *some);

    expect_members(ctx, 0, all);
    expect_members(ctx, 500000, some); /* a few parts at a time */
    assert_memory_equal(all, some, 3 * PITCH * sizeof *all);
    expect_members(ctx, 1, some);
}

ON_DEVICE;
AS_ON_A_GPU;
