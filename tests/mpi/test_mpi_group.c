/*
 * Groups of MPI's ranks: exchange of messages of any size, slices of a list. mpirun starts it, and
 * every rank runs every test. With PENTA_TEST_DIES=N rank N ends in the middle, which ends all (tests/mpi/dies.sh);
 * with PENTA_TEST_HUGE=1 a message is larger than 2 GiB.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pentacl/mpi.h>

static penta_group *group;

static void nap(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

/* ---- who is there ---- */

static void test_members(void **state)
{
    int rank, size;

    (void)state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    assert_int_equal(penta_group_rank(group), rank);
    assert_int_equal(penta_group_size(group), size);
    assert_string_equal(penta_group_kind(group), "mpi");
    assert_true(strstr(penta_mpi_library(), "MPI") != NULL);
}

/* A part of the ranks is a group, too, beside that of all. */
static void test_part(void **state)
{
    int rank, odd;
    MPI_Comm half;
    penta_group *part = NULL;
    void *all = NULL;
    size_t sizes[64];

    (void)state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
    assert_int_equal(penta_group_mpi(half, &part), PENTA_OK);
    MPI_Comm_free(&half); /* the group has its own */
    assert_int_equal(penta_group_rank(part), rank / 2);
    assert_int_equal(penta_group_gather(part, &rank, sizeof rank, &all, sizes), PENTA_OK);
    for (size_t i = 0; i < penta_group_size(part); i++)
        assert_int_equal(((int *)all)[i], 2 * (int)i + odd);
    free(all);
    penta_group_leave(part);
}

/* The first ranks are a group by the messages of all, while the others go on to what all do. */
static void test_first(void **state)
{
    size_t size = penta_group_size(group), rank = penta_group_rank(group), sizes[64];
    penta_group *first = NULL;
    void *all = NULL;

    (void)state;
    for (size_t count = 1; count <= size; count++) {
        if (rank < count) {
            assert_int_equal(penta_group_first(group, count, &first), PENTA_OK);
            assert_int_equal(penta_group_gather(first, &rank, sizeof rank, &all, sizes), PENTA_OK);
            for (size_t i = 0; i < count; i++)
                assert_int_equal(((size_t *)all)[i], i);
            free(all);
            penta_group_leave(first);
        }
        assert_int_equal(penta_group_gather(group, &rank, sizeof rank, &all, sizes), PENTA_OK);
        free(all);
    }
}

/* ---- messages ---- */

static unsigned char byte_of(size_t seed, size_t i)
{
    return (unsigned char)((seed * 131 + i * 7 + (i >> 8) * 13 + (i >> 16)) & 0xff);
}

static void fill(unsigned char *bytes, size_t n, size_t seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = byte_of(seed, i);
}

static void check(const unsigned char *bytes, size_t n, size_t seed)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != byte_of(seed, i))
            fail_msg("byte %zu of %zu is %u", i, n, bytes[i]);
}

static void broadcast(size_t n)
{
    unsigned char *mine = malloc(n + 1);
    void *got = NULL;
    size_t bytes = 1;

    assert_non_null(mine);
    if (penta_group_rank(group) == 0)
        fill(mine, n, n);
    assert_int_equal(penta_group_broadcast(group, mine, n, &got, &bytes), PENTA_OK);
    assert_int_equal(bytes, n);
    assert_true(n == 0 || got);
    check(got, n, n);
    free(got);
    free(mine);
}

/* Around what goes with the head of a message, and what takes several chunks. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 7, 4095, 4096, 32767, 32768, 32769, 36863, 36864, 36865, 65536, 1000003};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        broadcast(sizes[i]);
}

static void test_huge(void **state)
{
    (void)state;
    if (getenv("PENTA_TEST_HUGE"))
        broadcast(((size_t)1 << 31) + 12345);
}

/* Each rank gives another number of bytes, some none. */
static void test_gather(void **state)
{
    size_t rank = penta_group_rank(group), size = penta_group_size(group), sizes[64];
    unsigned char *mine = malloc(50000 * (size + 1));

    (void)state;
    assert_non_null(mine);
    for (size_t step = 0; step < 50000; step += 9999) {
        unsigned char *all = NULL;
        size_t at = 0;

        fill(mine, rank * step, rank);
        assert_int_equal(penta_group_gather(group, mine, rank * step, (void **)&all, sizes), PENTA_OK);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(sizes[i], i * step);
            check(all + at, sizes[i], i);
            at += sizes[i];
        }
        free(all);
    }
    free(mine);
}

/* ---- slices of a list, and what members tell ---- */

enum { SLICES = 41 };

static size_t size_of(size_t slice)
{
    return slice % 5 == 4 ? 0 : 9000 * (slice % 7) + slice;
}

static void tell(size_t slice)
{
    unsigned char *bytes = malloc(sizeof slice + size_of(slice));

    assert_non_null(bytes);
    memcpy(bytes, &slice, sizeof slice);
    fill(bytes + sizeof slice, size_of(slice), slice);
    assert_int_equal(penta_group_tell(group, 0, bytes, sizeof slice + size_of(slice)), PENTA_OK);
    free(bytes);
}

/* Takes slices until none is left; who is given `last` stops the list. */
static void take_slices(size_t last, bool *given)
{
    size_t slice = 0;

    while (slice < SLICES) {
        assert_int_equal(penta_group_next(group, SLICES, &slice), PENTA_OK);
        if (penta_group_rank(group) == 1)
            nap(3); /* a slow one */
        if (slice < SLICES)
            given[slice] = true;
        if (slice == last)
            assert_int_equal(penta_group_stop(group), PENTA_OK);
        if (penta_group_rank(group) > 0)
            tell(slice);
    }
}

typedef struct {
    size_t last;
    bool given[SLICES + 1];
} own_slices;

static void *take_own(void *argument)
{
    own_slices *own = argument;

    take_slices(own->last, own->given);
    return NULL;
}

/* Until all others have been told that none is left; of each slice once. */
static void hear_others(bool *given)
{
    size_t left = penta_group_size(group) - 1;

    while (left > 0) {
        void *bytes = NULL;
        size_t n, from, slice;
        bool found;

        assert_int_equal(penta_group_hear(group, &bytes, &n, &from, &found), PENTA_OK);
        if (!found)
            continue;
        memcpy(&slice, bytes, sizeof slice);
        assert_int_equal(n, sizeof slice + size_of(slice));
        check((unsigned char *)bytes + sizeof slice, size_of(slice), slice);
        assert_true(slice == SLICES || !given[slice]);
        given[slice] = true;
        left -= slice == SLICES;
        free(bytes);
    }
}

/* Rank 0 hears the others while a thread of it takes slices, too. */
static void share(size_t last)
{
    own_slices own = {.last = last};
    bool given[SLICES + 1] = {false};
    pthread_t thread;
    size_t count = 0;

    if (penta_group_rank(group) > 0) {
        take_slices(last, own.given);
        return;
    }
    assert_int_equal(pthread_create(&thread, NULL, take_own, &own), 0);
    hear_others(given);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < SLICES; i++) {
        assert_false(given[i] && own.given[i]);
        assert_true(given[i] || own.given[i] || i > last);
        count += given[i] || own.given[i];
    }
    assert_true(last < SLICES ? count < SLICES : count == SLICES);
}

static void test_slices(void **state)
{
    (void)state;
    share(SIZE_MAX);
    broadcast(1);
    share(SIZE_MAX);
    broadcast(1);
}

static void test_stopped(void **state)
{
    (void)state;
    share(7);
    broadcast(1);
    share(SIZE_MAX);
    broadcast(1);
}

/* ---- threads ---- */

static void *gather_often(void *argument)
{
    penta_group *own = argument;

    for (size_t i = 0; i < 50; i++) {
        size_t mine = i * 100 + penta_group_rank(own);
        size_t *all = NULL;

        if (penta_group_gather(own, &mine, sizeof mine, (void **)&all, NULL) != PENTA_OK)
            return argument;
        for (size_t k = 0; k < penta_group_size(own); k++)
            if (all[k] != i * 100 + k)
                return argument;
        free(all);
    }
    return NULL;
}

/* A thread works in one group while another one does in a second. */
static void test_two_threads(void **state)
{
    penta_group *second = NULL;
    pthread_t thread;
    void *failed;

    (void)state;
    assert_int_equal(penta_group_mpi(MPI_COMM_WORLD, &second), PENTA_OK);
    assert_int_equal(pthread_create(&thread, NULL, gather_often, second), 0);
    share(SIZE_MAX);
    broadcast(1);
    pthread_join(thread, &failed);
    assert_null(failed);
    penta_group_leave(second);
}

/* ---- waiting ---- */

/* A rank that waits half a second for another takes little of a core meanwhile. */
static void test_waiting(void **state)
{
    struct timespec before, after;
    double used;

    (void)state;
    broadcast(1);
    if (penta_group_rank(group) == 0)
        nap(500);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    broadcast(1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    used = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(used < 0.25);
}

static void die_in_work(const char *who)
{
    if (penta_group_rank(group) == (size_t)atoi(who)) {
        fprintf(stderr, "rank %s dies\n", who);
        raise(SIGKILL);
    }
    share(SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_members),     cmocka_unit_test(test_part),
                                       cmocka_unit_test(test_first),       cmocka_unit_test(test_sizes),
                                       cmocka_unit_test(test_huge),        cmocka_unit_test(test_gather),
                                       cmocka_unit_test(test_slices),      cmocka_unit_test(test_stopped),
                                       cmocka_unit_test(test_two_threads), cmocka_unit_test(test_waiting)};
    int failed;

    if (penta_mpi_world_open(&group) != PENTA_OK) {
        fprintf(stderr, "%s\n", penta_last_error(NULL));
        return 1;
    }
    if (getenv("PENTA_TEST_DIES"))
        die_in_work(getenv("PENTA_TEST_DIES"));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed > 0)
        penta_mpi_world_abort(1); /* others may wait for this one */
    penta_mpi_world_close(group);
    return 0;
}
