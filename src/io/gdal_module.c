/* Loading the module with GDAL's functions, from the folder of libpentacl_io and from no other. */
#ifdef PENTA_HAVE_GDAL

#define _GNU_SOURCE
#include "io/gdal_module.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

const io_gdal_table *io_gdal;

static char fault[512]; /* why it could not be loaded */

typedef const io_gdal_table *(*module_table)(size_t size);

static void load_module(void)
{
    char path[PATH_MAX];
    const char *slash;
    Dl_info here;
    void *module, *symbol;
    module_table table;

    if (!dladdr((void *)&fault, &here) || !(slash = strrchr(here.dli_fname, '/'))) {
        snprintf(fault, sizeof fault, "the folder of libpentacl_io is not known");
        return;
    }
    snprintf(path, sizeof path, "%.*s/" PENTA_IO_GDAL_FILE, (int)(slash - here.dli_fname), here.dli_fname);
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    symbol = module ? dlsym(module, "penta_io_gdal_module") : NULL;
    if (!symbol) {
        snprintf(fault, sizeof fault, "its module cannot be loaded: %s", dlerror());
        return;
    }
    memcpy(&table, &symbol, sizeof table); /* no cast from an object to a function in C */
    io_gdal = table(sizeof *io_gdal);
    if (!io_gdal)
        snprintf(fault, sizeof fault, "%.400s is of another build", path);
}

static void load(void)
{
    if (&io_gdal_linked)
        io_gdal = &io_gdal_linked;
    else
        load_module();
}

const char *io_gdal_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return io_gdal ? NULL : fault;
}

#endif
