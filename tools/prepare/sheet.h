/* The contact sheet: some frames before (above) and after (below, with the mask in red), side by side. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include <pentacl/io/image.h>

enum { SHEET_FRAMES = 8, SHEET_SIDE = 240 /* px, of the longer side of a picture */ };

typedef struct sheet_cell {
    char *label;                /* NULL: the cell is empty */
    size_t width[2], height[2]; /* before, after */
    uint8_t *before, *after;    /* height x width x 3: red, green, blue */
} sheet_cell;

typedef struct sheet {
    size_t frames; /* in the series: SHEET_FRAMES of them are kept, evenly spread, the first and the last among them */
    sheet_cell cells[SHEET_FRAMES];
    pthread_mutex_t lock;
} sheet;

void sheet_open(sheet *s, size_t frames);
void sheet_close(sheet *s); /* a zeroed one is fine */

/* Whether frame `number` is one of those. */
bool sheet_wants(const sheet *s, size_t number);

/* The cell of frame `number` where it is one of those, else an empty one: means over blocks of pixels; levels stretched
 * from the 1st to the 99th percentile of each picture. False: out of memory. */
bool sheet_make(const sheet *s, size_t number, const char *label, const penta_io_image *before,
                const penta_io_image *after, const uint8_t *mask, sheet_cell *out);
/* Takes the cell over, and leaves it empty. Thread-safe. */
void sheet_put(sheet *s, size_t number, sheet_cell *cell);
void sheet_free_cell(sheet_cell *cell); /* an empty one is fine */

/* Both. */
bool sheet_keep(sheet *s, size_t number, const char *label, const penta_io_image *before, const penta_io_image *after,
                const uint8_t *mask);

/* The title of a picture: its file name without the folder. Returns true if it was too long and its middle is left
 * out (...). */
enum { SHEET_TITLE = 128 /* bytes */ };
bool sheet_title(const char *name, char out[SHEET_TITLE]);

/* Writes the frames that were kept; no file if there are none. */
bool sheet_write(const sheet *s, const char *path, penta_io_error *err);
