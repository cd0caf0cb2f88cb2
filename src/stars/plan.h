/* The plan of `stars` as its own files see it. */
#pragma once

#include "stars/device.h"
#include "stars/pieces.h"

struct penta_stars {
    penta_resources resources;
    penta_context *ctx; /* borrowed, outlives the plan */
    size_t width, height;
    penta_stars_options options;
    stars_psf psf;
    enum penta_stars_engine engine; /* never AUTO */
    bool dbl, on_host;
    stars_device *device[2]; /* for stars at rest, for stars that move; NULL until needed */
};

/* A list in host memory (list_view.c): the caller's, or copies of what is in device memory. */
typedef struct stars_list_view {
    penta_stars_list list;
    void *copies[6];
} stars_list_view;

/* Whether any of its arrays is in device memory. */
bool stars_list_in_device(const penta_stars_list *stars);
/* PENTA_INVALID where the device arrays of a list cannot be used. */
penta_status stars_check_arrays(penta_context *ctx, const penta_stars_list *stars);
/* PENTA_INVALID where a list that only the host reads is not in its memory. */
penta_status stars_need_host(penta_context *ctx, const penta_stars_list *stars);
/* Closed also after a failure. */
penta_status stars_list_open(penta_context *ctx, const penta_stars_list *stars, stars_list_view *out);
void stars_list_close(stars_list_view *view);

/* PENTA_INVALID with the reason where the plan cannot draw this list: its columns, or a star that moves by no number.
 */
penta_status stars_check_list(const penta_stars *plan, const penta_stars_list *stars);

/* PENTA_INVALID where stars with this PSF cannot move: it is not a round Gaussian. */
penta_status stars_check_motion(penta_context *ctx, const penta_stars_options *options);

/* PENTA_UNSUPPORTED: this plan, of the host, draws whole frames only. */
penta_status stars_refuse_rows(const penta_stars *plan);
/* Of so many rows of its frame. */
size_t stars_frame_bytes(const penta_stars *plan, size_t rows);
