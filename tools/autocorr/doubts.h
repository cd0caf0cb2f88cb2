/* What is doubtful in a series of frames, in notes and warnings. */
#pragma once

#include "autocorr/correlation.h"

/* Of the frames as they were read: pixels left out, means that carry the curve. */
void doubts_note_frames(correlation *c);
/* Of their times, peaks, displacements and growth. */
void doubts_note_series(correlation *c);
