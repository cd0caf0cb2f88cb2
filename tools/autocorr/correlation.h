/* State of one run of `penta autocorr`, and its loop over the frames: decoded images in, batches through the plan,
 * files out. */
#ifndef PENTA_TOOLS_AUTOCORR_CORRELATION_H
#define PENTA_TOOLS_AUTOCORR_CORRELATION_H

#include <pentacl/autocorr.h>
#include <pthread.h>

#include "autocorr/pictures.h"
#include "autocorr/prepared.h"
#include "shared/frames.h"
#include "shared/job.h"
#include "shared/progress.h"
#include "shared/series.h"

typedef struct autocorr_flags {
    const char *times, *with, *mask, *recipe;
    double interval;
    int axes; /* enum penta_io_axes */
    bool numerators, keep_going, no_plots;
} autocorr_flags;

/* Everything of one run. */
typedef struct correlation {
    job job;
    autocorr_flags flags;
    penta_autocorr_options options;
    frame_list list;
    series series;
    pictures pictures;
    penta_io_image with, mask; /* data NULL: none */
    uint8_t *mask_bytes;       /* of --mask, 0 and 1 */
    prepared prepared;         /* frames prepared by --recipe */
    penta_autocorr *plan;
    penta_io_image
        first; /* size and type of the frames as they are correlated, data NULL; known when there is a plan */
    size_t max_offset;
    frame_stream *stream;
    double *mean_ratios;  /* penta_autocorr_mean_ratio of each frame of the list; NaN: not correlated */
    pthread_mutex_t lock; /* over what finish jobs share: finish_error, pictures */
    penta_io_error finish_error;
    progress bar;
} correlation;

/* The finish job of the stream; context: the correlation. */
void correlation_finish_frame(frame *f, void *context);

/* Runs the frames of the stream to their end, an error, or Ctrl-C; an exit code. */
int correlation_run(correlation *c);

#endif
