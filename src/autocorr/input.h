/* The frames of a run, in host or in device memory. */
#ifndef PENTA_AUTOCORR_INPUT_H
#define PENTA_AUTOCORR_INPUT_H

#include "autocorr/engine.h"
#include "autocorr/settings.h"

/* A frame that was looked at. */
typedef struct autocorr_input {
    penta_autocorr_frame frame; /* all of it in device memory, or none */
    bool on_device;             /* it is, and its moments are: */
    autocorr_moments moments[2];
    size_t nan_pixels; /* of a frame in host memory */
    void *copies[3];   /* in host memory, of what is in device memory */
} autocorr_input;

typedef struct autocorr_scan autocorr_scan; /* kernels that look at frames */

/* The settings are borrowed. */
penta_status autocorr_scan_create(penta_context *ctx, const autocorr_settings *settings, autocorr_scan **out);
void autocorr_scan_destroy(autocorr_scan *scan); /* NULL is fine */

/* PENTA_INVALID where device arrays cannot be used, and as autocorr_frame_check. Closed also after a failure. */
penta_status autocorr_input_open(penta_context *ctx, autocorr_scan *scan, const penta_autocorr_frame *frame,
                                 autocorr_input *out);
void autocorr_input_close(autocorr_input *in); /* an empty one is fine */

#endif
