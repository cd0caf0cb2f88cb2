/* What a user should know of a run that did not fail: a line each on stderr, unless --quiet, and in the list "notes" of
 * --json. */
#ifndef PENTA_TOOLS_STARS_NOTES_H
#define PENTA_TOOLS_STARS_NOTES_H

#include "stars/sequence.h"

void star_note(star_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of the camera: a distortion that folds back, coordinates of a FITS header that are off. Fits those coordinates. */
void star_note_optics(star_run *run);

/* Of a ROI that is too small for the PSF. */
void star_note_lost_light(star_run *run);

/* Of the frames drawn: none of their stars, or stars whose magnitude varies widely. */
void star_note_frames(star_run *run, const star_sequence *sequence);

#endif
