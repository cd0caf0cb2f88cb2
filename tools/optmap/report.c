#include "optmap/report.h"
bool optmap_write_report(const char *path, const optmap_findings *f, io_error *err)
{
    (void)path, (void)f, (void)err;
    return true;
}
