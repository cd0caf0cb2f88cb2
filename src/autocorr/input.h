/* The frames of a run, in host or in device memory. */
#pragma once

#include "autocorr/engine.h"
#include "autocorr/settings.h"

/* A frame that has been checked. */
typedef struct autocorr_input {
    penta_autocorr_frame frame;  /* all of it in device memory, or none */
    bool on_device;              /* the frame is in device memory */
    autocorr_moments moments[2]; /* of a frame there; without a mask not those of integers */
    size_t nan_pixels;           /* of a frame in host memory */
    void *copies[3];             /* copies in host memory of arrays in device memory */
} autocorr_input;

typedef struct autocorr_scan autocorr_scan; /* the kernels that check frames in device memory */

/* The settings are borrowed. */
penta_status autocorr_scan_create(penta_context *ctx, const autocorr_settings *settings, autocorr_scan **out);
void autocorr_scan_destroy(autocorr_scan *scan); /* NULL is fine */

/* PENTA_INVALID if device arrays cannot be used, or for the reasons of autocorr_frame_check. Must be closed even after
 * a failure. */
penta_status autocorr_input_open(penta_context *ctx, autocorr_scan *scan, const penta_autocorr_frame *frame,
                                 autocorr_input *out);
void autocorr_input_close(autocorr_input *in); /* an empty one is fine */
