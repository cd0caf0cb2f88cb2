/* Pixels that are white in what is written: brighter than that, the division by the background has made them alike. */
#ifndef PENTA_TOOLS_PREPARE_WHITE_H
#define PENTA_TOOLS_PREPARE_WHITE_H

#include "prepare/preparation.h"

/* Of an image of integers, how many pixels have the largest number; 0 of others. */
size_t prepare_count_white(const penta_io_image *image);

/* A warning where that is much of a frame, and --contrast has not asked for it. */
void prepare_note_white(const preparation *p);

#endif
