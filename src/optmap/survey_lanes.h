/* Traces of up to SURVEY_LANES neighbouring pixels of a row side by side, one a lane, so that loops over them are wide.
 */
#pragma once

#include "optmap/survey.h"

enum { SURVEY_LANES = 32 };

typedef double survey_lanes[SURVEY_LANES]; /* a frame's; lanes behind the row's end are 0 */

/* The pixels of a block: `count` of row y from x on. */
typedef struct {
    size_t x, y, count;
} survey_block;

/* A block's numbers in all frames. */
void survey_lanes_load(const survey *s, survey_numbers *numbers, const survey_block *b, survey_lanes *out);
/* Sums over the frames. */
void survey_lanes_sum(const survey_lanes *v, size_t frames, survey_lanes sum);
/* Removes polynomials up to degree 3 from the traces. */
void survey_lanes_take_cubic(const survey *s, survey_lanes *v);
/* The standard deviations of traces of mean 0, and their autocorrelations at SURVEY_LAG frames (0 of a trace of zeros).
 */
void survey_lanes_spread(const survey_lanes *v, size_t frames, survey_lanes spread, survey_lanes memory);
/*
 * F / mean of a block's pixels minus the median of their 8 neighbours', in all frames; of the pixels whose neighbours
 * are all within the frame.
 */
void survey_lanes_oddness(const survey *s, const survey_block *b, survey_lanes *out);
