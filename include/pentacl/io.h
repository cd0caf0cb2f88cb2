/*
 * libpentacl_io: files to the arrays of libpentacl, and back. Every function that can fail returns false and puts one
 * line into a penta_io_error: file, what, where, what to do.
 */
#ifndef PENTACL_IO_H
#define PENTACL_IO_H

#include <pentacl/io/archive.h>
#include <pentacl/io/array.h>
#include <pentacl/io/bodies.h>
#include <pentacl/io/catalog.h>
#include <pentacl/io/checkpoint.h>
#include <pentacl/io/cube.h>
#include <pentacl/io/cube_rows.h>
#include <pentacl/io/error.h>
#include <pentacl/io/exposure.h>
#include <pentacl/io/formats.h>
#include <pentacl/io/image.h>
#include <pentacl/io/model.h>
#include <pentacl/io/movie.h>
#include <pentacl/io/nbody_tables.h>
#include <pentacl/io/output.h>
#include <pentacl/io/points.h>
#include <pentacl/io/recipe.h>
#include <pentacl/io/run.h>
#include <pentacl/io/shared_file.h>
#include <pentacl/io/table.h>

#endif
