/* Memory that members of a group see of each other (src/core/window.c): threads; processes are in
 * tests/mpi/test_mpi_window.c. */
#include "support/test.h"

#include "core/internal.h"
#include "core/window.h"
#include "support/members.h"

enum { MOST = 4, BYTES = 100000 };

/* Another length and other bytes at each member. */
static size_t bytes_of(size_t rank)
{
    return (rank + 1) * BYTES;
}

static penta_status look_around(penta_group *group, void *data)
{
    penta_status status = PENTA_OK;
    penta_context **contexts = data, *ctx = contexts[penta_group_rank(group)];
    size_t rank = penta_group_rank(group), size = penta_group_size(group);
    penta_window window = {0};

    for (int again = 0; again < 2; again++) {
        TRY(penta_window_open(ctx, group, bytes_of(rank), &window));
        assert_int_equal(penta_is_pinned(ctx, window.own, bytes_of(rank)), !penta_is_cpu(ctx));
        memset(window.own, (int)rank + again, bytes_of(rank));
        TRY(penta_group_agree(group, ctx, PENTA_OK));
        for (size_t other = 0; other < size; other++) {
            assert_true(window.shown[other]);
            assert_int_equal(window.seen[other][0], other + again);
            assert_int_equal(window.seen[other][bytes_of(other) - 1], other + again);
        }
        TRY(penta_group_agree(group, ctx, PENTA_OK));
        if (rank == 0)
            penta_window_close(&window);
        TRY(penta_group_agree(group, ctx, PENTA_OK));
        if (rank > 0) /* it is still there for those who see it */
            assert_int_equal(window.seen[0][bytes_of(0) - 1], again);
        penta_window_close(&window);
        penta_window_close(&window);
        assert_null(window.own);
    }
cleanup:
    penta_window_close(&window);
    return status;
}

TEST_IN(AS_IT_IS, threads)
{
    penta_context **contexts = open_members(*state, MOST);

    for (size_t size = 1; size <= MOST; size++)
        assert_int_equal(penta_group_threads(size, look_around, contexts), PENTA_OK);
    penta_contexts_destroy(contexts, MOST);
}

TEST_IN(AS_GPU, threads_of_gpu)
{
    (void)gpu_of(state);
    test_threads(state);
}

/* Where a member cannot have its memory, all learn it. */
static penta_status ask_too_much(penta_group *group, void *data)
{
    penta_context **contexts = data, *ctx = contexts[penta_group_rank(group)];
    penta_window window = {0};
    size_t bytes = penta_group_rank(group) == 1 ? SIZE_MAX / 2 : BYTES;

    assert_int_equal(penta_window_open(ctx, group, bytes, &window), PENTA_MEMORY);
    assert_null(window.own);
    return PENTA_OK;
}

TEST_IN(AS_IT_IS, too_much)
{
    penta_context **contexts = open_members(*state, MOST);

    assert_int_equal(penta_group_threads(2, ask_too_much, contexts), PENTA_OK);
    penta_contexts_destroy(contexts, MOST);
}

ON_DEVICE;
AS_ON_A_GPU;
