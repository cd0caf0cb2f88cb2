/*
 * What a watched series carries over restarts, in DIR/.prepare: state.json (version, recipe, input size and type, files
 * done with their times, penta_prepare_state's numbers), key.npy, last.npy, illumination.npy. Written after each batch
 * whose files are out, state.json last, so that a crash in between loses at most that batch.
 */
#ifndef PENTA_TOOLS_PREPARE_STATE_H
#define PENTA_TOOLS_PREPARE_STATE_H

#include <jansson.h>
#include <pentacl/prepare.h>

#include "io/error.h"
#include "io/image.h"

typedef struct watch_state {
    json_t *recipe; /* of the first run: another one is refused */
    json_t *files;  /* [{file, time, status}], in the order of the series; time: s since the epoch, of the file */
    io_image like;  /* size, channels and type of the frames, no data */
    penta_prepare_state series;
} watch_state;

/* *found false: there is none. Untrusted: sizes are checked against one another. */
bool watch_state_read(const char *directory, bool *found, watch_state *out, io_error *err);
bool watch_state_write(const char *directory, const watch_state *state, io_error *err);
void watch_state_free(watch_state *state);

#endif
