/* What a user should know about a run that succeeded: lines on stderr, unless --quiet, and the list "notes" of --json.
 */
#pragma once

#include "stars/sequence.h"

/* Notes a distortion that folds back, and a FITS header whose coordinates are off. Fits those coordinates. */
void stars_note_optics(stars_run *run);

/* Note an epoch that moves nothing, or from a year that is assumed; a background as bright as numbers go. */
void stars_note_epoch(stars_run *run);
void stars_note_background(stars_run *run);

/* Warns of a ROI that is too small for the PSF, and of a PSF that is too narrow for pixel centres. */
void stars_note_plan(stars_run *run);

/* Notes frames without stars, and stars whose magnitude varies widely. */
void stars_note_frames(stars_run *run, const stars_sequence *sequence);
