/* Mean traces of small squares of tissue. */
#pragma once

#include "optmap/survey.h"

/* For each of `count` pixels, which are tissue with a mean that is not 0, the mean over such pixels within 2 px of it
 * of F over their mean. out: count x frames. Errors: PENTA_MEMORY, PENTA_CANCELLED. */
penta_status survey_places(survey *s, size_t count, const size_t *pixels, double *out);
