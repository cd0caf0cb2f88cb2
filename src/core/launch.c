/* Launching kernels. */
#include "core/internal.h"

penta_grid penta_grid_1d(size_t x)
{
    return (penta_grid){.dims = 1, .global = {x, 1, 1}};
}

penta_grid penta_grid_2d(size_t x, size_t y)
{
    return (penta_grid){.dims = 2, .global = {x, y, 1}};
}

penta_grid penta_grid_3d(size_t x, size_t y, size_t z)
{
    return (penta_grid){.dims = 3, .global = {x, y, z}};
}

penta_grid penta_grid_groups(penta_grid grid, size_t x, size_t y, size_t z)
{
    const size_t local[3] = {x, y, z};

    for (unsigned i = 0; i < grid.dims; i++) {
        grid.local[i] = local[i];
        grid.global[i] = (grid.global[i] + local[i] - 1) / local[i] * local[i];
    }
    return grid;
}

penta_grid penta_grid_rows(penta_grid grid)
{
    enum { LEAST_GROUP = 32, MOST_GROUP = 256 };
    size_t group = LEAST_GROUP;

    while (group < MOST_GROUP && group < grid.global[0])
        group *= 2;
    return penta_grid_groups(grid, group, 1, 1);
}

penta_local_memory penta_local(size_t bytes)
{
    return (penta_local_memory){bytes};
}

penta_arg penta_arg_buffer(penta_buffer *b)
{
    return (penta_arg){.kind = PENTA_ARG_BUFFER, .buffer = b};
}

penta_arg penta_arg_int(int v)
{
    return (penta_arg){.kind = PENTA_ARG_VALUE, .size = 4, .value.i = v};
}

penta_arg penta_arg_uint(unsigned v)
{
    return (penta_arg){.kind = PENTA_ARG_VALUE, .size = 4, .value.u = v};
}

penta_arg penta_arg_long(long v)
{
    return (penta_arg){.kind = PENTA_ARG_VALUE, .size = 8, .value.l = v};
}

penta_arg penta_arg_ulong(unsigned long v)
{
    return (penta_arg){.kind = PENTA_ARG_VALUE, .size = 8, .value.ul = v};
}

penta_arg penta_arg_float(float v)
{
    return (penta_arg){.kind = PENTA_ARG_VALUE, .size = 4, .value.f = v};
}

penta_arg penta_arg_double(double v)
{
    return (penta_arg){.kind = PENTA_ARG_REAL, .size = 8, .value.d = v};
}

penta_arg penta_arg_local(penta_local_memory v)
{
    return (penta_arg){.kind = PENTA_ARG_LOCAL, .size = v.bytes};
}

static penta_status set_real(penta_kernel *k, cl_uint which, double value)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = k->ctx;
    float single = (float)value;

    if (ctx->info.fp64)
        CL_TRY(clSetKernelArg(k->handle, which, sizeof value, &value));
    else
        CL_TRY(clSetKernelArg(k->handle, which, sizeof single, &single));
cleanup:
    return status;
}

static penta_status set_args(penta_kernel *k, const penta_arg *args, size_t count)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = k->ctx;

    for (size_t i = 0; i < count; i++) {
        const penta_arg *a = &args[i];

        if (a->kind == PENTA_ARG_BUFFER)
            CL_TRY(clSetKernelArg(k->handle, (cl_uint)i, sizeof(cl_mem), &a->buffer->mem));
        else if (a->kind == PENTA_ARG_REAL)
            TRY(set_real(k, (cl_uint)i, a->value.d));
        else
            CL_TRY(clSetKernelArg(k->handle, (cl_uint)i, a->size, a->kind == PENTA_ARG_LOCAL ? NULL : &a->value));
    }
cleanup:
    if (status != PENTA_OK)
        penta_trace(k->name, __FILE__, __LINE__);
    return status;
}

penta_status penta_launch(penta_kernel *kernel, penta_grid grid, const penta_arg *args, size_t count)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = kernel->ctx;
    penta_buffer *buffers[PENTA_MOST_ARGUMENTS] = {NULL};
    cl_event waits[PENTA_MOST_ARGUMENTS], event = NULL;
    size_t used = 0;
    bool builds;
    const size_t offset[3] = {grid.offset, 0, 0};
    cl_uint n;

    TRY(penta_kernel_ready(kernel));
    if (count != kernel->arguments || count > PENTA_MOST_ARGUMENTS)
        return penta_fail(ctx, PENTA_INTERNAL, "the kernel %s takes %u arguments, not %zu", kernel->name,
                          kernel->arguments, count);
    for (size_t i = 0; i < count; i++)
        if (args[i].kind == PENTA_ARG_BUFFER)
            buffers[used++] = args[i].buffer;
    for (unsigned i = 0; i < grid.dims; i++)
        if (grid.global[i] == 0)
            return PENTA_OK;
    if (!kernel->launched)
        penta_program_note_launch(kernel->program, kernel->name);
    builds = penta_building_before_launch(kernel);
    n = penta_order_waits(buffers, used, PENTA_QUEUE_COMPUTE, waits);
    TRY(set_args(kernel, args, count));
    CL_TRY(clEnqueueNDRangeKernel(ctx->queue[PENTA_QUEUE_COMPUTE], kernel->handle, grid.dims,
                                  grid.offset ? offset : NULL, grid.global, grid.local[0] ? grid.local : NULL, n,
                                  n ? waits : NULL, &event));
    if (builds)
        penta_building_after_launch(kernel, event);
    penta_order_note(buffers, used, PENTA_QUEUE_COMPUTE, event);
    TRY(penta_profile_add(ctx, kernel->name, false, 0, NULL, event));
cleanup:
    if (status != PENTA_OK)
        penta_trace(kernel->name, __FILE__, __LINE__);
    return status;
}
