/* Inside the slabs: what slab.c, slab_append.c, slab_lend.c, slab_copy.c and slab_close.c share. */
#pragma once

#include "pca/pca.h"
#include "pca/slab_no_data.h"

/* As the kernels have them (cl/pca/slab*). */
enum {
    SLAB_TYPES = PENTA_U32 + 1,
    SLAB_BANDS_EACH = 16, /* bands of a work-item of a GPU form */
    SLAB_BIL_RUN = 2048,  /* pixels of a work-item, about, CPU form */
    SLAB_BIP_TILE = 32,   /* pixels and bands of a group, GPU form */
    SLAB_BIP_ROWS = 8,    /* its work-items: tile x rows */
    SLAB_BIP_BLOCK = 128, /* pixels of a work-item, CPU form */
    SLAB_CELLS = 1024,    /* samples for the shift, at most */
    SLAB_LANES = 64       /* of sums over them */
};

/* Of one element type; compiled when first needed. */
typedef struct slab_kernels {
    penta_kernel bil, bip, differences, inspect, shift, fill;
    penta_kernel inspect_no_data; /* inspect that looks for no-data, too */
} slab_kernels;

struct pca_loader {
    penta_resources resources;
    size_t bands, piece; /* piece: bytes of a staging buffer, at most; more only where one pixel is longer */
    slab_no_data no_data;
    slab_kernels kernels[SLAB_TYPES];
    penta_kernel allow, count;
    penta_buffer staging[2]; /* by turns: one is filled while kernels read the other */
    pca_slab sources[2];     /* by turns, too: pixels whose differences are taken */
    size_t turn, source_turn;
    penta_buffer pick, report;      /* SLAB_CELLS and 2 uint32: slab_flags.cl */
    penta_buffer fence;             /* unused by kernels: reading it waits for earlier transfers */
    penta_buffer rows;              /* the caller's, during a call; or empty */
    bool in_device, mask_in_device; /* the caller's rows, their mask */
};

/* Whether the mask (or NULL) of `count` pixels leaves any out, as far as the host can tell. */
bool slab_has_mask(const pca_loader *loader, const uint8_t *mask, size_t count);
/* Flags of pixels from .. from + count - 1 become 1. Enqueued. */
penta_status slab_allow(pca_loader *loader, pca_slab *slab, size_t from, size_t count);
/* Gets the kernel `name` of slab_`file`.cl for this type, unless it is there. */
penta_status slab_kernel(pca_loader *loader, penta_kernel *kernel, penta_type type, const char *file, const char *name);
/* Writes the first bad number to the report, and the flags of pixels: no_data: 0 for those that have it. Enqueued. */
penta_status slab_inspect(pca_loader *loader, pca_slab *slab, bool no_data);

/* A work-item each; CPU forms. */
static inline penta_grid slab_items(size_t n)
{
    return penta_grid_groups(penta_grid_1d(n), 1, 1, 1);
}

/* Pixels x runs of bands; GPU forms. */
static inline penta_grid slab_grid(size_t pixels, size_t bands)
{
    return penta_grid_rows(penta_grid_2d(pixels, (bands + SLAB_BANDS_EACH - 1) / SLAB_BANDS_EACH));
}
