/* The table of GDAL's functions: of the module, and of libpentacl_io where that is static. */
#include "io/gdal_module.h"

const io_gdal_table io_gdal_linked = {
#define IO_GDAL_CALL(name) name,
#include "io_gdal_calls.def"
#undef IO_GDAL_CALL
};

__attribute__((visibility("default"))) const io_gdal_table *penta_io_gdal_module(size_t size);

/* NULL: the caller's table is of another build. */
const io_gdal_table *penta_io_gdal_module(size_t size)
{
    return size == sizeof io_gdal_linked ? &io_gdal_linked : NULL;
}
