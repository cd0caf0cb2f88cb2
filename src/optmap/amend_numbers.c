/* Numbers of a recording for those that look for what is spoilt in it. */
#include <math.h>

#include "optmap/amend.h"
#include "optmap/ranks.h"
#include "optmap/survey.h"

void amend_row(const amend_camera *c, size_t n, size_t y, double *out)
{
    const survey s = {.movie = &c->movie};

    survey_lights(&s, n, y * c->width, c->width, out);
}

double amend_spread(const double *x, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(x[i]);
    return optmap_median(scratch, count) / 0.6745;
}
