/* Masks beside frames: STEM.mask.png, as `penta prepare` writes them, says which pixels of STEM.png (.tif, .npy, ...)
 * count. */
#pragma once

#include "shared/frames.h"

/*
 * The list of frames of the operands. Those called STEM.mask.png are no frames where an operand STEM.* of the same
 * directory is one, but its mask (of every page). Then all frames must have one: an error names the first without.
 */
bool masks_list_frames(char **paths, size_t count, const penta_io_choice *choice, frame_list *out, penta_io_error *err);
