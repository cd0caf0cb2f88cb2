#include "stars/numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* A finite number and what follows it; NULL where there is none. Hexadecimal and leading blanks are no numbers here. */
static const char *take_number(const char *text, double *out)
{
    char *end;

    *out = 0;
    if (isspace((unsigned char)*text))
        return NULL;
    *out = strtod(text, &end);
    for (const char *at = text; at < end; at++)
        if (*at == 'x' || *at == 'X')
            return NULL;
    return end > text && isfinite(*out) ? end : NULL;
}

bool stars_numbers(const char *flag, const char *text, const char *what, size_t least, size_t most, double *out,
                   size_t *count, penta_io_error *err)
{
    const char *at = text;

    for (*count = 0; *count < most; at++) {
        at = take_number(at, &out[*count]);
        if (!at)
            break;
        ++*count;
        if (*at == 0 && *count >= least)
            return true;
        if (*at != ',')
            break;
    }
    return penta_io_fail(err, "%s needs %s, not '%s'", flag, what, text);
}

bool stars_number(const char *flag, const char *text, double min, double max, double *out, penta_io_error *err)
{
    const char *end = take_number(text, out);

    if (!end || *end)
        return penta_io_fail(err, "%s needs a number, not '%s'", flag, text);
    if (*out < min || *out > max)
        return penta_io_fail(err, "%s is %.10g; it must be between %.10g and %.10g", flag, *out, min, max);
    return true;
}

bool stars_count(const char *flag, const char *text, double most, size_t *out, penta_io_error *err)
{
    double value;

    if (!stars_number(flag, text, 0, most, &value, err))
        return false;
    *out = (size_t)value;
    return value <= floor(value) || penta_io_fail(err, "%s needs a whole number, not '%s'", flag, text);
}

/* Digits only. */
static const char *take_side(const char *text, size_t most, size_t *side)
{
    const char *at = text;

    for (*side = 0; *at >= '0' && *at <= '9' && *side <= most; at++)
        *side = 10 * *side + (size_t)(*at - '0');
    return at > text && *side >= 1 && *side <= most ? at : NULL;
}

bool stars_size(const char *flag, const char *text, size_t most, size_t *width, size_t *height, penta_io_error *err)
{
    const char *at = take_side(text, most, width);

    if (at && (*at == 'x' || *at == 'X') && (at = take_side(at + 1, most, height)) && *at == 0)
        return true;
    return penta_io_fail(err, "%s needs WIDTHxHEIGHT, such as 1024x768, each from 1 to %zu px, not '%s'", flag, most,
                         text);
}
