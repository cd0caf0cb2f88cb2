/* Work that is handed out to members that pack their results: of which pieces they are told that rank 0 has them. */
#include "support/test.h"

#include <stdatomic.h>
#include <time.h>

#include <pentacl/group.h>

enum { MOST = 4, PIECES = 60 };

typedef struct {
    size_t refused_at, given_up_at;            /* a piece whose taking fails; so many are taken when rank 0 gives up */
    atomic_bool came[PIECES], settled[PIECES]; /* to rank 0; the member was told */
    size_t taken, last[MOST];                  /* of a member: the last piece of which it was told, plus one */
} packed_job;

typedef struct {
    packed_job *job;
    size_t rank;
} packer;

static penta_status do_piece(void *member, size_t piece, void **result)
{
    const struct timespec t = {0, 200000 * (long)(1 + piece % 3)};
    size_t *made = malloc(sizeof *made);

    (void)member;
    assert_non_null(made);
    nanosleep(&t, NULL);
    *made = piece;
    *result = made;
    return PENTA_OK;
}

static penta_status pack_piece(void *member, size_t piece, void *result, void **bytes, size_t *size)
{
    (void)member;
    assert_int_equal(*(size_t *)result, piece);
    *bytes = result;
    *size = sizeof piece;
    return PENTA_OK;
}

static penta_status unpack_piece(void *user, size_t piece, const void *bytes, size_t size, void **result)
{
    packed_job *job = user;

    assert_int_equal(size, sizeof piece);
    assert_memory_equal(bytes, &piece, sizeof piece);
    atomic_store(&job->came[piece], true);
    *result = malloc(1);
    return PENTA_OK;
}

static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    packed_job *job = user;

    (void)rank;
    free(result);
    job->taken++;
    return piece == job->refused_at ? PENTA_CANCELLED : PENTA_OK;
}

static void drop_piece(void *user, void *result)
{
    (void)user;
    free(result);
}

static penta_status look(void *user)
{
    const packed_job *job = user;

    return job->taken >= job->given_up_at ? PENTA_CANCELLED : PENTA_OK;
}

static void settle_piece(void *member, size_t piece)
{
    const packer *p = member;
    packed_job *job = p->job;

    assert_true(atomic_load(&job->came[piece]));
    assert_false(atomic_exchange(&job->settled[piece], true));
    assert_true(piece >= job->last[p->rank]); /* in order */
    job->last[p->rank] = piece + 1;
}

static penta_status share(penta_group *group, void *data)
{
    packed_job *job = data;
    packer me = {job, penta_group_rank(group)};
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = PIECES;
    h.member = &me;
    h.user = job;
    h.work = do_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    h.pack = pack_piece;
    h.unpack = unpack_piece;
    h.poll = look;
    h.received = settle_piece;
    return penta_group_hand_out(group, &h);
}

/* What was taken is rank 0's; of what was not a member may keep all or have been told. */
static void expect_owned(const packed_job *job)
{
    for (size_t i = 0; i < job->taken; i++)
        assert_true(atomic_load(&job->settled[i]));
    for (size_t i = 0; i < PIECES; i++)
        assert_true(!atomic_load(&job->settled[i]) || atomic_load(&job->came[i]));
}

TEST(all)
{
    for (size_t size = 1; size <= MOST; size++) {
        packed_job job = {.refused_at = SIZE_MAX, .given_up_at = SIZE_MAX};

        assert_int_equal(penta_group_threads(size, share, &job), PENTA_OK);
        assert_int_equal(job.taken, PIECES);
        expect_owned(&job);
    }
}

TEST(refused)
{
    for (size_t size = 1; size <= MOST; size++) {
        packed_job job = {.refused_at = 20, .given_up_at = SIZE_MAX};

        assert_int_equal(penta_group_threads(size, share, &job), PENTA_CANCELLED);
        assert_int_equal(job.taken, 21);
        expect_owned(&job);
    }
}

/* Rank 0 leaves while results are on their way. */
TEST(given_up)
{
    for (size_t size = 1; size <= MOST; size++) {
        packed_job job = {.refused_at = SIZE_MAX, .given_up_at = 20};
        size_t settled = 0;

        assert_int_equal(penta_group_threads(size, share, &job), PENTA_CANCELLED);
        assert_true(job.taken >= 20 && job.taken < PIECES);
        expect_owned(&job);
        for (size_t i = 0; i < PIECES; i++)
            settled += atomic_load(&job.settled[i]);
        assert_true(settled < PIECES);
    }
}
