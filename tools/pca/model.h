/*
 * model.json: what makes components of bands and bands of components, always that of the components beside it. Numbers
 * have 17 digits and read back bit for bit.
 */
#ifndef PENTA_TOOLS_PCA_MODEL_H
#define PENTA_TOOLS_PCA_MODEL_H

#include <pentacl/pca.h>

#include <pentacl/io/error.h>

typedef struct cube_model {
    penta_pca_model m; /* covariance: NULL in one that was read */
    bool is_read;      /* arrays of m are of cube_model_read, not the library's */
    size_t file_bands; /* of the scene that the model was made of */
    size_t *selection; /* m.bands of them, from 0: which bands of a file the model is for; NULL: all */
    size_t *bad_bands; /* bad_count of them, from 0: that were left out since the header calls them bad */
    size_t bad_count;
    double *wavelengths;   /* m.bands, nm; or NULL */
    bool raw_values;       /* the model is of elements as files store them */
    double *gain, *offset; /* m.bands each: the model is of (gain * element + offset) / factor; NULL: of elements */
    double factor;         /* 0 stands for 1 */
    bool rescale;          /* components were written from [least, largest] to [low, high] */
    double low, high;
    double *least, *largest; /* m.components each, or NULL */
    char no_data[32];        /* what stands for pixels left out in the components: "nan" or a number; "": nothing */
    char cov[24], precision[24];
    double orthogonality, residual;
    double *residuals; /* of each of the m.components, of which `residual` is the largest; NULL: not known */
} cube_model;

/* Fails, too, for numbers that are not finite; orthogonality and residual may be. */
bool cube_model_write(const char *path, const cube_model *model, penta_io_error *err);

/* On failure *out is empty: no such file, no JSON, another version, numbers that are missing, not finite, or contradict
 * one another. */
bool cube_model_read(const char *path, cube_model *out, penta_io_error *err);

/* Whether its parts agree: maps with loadings and each other, ranges, bands. Of cube_model_read. */
bool cube_model_check(const char *path, const cube_model *model, penta_io_error *err);

/* Keeps the first k <= m.components of a model that was read: what it says of itself is what it would have said, had it
 * been made with so few, to the bit. residual stays where residuals are not known: a bound then. */
void cube_model_shorten(cube_model *model, size_t k);

/* The largest of the residuals, NaN if one of them is. */
double cube_model_worst(const cube_model *model);

void cube_model_free(cube_model *model); /* empties it; an empty one is fine */

#endif
