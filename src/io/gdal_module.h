/*
 * GDAL's functions, by a table. A shared libpentacl_io does not link GDAL, which brings a hundred libraries with it
 * that take longer to load than most runs take: the table is in a module beside it, which is loaded when it is first
 * needed. A static one holds the table itself. The names in gdal_calls.txt are those of the table's members.
 */
#pragma once

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>

typedef struct {
#define IO_GDAL_CALL(name) __typeof__(name) *name;
#include "io_gdal_calls.def"
#undef IO_GDAL_CALL
} io_gdal_table;

/* The table, where it is linked; otherwise its address is NULL. */
extern const io_gdal_table io_gdal_linked __attribute__((weak, visibility("hidden")));

/* Before GDAL is used: NULL, or why that is not possible. The table is at io_gdal then. */
const char *io_gdal_load(void);
extern const io_gdal_table *io_gdal;
