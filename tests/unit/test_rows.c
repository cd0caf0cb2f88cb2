/* Rows of items that members do, which rank 0 takes in order: by threads here, by ranks in tests/cli/test_mpi_*.sh. */
#include "support/test.h"

#include <stdatomic.h>
#include <time.h>

#include "shared/cli.h"
#include "shared/rows.h"

enum { MOST = 4, ITEMS = 60, FIRST = 3 }; /* items FIRST .. FIRST + ITEMS - 1 */

typedef struct {
    size_t slice, fails_at, refused_at, slow; /* items whose work, whose taking fails; a member that is slow */
    size_t window;                            /* items that may be worked on behind those that were taken */
    atomic_size_t now_taken, done, promised, finished, settled;
    size_t taken, by[MOST], dropped;
} rows_job;

static void promise(void *user, size_t member, size_t first, size_t n)
{
    rows_job *job = user;

    (void)member, (void)first;
    atomic_fetch_add(&job->promised, n);
}

static int work(void *user, rows *of, size_t first, size_t n, size_t *failed)
{
    rows_job *job = user;
    const struct timespec nap = {0, rows_member(of) == job->slow ? 20000000 : 300000};

    for (size_t i = first; i < first + n; i++) {
        size_t *row = malloc(sizeof *row);

        assert_true(i <= FIRST + atomic_load(&job->now_taken) + job->window + job->slice);
        nanosleep(&nap, NULL);
        assert_non_null(row);
        *row = i * i;
        atomic_fetch_add(&job->done, 1);
        if (i == job->fails_at || i == job->fails_at + 9) {
            free(row);
            *failed = i;
            cli_fail("test", CLI_ERROR, "item %zu is broken", i);
            return cli_fail("test", CLI_ERROR, "which is said no more");
        }
        rows_put(of, i, row, sizeof *row);
    }
    return CLI_OK;
}

static void finish(void *user, size_t member)
{
    rows_job *job = user;

    (void)member;
    atomic_fetch_add(&job->finished, 1);
}

static void settle(void *user, size_t item, size_t taken)
{
    rows_job *job = user;

    assert_true(item < taken);
    atomic_fetch_add(&job->settled, 1);
}

static bool take(void *user, size_t item, size_t rank, parcel_reader *row)
{
    rows_job *job = user;
    size_t square;

    parcel_get(row, &square, sizeof square);
    assert_true(row->ok && row->left == 0);
    assert_int_equal(item, FIRST + job->taken);
    assert_int_equal(square, item * item);
    job->taken++;
    atomic_store(&job->now_taken, job->taken);
    job->by[rank]++;
    return item != job->refused_at;
}

static void drop(void *user, size_t item, parcel_reader *row)
{
    rows_job *job = user;

    assert_int_equal(*(const size_t *)(const void *)row->at, item * item);
    job->dropped++;
}

static int share(size_t members, rows_job *job, bool reads_ahead)
{
    const rows_task task = {.command = "test",
                            .begin = FIRST,
                            .end = FIRST + ITEMS,
                            .slice = job->slice,
                            .user = job,
                            .promise = reads_ahead ? promise : NULL,
                            .work = work,
                            .finish = finish,
                            .received = settle,
                            .take = take,
                            .drop = drop};
    int code;

    job->window = 4 * members * job->slice;
    code = rows_run_job(members, &task);

    assert_int_equal(atomic_load(&job->finished), members);
    assert_int_equal(atomic_load(&job->settled), job->taken + job->dropped);
    return code;
}

TEST(all)
{
    for (size_t members = 1; members <= MOST; members++)
        for (size_t slice = 1; slice <= 7; slice += 3) {
            rows_job job = {.slice = slice, .fails_at = SIZE_MAX / 2, .refused_at = SIZE_MAX, .slow = 1};

            assert_int_equal(share(members, &job, slice > 1), CLI_OK);
            assert_int_equal(job.taken, ITEMS);
            assert_int_equal(job.dropped, 0);
            assert_int_equal(atomic_load(&job.promised), slice > 1 ? ITEMS : 0);
            if (slice == 1 && members > 1)
                assert_true(job.by[1] > 0 && job.by[1] * members < ITEMS);
        }
}

/* Items before the first that failed are taken, whoever had them, and none after it; its error alone is said. */
TEST(failing)
{
    for (size_t members = 1; members <= MOST; members++)
        for (int ahead = 0; ahead < 2; ahead++) {
            rows_job job = {.slice = 2, .fails_at = FIRST + 13, .refused_at = SIZE_MAX, .slow = SIZE_MAX};

            messages_forget();
            assert_int_equal(share(members, &job, ahead), CLI_ERROR);
            assert_int_equal(job.taken, 13);
            assert_true(atomic_load(&job.done) < ITEMS);
            assert_string_equal(messages_at(MESSAGE_ERROR, 0), "item 16 is broken");
            assert_null(messages_at(MESSAGE_ERROR, 1));
        }
}

TEST(refused)
{
    for (size_t members = 1; members <= MOST; members++) {
        rows_job job = {.slice = 1, .fails_at = SIZE_MAX / 2, .refused_at = FIRST + 5, .slow = SIZE_MAX};

        assert_int_equal(share(members, &job, true), CLI_OK);
        assert_int_equal(job.taken, 6);
        assert_true(atomic_load(&job.done) < ITEMS);
        assert_int_equal(job.taken + job.dropped, atomic_load(&job.done));
    }
}
