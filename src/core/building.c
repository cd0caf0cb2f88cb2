/* Telling a program that kernels are being compiled. PoCL compiles one at its first launch, too. */
#include <time.h>

#include "core/internal.h"

void penta_context_on_build(penta_context *ctx, penta_build_callback callback, void *user)
{
    ctx->building = (penta_building){.callback = callback, .user = user};
}

void penta_building_begin(penta_context *ctx, const char *what)
{
    penta_building *b = &ctx->building;

    if (b->depth++ == 0 && b->callback)
        b->callback(b->user, what, b->done);
}

void penta_building_end(penta_context *ctx)
{
    penta_building *b = &ctx->building;

    if (--b->depth > 0)
        return;
    b->done++;
    if (b->callback)
        b->callback(b->user, NULL, b->done);
}

bool penta_building_before_launch(penta_kernel *kernel)
{
    penta_context *ctx = kernel->ctx;
    bool first = !kernel->launched && ctx->building.callback && penta_is_cpu(ctx);

    kernel->launched = true;
    if (first)
        penta_settle(ctx); /* so that the launch waits for nothing but its compilation */
    return first;
}

void penta_building_after_launch(penta_kernel *kernel, cl_event event)
{
    const struct timespec pause = {0, 200000};
    penta_context *ctx = kernel->ctx;
    cl_int state = CL_QUEUED;

    clFlush(ctx->queue[PENTA_QUEUE_COMPUTE]);
    penta_building_begin(ctx, kernel->name);
    while (clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL) == CL_SUCCESS &&
           (state == CL_QUEUED || state == CL_SUBMITTED))
        nanosleep(&pause, NULL);
    penta_building_end(ctx);
}
