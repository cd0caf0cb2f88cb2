/* Memory and kernels of slabs, pixels in device memory. slab_append.c fills, slab_lend.c lends, slab_close.c closes. */
#include <stdio.h>

#include "pca/forms.h"
#include "pca/slab.h"

/* Bytes. A slab counts as if its elements were doubles, so that its pixels do not depend on the type. */
#define GPU_SLAB  ((uint64_t)512 << 20)
#define CPU_SLAB  ((uint64_t)128 << 20)
#define GPU_PIECE ((uint64_t)64 << 20) /* of staging: some ms of transfer while kernels run */
#define CPU_PIECE ((uint64_t)8 << 20)  /* near the caches */

enum {
    MEMORY_SHARE = 8,      /* a slab takes at most 1/8 of the device's memory, */
    PIECE_SHARE = 64,      /* a staging buffer 1/64 */
    MOST_PIXELS = 1 << 20, /* sums of 2^20 products of 16-bit numbers are exact in double */
    MOST_ELEMENTS = INT32_MAX
};

/* ---- kernels ---- */

penta_status slab_kernel(pca_loader *loader, penta_kernel *kernel, penta_type type, const char *file, const char *name)
{
    static const char *const types[SLAB_TYPES][2] = {[PENTA_U8] = {"uchar", "char"},
                                                     [PENTA_U16] = {"ushort", "short"},
                                                     [PENTA_I16] = {"short", "short"},
                                                     [PENTA_U32] = {"uint", "int"},
                                                     [PENTA_I32] = {"int", "int"},
                                                     [PENTA_I64] = {"long", "long"},
                                                     [PENTA_F32] = {"float", "int -DTYPE_REAL"},
                                                     [PENTA_F64] = {"double", "long -DTYPE_REAL"}};
    bool bits = type == PENTA_F64 && !penta_context_device(loader->resources.ctx)->fp64;
    char defines[96], path[64];

    if (kernel->handle)
        return PENTA_OK;
    snprintf(path, sizeof path, "pca/slab_%s.cl", file);
    snprintf(defines, sizeof defines, "-DTYPE=%s -DMASK=%s -DKIND=%d -DNO_DATA=%d", bits ? "ulong" : types[type][0],
             types[type][1], pca_cl_kind(type),
             kernel == &loader->kernels[type].inspect_no_data ? slab_no_data_in(&loader->no_data, type).kind : 0);
    return penta_kernel_get(&loader->resources, path, name, defines, kernel);
}

/* ---- loaders ---- */

static size_t piece_bytes(const penta_context *ctx)
{
    uint64_t most = penta_is_cpu(ctx) ? CPU_PIECE : GPU_PIECE, share = penta_context_device(ctx)->memory / PIECE_SHARE;

    return (size_t)(share < most ? share : most);
}

penta_status pca_loader_create(penta_context *ctx, size_t bands, const char *no_data, pca_loader **out)
{
    static const uint32_t zero[2];
    penta_status status = PENTA_OK;
    pca_loader *l = NULL;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &l));
    l->bands = bands;
    l->piece = piece_bytes(ctx);
    for (int i = 0; i < 2; i++)
        TRY(penta_own_struct(&l->resources, &l->sources[i], pca_slab_release));
    TRY(penta_own_struct(&l->resources, &l->rows, penta_buffer_release));
    TRY(slab_no_data_parse(ctx, no_data, &l->no_data));
    TRY(penta_kernels_get(&l->resources, "pca/slab_flags.cl", "",
                          KERNELS({&l->allow, "pca_slab_allow"}, {&l->count, "pca_slab_count"})));
    TRY(penta_buffer_create(&l->resources, SLAB_CELLS * sizeof(uint32_t), &l->pick));
    TRY(penta_buffer_create(&l->resources, 2 * sizeof(uint32_t), &l->report));
    TRY(penta_buffer_upload(&l->resources, zero, sizeof zero, &l->fence));
    *out = l;
    l = NULL;
cleanup:
    pca_loader_destroy(l);
    return status;
}

void pca_loader_destroy(pca_loader *loader)
{
    penta_plan_free(loader);
}

bool pca_loaders_agree(const pca_loader *a, const pca_loader *b)
{
    return slab_no_data_equal(&a->no_data, &b->no_data);
}

/* ---- slabs ---- */

size_t pca_slab_capacity(penta_context *ctx, size_t bands, size_t pixels, const char **why)
{
    const penta_device *d = penta_context_device(ctx);
    uint64_t most = penta_is_cpu(ctx) ? CPU_SLAB : GPU_SLAB, share = d->memory / MEMORY_SHARE;
    size_t capacity = MOST_PIXELS, expected = pixels < MOST_PIXELS ? pca_padded(pixels) : MOST_PIXELS;
    bool short_of = share < most || d->max_allocation < most;
    const char *unused, **reason = why ? why : &unused;

    *reason = "sums over more pixels would not be exact";
    most = share < most ? share : most;
    most = d->max_allocation < most ? d->max_allocation : most;
    if (capacity > most / sizeof(double) / bands)
        *reason = short_of            ? "larger ones would take too much of the device's memory"
                  : penta_is_cpu(ctx) ? "they are to take at most 128 MiB on a CPU"
                                      : "they are to take at most 512 MiB on a GPU";
    while (capacity > PCA_UNIT && capacity > most / sizeof(double) / bands)
        capacity /= 2;
    if (pixels && expected < capacity)
        *reason = "no more pixels are expected";
    return pixels && expected < capacity ? expected : capacity;
}

penta_status pca_slab_create(penta_context *ctx, size_t bands, size_t pitch, penta_type type, pca_slab *out)
{
    penta_status status = PENTA_OK;
    pca_slab made = {.ctx = ctx, .bands = bands, .pitch = pitch, .type = type};
    size_t bytes;

    *out = (pca_slab){0};
    if (!penta_type_size(type) || type == PENTA_I64)
        return penta_fail(ctx, PENTA_INVALID, "pixels of type %s are not taken", penta_type_name(type));
    if (bands == 0 || pitch == 0 || pitch % PCA_UNIT || pitch > MOST_ELEMENTS / bands)
        return penta_fail(ctx, PENTA_INTERNAL, "a slab of %zu bands and %zu pixels", bands, pitch);
    TRY(penta_size(ctx, bands, pitch, penta_type_size(type), &bytes));
    TRY(penta_buffer_create(ctx, bytes, &made.data));
    TRY(penta_buffer_create(ctx, pitch, &made.flags));
    TRY(penta_buffer_create(ctx, bands * sizeof(double), &made.shift));
    penta_buffer_put_in_line(&made.shift);
    *out = made;
    made = (pca_slab){0};
cleanup:
    pca_slab_release(&made);
    return status;
}

void pca_slab_release(pca_slab *slab)
{
    penta_buffer_release(&slab->data);
    penta_buffer_release(&slab->own);
    penta_buffer_release(&slab->flags);
    penta_buffer_release(&slab->shift);
    *slab = (pca_slab){0};
}
