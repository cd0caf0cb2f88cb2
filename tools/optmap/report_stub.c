/* Until pictures and the report are drawn: nothing. */
#include "optmap/report.h"

#define NOTHING __attribute__((weak))

NOTHING bool optmap_draw_activation(const char *path, const optmap_findings *f, io_error *err)
{
    (void)path, (void)f, (void)err;
    return true;
}

NOTHING bool optmap_draw_map(const char *path, const optmap_findings *f, const char *which, io_error *err)
{
    (void)path, (void)f, (void)which, (void)err;
    return true;
}

NOTHING bool optmap_draw_traces(const char *path, const optmap_findings *f, io_error *err)
{
    (void)path, (void)f, (void)err;
    return true;
}

NOTHING bool optmap_draw_movie(const char *path, const optmap_findings *f, io_error *err)
{
    (void)path, (void)f, (void)err;
    return true;
}

NOTHING bool optmap_write_report(const char *path, const optmap_findings *f, io_error *err)
{
    (void)path, (void)f, (void)err;
    return true;
}
