/*
 * What the command's time goes to, for the JSON answer: at each moment the process is in one stage, that of its first
 * thread. What other threads do meanwhile, as decoding frames, counts only while the first one waits for it.
 */
#pragma once

#include <jansson.h>

#include <pentacl/context.h>

typedef enum stage { STAGE_START, STAGE_READ, STAGE_COMPUTE, STAGE_PICTURES, STAGE_WRITE, STAGES } stage;

/* The clock starts; by the first thread, which alone is listened to from then on. */
void stages_begin(void);

/* From now on it is this stage. Returns the one before, to go back to. */
stage stages_enter(stage next);

/* Keeps the device's time so far in kernels and transfers; the first call counts, NULL is no device. */
void stages_note_device(penta_context *ctx);

/* Seconds of each stage up to now, and of the device; NULL where no device was noted, or out of memory. */
json_t *stages_json(void);
