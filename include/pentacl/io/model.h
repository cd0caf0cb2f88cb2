/*
 * model.json: what makes components of bands and bands of components. Numbers have 17 digits and read back bit for bit.
 */
#ifndef PENTACL_IO_MODEL_H
#define PENTACL_IO_MODEL_H

#include <pentacl/pca.h>

#include <pentacl/io/cube.h>

PENTA_BEGIN_DECLS

/* A model of penta_pca_solve, and what a file says of the cube it was made of. Arrays are malloc'ed. */
typedef struct penta_io_model {
    penta_pca_model m; /* covariance: NULL in one that was read */
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
} penta_io_model;

/**
 * Writes the model whole or not at all. Numbers that are not finite are an error, but in orthogonality, residual and
 * residuals.
 */
PENTA_API bool penta_io_model_write(const char *path, const penta_io_model *model, penta_io_error *err);

/**
 * Reads a model that penta_io_model_write or `penta pca` wrote. On failure *out is empty: no such file, no JSON,
 * another version, numbers that are missing, not finite, or contradict one another (maps that do not follow from the
 * loadings or do not take each other back, deviations below what the components explain, bands twice).
 */
PENTA_API bool penta_io_model_read(const char *path, penta_io_model *out, penta_io_error *err);

/**
 * Keeps the first k of the components, 1 <= k <= m.components: what the model says of itself is what it would have
 * said, had it been made with so few, to the bit. Where residuals are not known, residual stays and is a bound.
 */
PENTA_API void penta_io_model_shorten(penta_io_model *model, size_t k);

/** The largest of the residuals, NaN if one of them is, or if they are not known. */
PENTA_API double penta_io_model_worst(const penta_io_model *model);

/* ---- models and cubes ---- */

/** The bands of a cube that hold data: neither bad by its header nor alpha. bands: room for about->bands numbers from
 * 0, or NULL. Returns how many there are. */
PENTA_API size_t penta_io_cube_data_bands(const penta_io_cube_info *about, size_t *bands);

/**
 * The bands of another scene that a model takes: those of its own scene where this one has as many, all where it has as
 * many as the model, or else those that hold data. *bands: m.bands numbers from 0, malloc'ed; NULL on failure, where
 * none of the three fits.
 */
PENTA_API bool penta_io_model_choose_bands(const penta_io_model *model, const penta_io_cube_info *about, size_t **bands,
                                           penta_io_error *err);

/** Of the selected bands: numbers are gain * element + offset (bands each, malloc'ed; both NULL: numbers are elements),
 * for penta_pca_scale_bands and penta_pca_affine. */
PENTA_API bool penta_io_cube_scale(const penta_io_cube_info *about, double **gain, double **offset,
                                   penta_io_error *err);

/**
 * Makes a solved model ready to be written: takes its arrays over (solved becomes empty) and finds residuals. cov:
 * penta_pca_cov_name; precision: "single" or "double". Zero-initialise the model before the first of these.
 */
PENTA_API bool penta_io_model_take(penta_io_model *model, penta_pca_model *solved, const char *cov,
                                   const char *precision, penta_io_error *err);
/** Notes which of the bands of a whole cube are selected (n, from 0) and which bad ones are left out. */
PENTA_API bool penta_io_model_note_bands(penta_io_model *model, const penta_io_cube_info *whole, const size_t *bands,
                                         size_t n, penta_io_error *err);
/** Notes wavelengths and scales of the selected bands. */
PENTA_API bool penta_io_model_note_scale(penta_io_model *model, const penta_io_cube_info *about, penta_io_error *err);

/**
 * All of it for a whole cube: selects the bands that a read model takes, or for an empty model those that hold data,
 * which it notes with their wavelengths and scales.
 */
PENTA_API bool penta_io_model_select(penta_io_model *model, penta_io_cube *cube, penta_io_error *err);

PENTA_API void penta_io_model_free(penta_io_model *model); /* empties it; an empty one is fine */

PENTA_END_DECLS
#endif
