/*
 * What the command's time goes to, for the JSON answer: at each moment the process is in one stage, that of its first
 * thread. What other threads do meanwhile, as decoding frames, counts only while the first one waits for it.
 */
#pragma once

#include <stdbool.h>

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

/* The same as a table on stderr, with how long libraries, devices and programs took, for --verbose; before the contexts
 * are destroyed, which hear of no choices any more. Rows that follow are printed one by one. */
void stages_print(const char *command, penta_context *const *contexts, size_t count);
void stages_print_row(const char *what, double seconds, const char *of);
/* Whether it is a choice (penta_context_on_choice) that the table has. */
bool stages_is_start(const char *what);
