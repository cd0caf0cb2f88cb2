/* The flags of `penta pca`: their tables, and what the lists and ranges among them say. */
#pragma once

#include <pentacl/pca.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>

enum { PCA_TYPE_AUTO = 0, PCA_TYPE_F32, PCA_TYPE_F64 };

/* As typed. */
typedef struct pca_flags {
    const char *variable, *shape, *axes;     /* how a MATLAB or NPY file is read */
    const char *gdal_drivers;                /* further ones than the usual */
    const char *bands, *drop_bands, *window; /* which part of the cube */
    const char *mask;                        /* file */
    const char *transform, *inverse;         /* files of models; at most one */
    bool raw_values, any_wavelengths, resume;
    bool filter;
    const char *rescale; /* "LO,HI" or "none" */
    int type, format;    /* of what is written: PCA_TYPE_..., IO_CUBE_... */
} pca_flags;

/* Their rows in the help: what is read, and what is written. */
extern const penta_option pca_input_rows[], pca_output_rows[];

/* x, y, width, height of --window, px. */
typedef struct {
    size_t x, y, width, height;
} pca_window;

/* What --rescale says. type: the least integer type that holds both ends where both are integers, else PENTA_F64. */
typedef struct {
    bool on;
    double low, high;
    penta_type type;
} pca_range;

/* These set err and return false for text that says nothing of the kind. */
bool pca_parse_window(const char *text, pca_window *out, penta_io_error *err);
bool pca_parse_shape(const char *text, size_t *rows, size_t *cols, penta_io_error *err); /* ROWSxCOLS */
bool pca_is_axes(const char *text);                                                      /* r, c and b in some order */
bool pca_parse_range(const char *text, pca_range *out, penta_io_error *err);
pca_range pca_range_of(double low, double high);
bool pca_is_none(const char *text); /* --no-data none: no number stands for pixels without data */

/*
 * The bands of --bands without those of --drop-bands, from 0, in the order given; *out to be freed, *n > 0. Either text
 * may be NULL. Lists count from 1, as "1-10,15". Errors: no list, a band twice, one that the file (count bands) lacks,
 * none left.
 */
bool pca_parse_bands(const char *bands, const char *drop, size_t count, size_t **out, size_t *n, penta_io_error *err);
