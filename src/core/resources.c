/* Resources that a plan owns: one list, released together in reverse order of creation. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

/* One owned thing. `at` is the address of the variable that holds it; release leaves the variable empty. */
struct penta_resource {
    void *at;
    void (*release)(penta_context *ctx, const penta_resource *resource);
    void (*destroy)(void *object); /* of sub-plans and parts */
};

static void *pointer_at(const penta_resource *r)
{
    void *pointer;

    memcpy(&pointer, r->at, sizeof pointer);
    memset(r->at, 0, sizeof pointer);
    return pointer;
}

static void release_buffer(penta_context *ctx, const penta_resource *r)
{
    (void)ctx;
    penta_buffer_release(r->at);
}

static void release_kernel(penta_context *ctx, const penta_resource *r)
{
    (void)ctx;
    penta_kernel_release(r->at);
}

static void release_array(penta_context *ctx, const penta_resource *r)
{
    (void)ctx;
    free(pointer_at(r));
}

static void release_pinned(penta_context *ctx, const penta_resource *r)
{
    penta_host_free(ctx, pointer_at(r));
}

static void release_object(penta_context *ctx, const penta_resource *r)
{
    void *object = pointer_at(r);

    (void)ctx;
    if (object)
        r->destroy(object);
}

static void release_part(penta_context *ctx, const penta_resource *r)
{
    (void)ctx;
    r->destroy(r->at);
}

/* The entry of this kind registered at this address, or NULL. A struct and its first member share an address. */
static penta_resource *entry_at(penta_resources *r, const penta_resource *made)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->list[i].at == made->at && r->list[i].release == made->release)
            return &r->list[i];
    return NULL;
}

static penta_status make_room(penta_resources *r)
{
    enum { FIRST_ROOM = 16 };
    size_t room = r->room ? 2 * r->room : FIRST_ROOM;
    penta_resource *list;

    if (r->count < r->room)
        return PENTA_OK;
    list = realloc(r->list, room * sizeof *list);
    if (!list)
        return penta_fail(r->ctx, PENTA_MEMORY, "out of host memory for a list of %zu resources", room);
    r->list = list;
    r->room = room;
    return PENTA_OK;
}

/* Registers a variable that is about to be filled. It is empty, so releasing it does nothing; what it held before is
 * released. */
static penta_status claim(penta_resources *r, penta_resource place, size_t bytes)
{
    penta_resource *known = entry_at(r, &place);

    if (known)
        known->release(r->ctx, known);
    memset(place.at, 0, bytes);
    if (known)
        return PENTA_OK;
    if (make_room(r) != PENTA_OK)
        return PENTA_MEMORY;
    r->list[r->count++] = place;
    return PENTA_OK;
}

penta_status penta_resources_calloc(penta_resources *owner, size_t count, size_t size, void *out)
{
    penta_status status = PENTA_OK;
    void *memory;

    TRY(claim(owner, (penta_resource){.at = out, .release = release_array}, sizeof memory));
    memory = calloc(count ? count : 1, size ? size : 1);
    memcpy(out, &memory, sizeof memory);
    if (!memory)
        return penta_fail(owner->ctx, PENTA_MEMORY, "out of host memory for %zu x %zu bytes", count, size);
cleanup:
    return status;
}

penta_status penta_resources_pinned(penta_resources *owner, size_t bytes, void *out)
{
    penta_status status = PENTA_OK;
    void *memory;

    TRY(claim(owner, (penta_resource){.at = out, .release = release_pinned}, sizeof memory));
    TRY(penta_host_alloc(owner->ctx, bytes, &memory));
    memcpy(out, &memory, sizeof memory);
cleanup:
    return status;
}

penta_status penta_resources_buffer(penta_resources *owner, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    TRY(claim(owner, (penta_resource){.at = out, .release = release_buffer}, sizeof *out));
    TRY(penta_buffer_create(owner->ctx, bytes, out));
cleanup:
    return status;
}

penta_status penta_resources_upload(penta_resources *owner, const void *data, size_t bytes, penta_buffer *out)
{
    penta_status status = PENTA_OK;

    TRY(penta_resources_buffer(owner, bytes, out));
    TRY(penta_buffer_write(out, 0, data, bytes));
cleanup:
    return status;
}

penta_status penta_upload_reals(penta_resources *owner, const double *data, size_t count, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    float *singles = NULL;

    if (penta_context_device(owner->ctx)->fp64)
        return penta_resources_upload(owner, data, count * sizeof *data, out);
    TRY(penta_calloc(owner->ctx, count, sizeof *singles, &singles));
    for (size_t i = 0; i < count; i++)
        singles[i] = (float)data[i];
    TRY(penta_resources_upload(owner, singles, count * sizeof *singles, out));
cleanup:
    free(singles);
    return status;
}

penta_status penta_read_reals(penta_buffer *buffer, double *out, size_t count)
{
    penta_status status = PENTA_OK;
    float *singles = NULL;

    if (penta_context_device(buffer->ctx)->fp64)
        return penta_buffer_read(buffer, 0, out, count * sizeof *out);
    TRY(penta_calloc(buffer->ctx, count, sizeof *singles, &singles));
    TRY(penta_buffer_read(buffer, 0, singles, count * sizeof *singles));
    for (size_t i = 0; i < count; i++)
        out[i] = (double)singles[i];
cleanup:
    free(singles);
    return status;
}

penta_status penta_resources_kernel(penta_resources *owner, const char *file, const char *name, const char *defines,
                                    penta_kernel *out)
{
    penta_status status = PENTA_OK;

    TRY(claim(owner, (penta_resource){.at = out, .release = release_kernel}, sizeof *out));
    TRY(penta_kernel_get(owner->ctx, file, name, defines, out));
cleanup:
    return status;
}

penta_status penta_kernels_get(penta_resources *owner, const char *file, const char *defines,
                               const penta_kernel_name *names, size_t count)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < count; i++)
        TRY(penta_resources_kernel(owner, file, names[i].name, defines, names[i].kernel));
cleanup:
    return status;
}

/* For what exists already: releases it at once if the list cannot grow. */
static penta_status own(penta_resources *owner, penta_resource made)
{
    penta_resource *known = entry_at(owner, &made);

    if (known) {
        *known = made;
        return PENTA_OK;
    }
    if (make_room(owner) != PENTA_OK) {
        made.release(owner->ctx, &made);
        return PENTA_MEMORY;
    }
    owner->list[owner->count++] = made;
    return PENTA_OK;
}

penta_status penta_resources_own_object(penta_resources *owner, void *at, void (*destroy)(void *object))
{
    return own(owner, (penta_resource){.at = at, .release = release_object, .destroy = destroy});
}

penta_status penta_resources_own_struct(penta_resources *owner, void *part, void (*release)(void *part))
{
    return own(owner, (penta_resource){.at = part, .release = release_part, .destroy = release});
}

void penta_resources_release(penta_resources *r)
{
    while (r->count > 0) {
        penta_resource last = r->list[--r->count];

        last.release(r->ctx, &last);
    }
    free(r->list);
    *r = (penta_resources){.ctx = r->ctx};
}

penta_status penta_plan_make(penta_context *ctx, size_t size, size_t resources, void *out)
{
    char *plan = calloc(1, size);

    memcpy(out, &plan, sizeof plan);
    if (!plan)
        return penta_fail(ctx, PENTA_MEMORY, "out of host memory for a plan of %zu bytes", size);
    ((penta_resources *)(void *)(plan + resources))->ctx = ctx;
    return PENTA_OK;
}

void penta_plan_unmake(void *plan, size_t resources)
{
    if (plan)
        penta_resources_release((penta_resources *)(void *)((char *)plan + resources));
    free(plan);
}
