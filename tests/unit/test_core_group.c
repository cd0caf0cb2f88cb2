/* Groups of threads: exchange, ordered sums, work that is handed out. */
#include "support/test.h"

#include <stdatomic.h>
#include <time.h>

#include <pentacl/group.h>

enum { MOST = 5 };
enum { PATIENCE = 60000 }; /* ms, of a member that waits for others */

/* ---- exchange ---- */

static penta_status exchange(penta_group *group, void *data)
{
    size_t rank = penta_group_rank(group), size = penta_group_size(group), sizes[MOST], bytes, at = 0;
    char mine[16], *all = NULL, *told = NULL;
    int *seen = data;

    snprintf(mine, sizeof mine, "%.*s", (int)rank, "abcdefgh"); /* rank letters; none of rank 0 */
    assert_int_equal(penta_group_gather(group, mine, rank, (void **)&all, sizes), PENTA_OK);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(sizes[i], i);
        assert_memory_equal(all + at, "abcdefgh", i);
        at += i;
    }
    assert_int_equal(penta_group_broadcast(group, rank == 0 ? "word" : "other", 5, (void **)&told, &bytes), PENTA_OK);
    assert_int_equal(bytes, 5);
    assert_string_equal(told, "word");
    free(all);
    free(told);
    seen[rank]++;
    return PENTA_OK;
}

TEST(exchange)
{
    for (size_t size = 1; size <= MOST; size++) {
        int seen[MOST] = {0};

        assert_int_equal(penta_group_threads(size, exchange, seen), PENTA_OK);
        for (size_t i = 0; i < MOST; i++)
            assert_int_equal(seen[i], i < size);
    }
}

enum { MANY = 19 }; /* more than a tree of four levels */

/* Of each rank r 3 (r % 4) bytes with its number; told is of all lengths, too. */
static penta_status exchange_among_many(penta_group *group, void *data)
{
    size_t rank = penta_group_rank(group), size = penta_group_size(group), sizes[MANY], bytes, at = 0;
    unsigned char mine[9];
    HELD unsigned char *all = NULL, *told = NULL;
    const size_t *length = data;

    memset(mine, (int)rank + 1, sizeof mine);
    assert_int_equal(penta_group_gather(group, mine, 3 * (rank % 4), (void **)&all, sizes), PENTA_OK);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(sizes[i], 3 * (i % 4));
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(all[at++], i + 1);
    }
    assert_int_equal(at == 0, all == NULL);
    assert_int_equal(
        penta_group_broadcast(group, rank == 0 ? "nineteen" : NULL, rank == 0 ? *length : 77, (void **)&told, &bytes),
        PENTA_OK);
    assert_int_equal(bytes, *length);
    assert_int_equal(bytes == 0, told == NULL);
    if (bytes > 0)
        assert_memory_equal(told, "nineteen", bytes);
    return PENTA_OK;
}

TEST(many)
{
    for (size_t size = 1; size <= MANY; size++)
        for (size_t length = 0; length < 9; length += 4)
            assert_int_equal(penta_group_threads(size, exchange_among_many, &length), PENTA_OK);
}

TEST(alone)
{
    penta_group *group = NULL;
    int seen[1] = {0};

    assert_int_equal(penta_group_alone(&group), PENTA_OK);
    assert_string_equal(penta_group_kind(group), "alone");
    assert_int_equal(exchange(group, seen), PENTA_OK);
    penta_group_leave(group);
    penta_group_leave(NULL);
}

/* The first ones exchange as a smaller group does, and then all do. */
static penta_status exchange_among_first(penta_group *group, void *data)
{
    size_t rank = penta_group_rank(group), size = penta_group_size(group), length = 8;
    penta_group *first = NULL;

    for (size_t count = 1; count <= size; count++) {
        if (rank >= count)
            continue;
        assert_int_equal(penta_group_first(group, count, &first), PENTA_OK);
        assert_int_equal(penta_group_size(first), count);
        assert_int_equal(penta_group_rank(first), rank);
        assert_string_equal(penta_group_kind(first), penta_group_kind(group));
        assert_int_equal(exchange_among_many(first, &length), PENTA_OK);
        penta_group_leave(first);
    }
    assert_int_equal(penta_group_first(group, 0, &first), PENTA_INVALID);
    assert_null(first);
    assert_int_equal(penta_group_first(group, size + 1, &first), PENTA_INVALID);
    assert_int_equal(penta_group_first(group, rank, &first), PENTA_INVALID);
    return exchange_among_many(group, data);
}

TEST(first)
{
    size_t length = 4;

    for (size_t size = 1; size <= MOST; size++)
        assert_int_equal(penta_group_threads(size, exchange_among_first, &length), PENTA_OK);
}

/* From rank a to rank b: a letters, and b more. */
static penta_status exchange_each(penta_group *group, void *data)
{
    static const char letters[] = "abcdefghijkl";
    size_t rank = penta_group_rank(group), size = penta_group_size(group), bytes[MOST], got[MOST];
    const void *to[MOST];
    void *from[MOST];
    int *seen = data;

    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < size; i++) {
            to[i] = letters + (size_t)again;
            bytes[i] = rank + i;
        }
        assert_int_equal(penta_group_exchange(group, to, bytes, from, got), PENTA_OK);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(got[i], rank + i);
            if (got[i] > 0)
                assert_memory_equal(from[i], letters + (size_t)again, got[i]);
            free(from[i]);
        }
    }
    seen[rank]++;
    return PENTA_OK;
}

TEST(exchange_each)
{
    for (size_t size = 1; size <= MOST; size++) {
        int seen[MOST] = {0};

        assert_int_equal(penta_group_threads(size, exchange_each, seen), PENTA_OK);
        for (size_t i = 0; i < MOST; i++)
            assert_int_equal(seen[i], i < size);
    }
}

/* ---- sums ---- */

enum { BLOCKS = 13, NUMBERS = 3 };

typedef struct {
    double held[BLOCKS][NUMBERS], total[MOST][NUMBERS];
    bool reversed; /* the last rank holds the first blocks */
} sum_job;

static penta_status add_blocks(penta_group *group, void *data)
{
    sum_job *job = data;
    size_t rank = penta_group_rank(group), size = penta_group_size(group), first, count;

    penta_group_slice(group, job->reversed ? size - 1 - rank : rank, BLOCKS, &first, &count);
    return penta_group_sum(group, NUMBERS, BLOCKS, first, count, job->held[first], job->total[rank]);
}

/* Numbers whose sum depends on the order. */
TEST(sums)
{
    sum_job job = {.reversed = false};
    double expected[NUMBERS] = {0};
    bool matters = false;

    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t k = 0; k < NUMBERS; k++)
            job.held[b][k] = (b % 2 ? -1 : 1) * (b % 3 == 0 ? 1e16 : 1) / (double)(3 * b + k + 1);
    for (size_t b = 0; b < BLOCKS; b++)
        for (size_t k = 0; k < NUMBERS; k++)
            expected[k] += job.held[b][k];
    for (size_t k = 0; k < NUMBERS; k++) {
        double backwards = 0;

        for (size_t b = BLOCKS; b-- > 0;)
            backwards += job.held[b][k];
        matters = matters || backwards != expected[k];
    }
    assert_true(matters);
    for (size_t size = 1; size <= MOST; size++)
        for (int turned = 0; turned < 2; turned++) {
            job.reversed = turned;
            assert_int_equal(penta_group_threads(size, add_blocks, &job), PENTA_OK);
            for (size_t i = 0; i < size; i++)
                assert_memory_equal(job.total[i], expected, sizeof expected);
        }
}

static penta_status add_wrongly(penta_group *group, void *data)
{
    const double one[2] = {1, 1};
    double total;

    return penta_group_sum(group, 1, 3, *(size_t *)data * penta_group_rank(group), 2, one, &total);
}

TEST(wrong_sums)
{
    size_t step = 0;

    EXPECT_REFUSED(NULL, penta_group_threads(1, add_wrongly, &step), PENTA_INVALID, "nobody holds block 2");
    step = 1;
    EXPECT_REFUSED(NULL, penta_group_threads(2, add_wrongly, &step), PENTA_INVALID,
                   "block 1 of a sum of 3 is held twice");
}

/* ---- work ---- */

typedef struct {
    size_t pieces, fails_at, refused_at; /* pieces: the work fails, the taking does */
    atomic_size_t done[MOST], promised;
    size_t taken, by[MOST], dropped;
    size_t slow;   /* this rank ends a piece only when the others have done all that they may */
    size_t window; /* 0: the default */
    atomic_bool stuck;
} work_job;

typedef struct {
    work_job *job;
    size_t rank;
} worker;

static void nap(long milliseconds)
{
    const struct timespec t = {0, milliseconds * 1000000};

    nanosleep(&t, NULL);
}

static void promise_piece(void *member, size_t piece)
{
    const worker *w = member;

    (void)piece;
    atomic_fetch_add(&w->job->promised, 1);
}

static size_t done_by_all(const work_job *job)
{
    size_t done = 0;

    for (size_t i = 0; i < MOST; i++)
        done += atomic_load(&job->done[i]);
    return done;
}

/* Until all of the window is done but this piece, its first, and another that the slow one may hold. */
static void wait_for_others(work_job *job, size_t piece)
{
    const size_t in_window = piece + job->window, end = in_window < job->pieces ? in_window : job->pieces;

    for (int i = 0; i < PATIENCE && !atomic_load(&job->stuck) && done_by_all(job) + 2 < end; i++)
        nap(1);
    if (done_by_all(job) + 2 < end)
        atomic_store(&job->stuck, true);
}

static penta_status do_piece(void *member, size_t piece, void **result)
{
    const worker *w = member;
    size_t *square = malloc(sizeof *square);

    if (w->rank == w->job->slow)
        wait_for_others(w->job, piece);
    else
        nap(1);
    atomic_fetch_add(&w->job->done[w->rank], 1);
    if (piece == w->job->fails_at) {
        free(square);
        *result = strdup("this piece is broken");
        return PENTA_UNSUPPORTED;
    }
    assert_non_null(square);
    *square = piece * piece;
    *result = square;
    return PENTA_OK;
}

static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    work_job *job = user;

    assert_int_equal(piece, job->taken);
    assert_int_equal(*(size_t *)result, piece * piece);
    free(result);
    job->taken++;
    job->by[rank]++;
    return piece == job->refused_at ? PENTA_INVALID : PENTA_OK;
}

static void drop_piece(void *user, void *result)
{
    ((work_job *)user)->dropped++;
    free(result);
}

static penta_status share_work(penta_group *group, void *data)
{
    work_job *job = data;
    worker me = {job, penta_group_rank(group)};
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = job->pieces;
    h.window = job->window;
    h.member = &me;
    h.user = job;
    h.promise = promise_piece;
    h.work = do_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    return penta_group_hand_out(group, &h);
}

/* Results come in order; who is slow gets less than the others in their mean. */
TEST(work)
{
    for (size_t size = 1; size <= MOST; size++) {
        work_job job = {.pieces = 60,
                        .fails_at = SIZE_MAX,
                        .refused_at = SIZE_MAX,
                        .slow = size > 1 ? 1 : SIZE_MAX,
                        .window = 4 * size};

        assert_int_equal(penta_group_threads(size, share_work, &job), PENTA_OK);
        assert_false(atomic_load(&job.stuck));
        assert_int_equal(job.taken, job.pieces);
        assert_int_equal(done_by_all(&job), job.pieces);
        assert_int_equal(atomic_load(&job.promised), job.pieces);
        for (size_t i = 0; i < MOST; i++)
            assert_int_equal(job.by[i], atomic_load(&job.done[i]));
        if (size > 1)
            assert_true(job.by[1] > 0 && job.by[1] * (size - 1) < job.pieces - job.by[1]);
    }
}

TEST(no_work)
{
    work_job job = {.pieces = 0, .fails_at = SIZE_MAX, .refused_at = SIZE_MAX, .slow = SIZE_MAX};

    assert_int_equal(penta_group_threads(3, share_work, &job), PENTA_OK);
    assert_int_equal(job.taken, 0);
}

/* A hand-out that begins with no memory for its results leaves no message to the next one of its group. */
static penta_status share_twice(penta_group *group, void *data)
{
    work_job *job = data;
    const size_t pieces = job->pieces;
    penta_status status;

    if (penta_group_rank(group) == 0)
        job->pieces = (size_t)1 << 60; /* the count of rank 0 is what counts */
    status = share_work(group, data);
    if (status != PENTA_MEMORY)
        return PENTA_INTERNAL;
    if (penta_group_rank(group) == 0)
        job->pieces = pieces;
    return share_work(group, data);
}

TEST(work_after_a_failure)
{
    for (size_t size = 1; size <= 3; size++) {
        work_job job = {.pieces = 40, .fails_at = SIZE_MAX, .refused_at = SIZE_MAX, .slow = SIZE_MAX};

        EXPECT_OK(NULL, penta_group_threads(size, share_twice, &job));
        assert_int_equal(job.taken, job.pieces);
    }
}

static penta_status share_nothing(penta_group *group, void *data)
{
    penta_hand_out h;

    (void)data;
    penta_hand_out_init(&h);
    h.count = 1;
    return penta_group_hand_out(group, &h);
}

TEST(work_without_functions)
{
    EXPECT_REFUSED(NULL, penta_group_threads(2, share_nothing, NULL), PENTA_INVALID, "functions work and take");
}

/* Pieces before the first failure are taken, whoever had them, and none behind it. */
TEST(failing_work)
{
    for (size_t size = 1; size <= 3; size++) {
        work_job job = {.pieces = 40, .fails_at = 7, .refused_at = SIZE_MAX, .slow = SIZE_MAX};

        EXPECT_REFUSED(NULL, penta_group_threads(size, share_work, &job), PENTA_UNSUPPORTED, "this piece is broken");
        assert_int_equal(job.taken, 7);
        assert_true(done_by_all(&job) < job.pieces);
        assert_int_equal(job.taken + 1 + job.dropped, done_by_all(&job));
    }
    for (size_t size = 1; size <= 3; size++) {
        work_job job = {.pieces = 40, .fails_at = SIZE_MAX, .refused_at = 5, .slow = SIZE_MAX};

        assert_int_equal(penta_group_threads(size, share_work, &job), PENTA_INVALID);
        assert_int_equal(job.taken, 6);
        assert_int_equal(job.taken + job.dropped, done_by_all(&job));
    }
}

/* ---- a member that ends ---- */

static penta_status fail_alone(penta_group *group, void *data)
{
    void *all = NULL;
    penta_context *ctx = NULL;

    (void)data;
    if (penta_group_rank(group) == 1)
        return penta_context_create("no such device", &ctx);
    return penta_group_gather(group, "x", 1, &all, NULL);
}

TEST(member_that_fails)
{
    EXPECT_REFUSED(NULL, penta_group_threads(3, fail_alone, NULL), PENTA_NO_DEVICE, "no such device");
    assert_int_equal(penta_group_threads(0, fail_alone, NULL), PENTA_INVALID);
}
