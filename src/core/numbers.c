/* Reading and writing numbers in the locale "C", of the calling thread only. */
#include <pentacl/numbers.h>

#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

/* Made once, never freed. The usual C libraries answer this call with a static object, so it does not fail there; if
 * one does, threads stay in their own locale. */
static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void *penta_c_locale_enter(void)
{
    pthread_once(&c_locale_once, make_c_locale);
    return (void *)uselocale(c_locale); /* (locale_t)0 changes nothing */
}

void penta_c_locale_leave(void *before)
{
    int kept = errno;

    uselocale((locale_t)before);
    errno = kept;
}

double penta_strtod(const char *text, char **end)
{
    void *before = penta_c_locale_enter();
    double value = strtod(text, end);

    penta_c_locale_leave(before);
    return value;
}

int penta_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
    void *before = penta_c_locale_enter();
    int length = vsnprintf(text, size, format, args);

    penta_c_locale_leave(before);
    return length;
}

int penta_snprintf(char *text, size_t size, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = penta_vsnprintf(text, size, format, args);
    va_end(args);
    return length;
}
