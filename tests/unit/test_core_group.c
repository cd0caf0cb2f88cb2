/* Groups of threads: exchange, slices of a list. */
#include "support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <pentacl/group.h>

enum { MOST = 5 };

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
    unsigned char mine[9], *all = NULL, *told = NULL;
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
    free(all);
    free(told);
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

/* ---- slices of a list ---- */

enum { SLICES = 60, LISTS = 3 };

typedef struct {
    atomic_size_t given[LISTS][SLICES]; /* how often; to whom, plus one */
    atomic_size_t by[MOST];
    size_t stops_at; /* who is given it stops the list */
    bool slow;       /* rank 1 is */
} list_job;

static void nap(long microseconds)
{
    const struct timespec t = {0, microseconds * 1000};

    nanosleep(&t, NULL);
}

static penta_status take_slices(penta_group *group, void *data)
{
    list_job *job = data;
    size_t rank = penta_group_rank(group), slice, before = 0;
    void *nothing = NULL;

    for (size_t list = 0; list < LISTS; list++, before = 0) {
        for (;;) {
            EXPECT_OK(NULL, penta_group_next(group, SLICES, &slice));
            if (slice == SLICES)
                break;
            assert_true(slice + 1 > before);
            before = slice + 1;
            atomic_fetch_add(&job->given[list][slice], 1);
            atomic_fetch_add(&job->by[rank], 1);
            nap(job->slow && rank == 1 ? 20000 : 200);
            if (slice == job->stops_at)
                EXPECT_OK(NULL, penta_group_stop(group));
        }
        EXPECT_OK(NULL, penta_group_gather(group, NULL, 0, &nothing, NULL));
        EXPECT_OK(NULL, penta_group_stop(group)); /* of no list */
        EXPECT_OK(NULL, penta_group_gather(group, NULL, 0, &nothing, NULL));
    }
    return PENTA_OK;
}

/* Each is given once, in every list; who is slow gets less than the others in their mean. */
TEST(slices)
{
    for (size_t size = 1; size <= MOST; size++) {
        list_job job = {.stops_at = SIZE_MAX, .slow = true};

        EXPECT_OK(NULL, penta_group_threads(size, take_slices, &job));
        for (size_t list = 0; list < LISTS; list++)
            for (size_t i = 0; i < SLICES; i++)
                assert_int_equal(atomic_load(&job.given[list][i]), 1);
        if (size > 1)
            assert_true(atomic_load(&job.by[1]) * size < LISTS * SLICES);
    }
}

/* All before the one that is the last are given, and few after it. */
TEST(stopped_slices)
{
    for (size_t size = 1; size <= MOST; size++) {
        list_job job = {.stops_at = 7};

        EXPECT_OK(NULL, penta_group_threads(size, take_slices, &job));
        for (size_t list = 0; list < LISTS; list++)
            for (size_t i = 0; i < SLICES; i++)
                if (i <= 7 || i == SLICES - 1)
                    assert_int_equal(atomic_load(&job.given[list][i]), i <= 7);
    }
}

static penta_status take_none(penta_group *group, void *data)
{
    size_t slice = 1;

    (void)data;
    EXPECT_OK(NULL, penta_group_next(group, 0, &slice));
    assert_int_equal(slice, 0);
    return PENTA_OK;
}

TEST(no_slices)
{
    EXPECT_OK(NULL, penta_group_threads(3, take_none, NULL));
}

/* ---- what members tell ---- */

static penta_status tell_rank_0(penta_group *group, void *data)
{
    size_t rank = penta_group_rank(group), size = penta_group_size(group), heard[MOST] = {0}, left = 10 * (size - 1);

    (void)data;
    for (size_t i = 0; rank > 0 && i < 10; i++)
        EXPECT_OK(NULL, penta_group_tell(group, 0, &i, i == 0 ? 0 : sizeof i));
    while (rank == 0 && left > 0) {
        void *bytes;
        size_t n, from;
        bool found;

        EXPECT_OK(NULL, penta_group_hear(group, &bytes, &n, &from, &found));
        if (found) {
            assert_int_equal(n, heard[from] == 0 ? 0 : sizeof(size_t));
            assert_true(n == 0 ? !bytes : *(size_t *)bytes == heard[from]);
            heard[from]++;
            left--;
        }
        free(bytes);
    }
    return PENTA_OK;
}

TEST(tell)
{
    for (size_t size = 1; size <= MOST; size++)
        EXPECT_OK(NULL, penta_group_threads(size, tell_rank_0, NULL));
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
    assert_int_equal(penta_group_threads(3, fail_alone, NULL), PENTA_NO_DEVICE);
    expect_text(penta_last_error(NULL), "no such device");
    assert_int_equal(penta_group_threads(0, fail_alone, NULL), PENTA_INVALID);
}
