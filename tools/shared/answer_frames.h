/* The frames of a series in the JSON answer. */
#pragma once

#include <jansson.h>

#include "shared/frames.h"

/*
 * The array "frames" of the answer: what `describe` says of each frame of the list, in order, without those for which
 * it gives NULL, as they have not run. Each file becomes an input with the frames that it holds: "ok"; "error" where
 * one could not be used; else "interrupted" or "not_run" where one has not run.
 */
json_t *answer_frames(const frame_list *list, json_t *(*describe)(const void *run, size_t i), const void *run);
