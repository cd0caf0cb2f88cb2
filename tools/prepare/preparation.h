/* State of one run of `penta prepare`. */
#pragma once

#include "shared/frames_work.h"
#include <pentacl/io/archive.h>
#include <pentacl/io/recipe.h>
#include "shared/prepare_members.h"
#include "prepare/sheet.h"

typedef struct prepare_flags {
    const char *recipe, *watch, *page, *channel, *hdu;
    double interval;    /* s between frames, for the growth; 0: by the files' times */
    double watch_every; /* s between looks */
    double watch_idle;  /* s without a new frame after which watching ends; 0: never */
    bool print_recipe, keep_going, no_sheet, overwrite, resume;
} prepare_flags;
extern const penta_option prepare_flag_table[];

/* Which pages of the files are frames. */
static inline penta_io_choice prepare_choice(const prepare_flags *f)
{
    return (penta_io_choice){.page = f->page, .channel = f->channel, .hdu = f->hdu};
}

/* Of one frame. */
typedef struct prepare_result {
    penta_prepare_result r; /* image and mask are its own; NULL on rank 0 where another rank wrote them */
    sheet_cell cell;        /* once it is written, and until it is in the sheet */
    uint64_t white;         /* pixels, once it is written */
} prepare_result;

/* Everything of one run. */
typedef struct preparation {
    job job;
    prepare_flags flags;
    penta_io_recipe recipe;
    frame_list list;
    penta_io_drift_row *rows; /* one a frame of the list */
    size_t *white;            /* of each, the pixels that are white where it is written */
    penta_prepare *plan;      /* of the first member; NULL: none yet */
    prepare_members members;
    penta_io_image first; /* size, channels and type of the frames, data NULL; known when there is a plan */
    sheet sheet;
    frames_work work;
    char kept[64]; /* what the state of a watched series is renamed to; empty: there is none */
} preparation;
