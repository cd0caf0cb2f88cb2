/* Frames that ranks share, once they are run and their files are written: as bytes, until they are sent to rank 0. */
#ifndef PENTA_TOOLS_FRAMES_PACKED_H
#define PENTA_TOOLS_FRAMES_PACKED_H

#include "shared/frames_work.h"

/* What a frame has come to, as bytes. */
typedef struct {
    void *files, *result;
    size_t files_size, result_size;
    penta_io_error error; /* of writing */
    bool done;
} packed_frame;

/* Frames from frame w->done on are packed, on every rank; an exit code, the same on all. */
int frames_packed_begin(frames_work *w);

/* Takes a frame of the list once it is finished. */
packed_frame frames_packed_wait(frames_work *w, size_t index);

#endif
