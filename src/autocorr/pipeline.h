/*
 * The device side of a plan for one kind of input: with or without a second image, with or without masks. A pipeline
 * has two slots, so that the frames of one are uploaded while those of the other are computed.
 */
#pragma once

#include "autocorr/engine.h"
#include "autocorr/input.h"
#include "autocorr/settings.h"

enum { PIPELINE_SLOTS = 2 };

typedef struct autocorr_pipeline autocorr_pipeline;

penta_status autocorr_pipeline_create(penta_context *ctx, const autocorr_settings *settings, bool cross, bool masked,
                                      autocorr_pipeline **out);
void autocorr_pipeline_destroy(autocorr_pipeline *p); /* NULL is fine */
size_t autocorr_pipeline_batch(const autocorr_pipeline *p);

/* Uploads n <= batch frames into a slot, or uses them in place until they are collected, and enqueues everything that
 * leads to C2D and C1D. Only a pipeline with masks takes frames with NaN. */
penta_status autocorr_pipeline_start(autocorr_pipeline *p, size_t slot, size_t n, const autocorr_input *inputs);
/* Waits for the slot and fills the results of the same n frames, but for the standard errors and doubts of their peaks,
 * which helper threads may find until the next collect or finish. */
penta_status autocorr_pipeline_collect(autocorr_pipeline *p, size_t slot, size_t n, penta_autocorr_result *results);
/* After a failure: returns the frames and results to the caller. */
void autocorr_pipeline_abandon(autocorr_pipeline *p);
/* After the last collect of a run: the rest of the results, and whether rounded FFT results were near integers. Waits
 * for the device. */
penta_status autocorr_pipeline_finish(autocorr_pipeline *p);
