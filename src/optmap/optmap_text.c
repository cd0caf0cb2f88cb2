/* Options whose values are text. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "optmap/optmap.h"

/* Digits only: strtoull would take signs and spaces. */
static bool parse_frame(const char *text, char **end, uintmax_t *out)
{
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoumax(text, end, 10);
    return errno == 0;
}

penta_status optmap_parse_baseline(penta_context *ctx, const char *text, size_t frames, int *begin, int *end)
{
    uintmax_t a, b;
    char *next;

    *begin = 0;
    *end = (int)frames;
    if (!text)
        return PENTA_OK;
    if (!parse_frame(text, &next, &a) || *next != ':' || !parse_frame(next + 1, &next, &b) || *next)
        return penta_fail(ctx, PENTA_INVALID, "--baseline needs frames A:B, not '%s'", text);
    if (a >= b)
        return penta_fail(ctx, PENTA_INVALID, "--baseline %s has no frame: it ends before frame B", text);
    if (b > frames)
        return penta_fail(ctx, PENTA_INVALID, "--baseline %s goes beyond the movie's %zu frames", text, frames);
    *begin = (int)a;
    *end = (int)b;
    return PENTA_OK;
}

penta_status optmap_parse_min_value(penta_context *ctx, const char *text, double *out)
{
    char *end;

    *out = -INFINITY;
    if (!text)
        return PENTA_OK;
    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out))
        return penta_fail(ctx, PENTA_INVALID, "--min-value needs a number, not '%s'", text);
    return PENTA_OK;
}
