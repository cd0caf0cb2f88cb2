/* The cards of a FITS header: finding one and reading its value. cfitsio separates values from comments. */
#ifdef PENTA_HAVE_FITS

#include <pentacl/numbers.h>
#include "io/fits_hdu.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *locale; /* saved locale of the thread that holds the lock */

/* Takes the lock and switches to the locale "C": in a locale with a decimal comma cfitsio 4.2 writes -3.33333E-06 as
 * -3,3E-06. */
void io_fits_lock(void)
{
    pthread_mutex_lock(&lock);
    locale = penta_c_locale_enter();
}

void io_fits_unlock(void)
{
    fits_clear_errmsg();
    penta_c_locale_leave(locale);
    pthread_mutex_unlock(&lock);
}

bool io_fits_hdu_fail(const io_fits_hdu *hdu, penta_io_error *err, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    if (penta_vsnprintf(text, sizeof text, format, args) < 0)
        *text = 0;
    va_end(args);
    return penta_io_fail(err, "%s: HDU %zu: %s", hdu->in->path, hdu->number - 1, text);
}

/* Whether the name, without trailing blanks, is `key`, where # stands for one or more digits. */
static bool is_named(const char *name, const char *key)
{
    const char *end = name + 8;

    for (; *key; key++) {
        if (name == end || (*key == '#' ? !isdigit((unsigned char)*name) : *key != *name))
            return false;
        name++;
        while (*key == '#' && name < end && isdigit((unsigned char)*name))
            name++;
    }
    return name == end || *name == ' ';
}

static const char *find_card(const io_fits_hdu *hdu, const char *key)
{
    for (size_t i = 0; i < hdu->count; i++)
        if (is_named(hdu->cards + i * IO_FITS_CARD, key))
            return hdu->cards + i * IO_FITS_CARD;
    return NULL;
}

bool io_fits_has(const io_fits_hdu *hdu, const char *key)
{
    return find_card(hdu, key) != NULL;
}

/* Finds the text of a value, empty if there is no card or no value. False: it cannot be separated from its comment. */
static bool find_value(const io_fits_hdu *hdu, const char *key, char value[FLEN_VALUE])
{
    const char *at = find_card(hdu, key);
    char card[FLEN_CARD] = "";
    int status = 0;

    *value = 0;
    if (!at)
        return true;
    memcpy(card, at, IO_FITS_CARD);
    io_fits_lock();
    fits_parse_value(card, value, NULL, &status);
    io_fits_unlock();
    return status == 0;
}

bool io_fits_number(const io_fits_hdu *hdu, const char *key, double *out, bool *there, penta_io_error *err)
{
    char text[FLEN_VALUE];
    char *end = text;
    double value;

    if (there)
        *there = false;
    if (find_value(hdu, key, text) && !*text)
        return true;
    for (char *at = text; *at; at++)
        if (*at == 'D' || *at == 'd') /* Fortran's exponents */
            *at = 'E';
    value = penta_strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return io_fits_hdu_fail(hdu, err, "%s in its header is not a finite number; correct that card", key);
    *out = value;
    if (there)
        *there = true;
    return true;
}

bool io_fits_integer(const io_fits_hdu *hdu, const char *key, int64_t *out, bool *there, penta_io_error *err)
{
    char text[FLEN_VALUE];
    char *end = text;
    long long value;

    if (there)
        *there = false;
    if (find_value(hdu, key, text) && !*text)
        return true;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || *end || errno == ERANGE)
        return io_fits_hdu_fail(hdu, err, "%s in its header is not an integer; correct that card", key);
    *out = value;
    if (there)
        *there = true;
    return true;
}

bool io_fits_text(const io_fits_hdu *hdu, const char *key, char out[FLEN_VALUE], penta_io_error *err)
{
    char text[FLEN_VALUE];
    size_t n = 0;

    if (!find_value(hdu, key, text) || (*text && *text != '\''))
        return io_fits_hdu_fail(hdu, err, "%s in its header is not a text; correct that card", key);
    for (const char *at = text + (*text != 0); *at; at++) {
        if (*at == '\'' && *++at != '\'') /* a quote in a string is doubled */
            break;
        out[n++] = *at;
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    return true;
}

#endif
