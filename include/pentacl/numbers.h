/* Numbers in text, with a decimal point whatever locale a program or a thread has set (setlocale, uselocale). */
#ifndef PENTACL_NUMBERS_H
#define PENTACL_NUMBERS_H

#include <stdarg.h>
#include <stddef.h>

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

/** The same as strtod in the locale "C". */
PENTA_API double penta_strtod(const char *text, char **end);

/** The same as snprintf and vsnprintf in the locale "C". */
PENTA_API int penta_snprintf(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
PENTA_API int penta_vsnprintf(char *text, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/**
 * For code of others that reads or writes numbers: until penta_c_locale_leave, to which the result belongs, the calling
 * thread is in the locale "C". Other threads keep theirs. Pairs may lie in pairs.
 */
PENTA_API void *penta_c_locale_enter(void);
PENTA_API void penta_c_locale_leave(void *before);

PENTA_END_DECLS
#endif
