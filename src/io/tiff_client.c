/* Shared by reading and writing through libtiff: its messages, and opening. */
#ifdef PENTA_HAVE_TIFF

#include <pentacl/numbers.h>
#include "io/tiff_client.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local io_tiff_said said;

io_tiff_said *io_tiff_text(void)
{
    return &said;
}

void io_tiff_hush(void)
{
    said = (io_tiff_said){0};
}

__attribute__((format(printf, 1, 0))) static void keep_error(const char *format, va_list args)
{
    if (!*said.error)
        penta_vsnprintf(said.error, sizeof said.error, format, args);
}

__attribute__((format(printf, 2, 0))) static void keep_warning(const char *module, const char *format, va_list args)
{
    if (module && (strcmp(module, "JPEGLib") == 0 || strncmp(module, "Fax", 3) == 0))
        said.made_up = true;
    penta_vsnprintf(said.warning, sizeof said.warning, format, args);
}

static int leave_open(thandle_t handle)
{
    (void)handle;
    return 0;
}

/* Before libtiff 4.5 the handlers are global to the process; they store the text for the thread that calls them. */
#if TIFFLIB_VERSION >= 20221213 && !defined(PENTA_TIFF_GLOBAL_HANDLERS)

static int on_error(TIFF *tif, void *user, const char *module, const char *format, va_list args)
{
    (void)tif, (void)user, (void)module;
    keep_error(format, args);
    return 1; /* the global handler, which prints, is not called */
}

static int on_warning(TIFF *tif, void *user, const char *module, const char *format, va_list args)
{
    (void)tif, (void)user;
    keep_warning(module, format, args);
    return 1;
}

TIFF *io_tiff_client(const char *name, const char *mode, void *handle, const io_tiff_calls *calls, tmsize_t limit)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    TIFF *tif;

    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, NULL);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, limit);
    tif = TIFFClientOpenExt(name, mode, (thandle_t)handle, calls->read, calls->write, calls->seek, leave_open,
                            calls->size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tif;
}

#else

static void on_error(thandle_t file, const char *module, const char *format, va_list args)
{
    (void)file, (void)module;
    keep_error(format, args);
}

static void on_warning(thandle_t file, const char *module, const char *format, va_list args)
{
    (void)file;
    keep_warning(module, format, args);
}

static void set_handlers(void)
{
    TIFFSetErrorHandler(NULL);
    TIFFSetWarningHandler(NULL);
    TIFFSetErrorHandlerExt(on_error);
    TIFFSetWarningHandlerExt(on_warning);
}

TIFF *io_tiff_client(const char *name, const char *mode, void *handle, const io_tiff_calls *calls, tmsize_t limit)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)limit;
    pthread_once(&once, set_handlers);
    return TIFFClientOpen(name, mode, (thandle_t)handle, calls->read, calls->write, calls->seek, leave_open,
                          calls->size, NULL, NULL);
}

#endif
#endif
