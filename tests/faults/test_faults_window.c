/*
 * Faults of OpenCL while two members open memory that they see of each other, and copy the other's to the device: all
 * end, with an error or with the right bytes, and do so right afterwards.
 */
#include "faults/sweep.h"

#include <pentacl/group_transport.h>

#include "core/window.h"
#include "support/device.h"

enum { MEMBERS = 2, BYTES = 70000 };

typedef struct {
    penta_context *contexts[MEMBERS];
    penta_window windows[MEMBERS];
    penta_buffer buffers[MEMBERS];
    char got[MEMBERS][BYTES]; /* of the other's memory */
} team;

static penta_context *second; /* the other one's */

static penta_status copy(penta_context *ctx, const char *seen, char *to, penta_buffer *buffer)
{
    penta_status status = PENTA_OK;

    TRY(penta_buffer_create(ctx, BYTES, buffer));
    TRY(penta_buffer_write_async(buffer, 0, seen, BYTES));
    TRY(penta_buffer_read(buffer, 0, to, BYTES));
cleanup:
    return status;
}

/* One after the other, so that the fault that comes first is the one that is told. */
static penta_status copy_other(penta_group *group, team *t)
{
    penta_status status = PENTA_OK;
    size_t rank = penta_group_rank(group);
    penta_context *ctx = t->contexts[rank];
    penta_window *window = &t->windows[rank];
    penta_buffer *buffer = &t->buffers[rank];

    TRY(penta_window_open(ctx, group, BYTES, window));
    memset(window->own, 5 + (int)rank, BYTES);
    TRY(penta_group_agree(group, ctx, PENTA_OK));
    for (size_t turn = 0; turn < MEMBERS; turn++)
        TRY(penta_group_agree(group, ctx,
                              turn == rank ? copy(ctx, window->seen[1 - rank], t->got[rank], buffer) : PENTA_OK));
cleanup:
    return status;
}

static penta_status run_member(penta_group *group, void *data)
{
    team *t = data;
    penta_context *ctx = t->contexts[penta_group_rank(group)];
    penta_status status = copy_other(group, t);

    return status == PENTA_OK ? status : penta_group_fail(status, penta_last_error(ctx));
}

static void close_all(team *t)
{
    for (size_t m = 0; m < MEMBERS; m++) {
        penta_settle(t->contexts[m]);
        penta_buffer_release(&t->buffers[m]);
        penta_window_close(&t->windows[m]);
    }
}

static void expect_bytes(const team *t)
{
    for (size_t m = 0; m < MEMBERS; m++)
        for (size_t i = 0; i < BYTES; i++)
            assert_int_equal(t->got[m][i], 6 - m);
}

static penta_status attempt_window(trial *t)
{
    static team m;
    penta_status status;

    m = (team){.contexts = {t->ctx, second}};
    begin_faults(t);
    status = penta_group_threads(MEMBERS, run_member, &m);
    end_faults(t, NULL, status);
    faults_forget_transfers();
    faults_disarm();
    close_all(&m);
    if (status != PENTA_OK)
        assert_int_equal(penta_group_threads(MEMBERS, run_member, &m), PENTA_OK);
    expect_bytes(&m);
    close_all(&m);
    settle(second);
    return status;
}

TEST_WITH(no_faults, NULL, window)
{
    const job j = {.name = "memory that two members see, as GPUs",
                   .attempt = attempt_window,
                   .least = 4,
                   .as_gpu = true,
                   .on_device = true};

    EXPECT_OK(NULL, penta_context_create(NULL, &second));
    second->info.type = PENTA_DEVICE_GPU;
    sweep(&j);
    penta_context_destroy(second);
}
