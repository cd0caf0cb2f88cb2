/*
 * Principal components of hyperspectral cubes, after P. Du et al., "Tuning Principal Component Analysis for GRASS GIS
 * on Multi-core and GPU Architectures" (Algorithm 1), and maximum noise fractions (A. A. Green et al., IEEE TGRS 26
 * (1988) 65).
 *
 * A cube is bands x rows x cols; a pixel is a vector of `bands` numbers. Pixels that a mask or the no-data value leaves
 * out count nowhere (listwise). The covariance is over the valid pixels, divided by their number - ddof.
 *
 * A cube is handed over twice, in pieces of any size: to penta_pca_add for the statistics, followed by penta_pca_solve,
 * then to penta_map_add and penta_map_take for the scores. A few slabs of pixels are in device memory, whatever the
 * cube's size; the statistics have the same bits for any pieces. A cube that fits in the device's memory can stay there
 * after the first time (penta_pca_keep) for penta_map_add_kept.
 */
#ifndef PENTACL_PCA_H
#define PENTACL_PCA_H

#include <stdbool.h>
#include <stdint.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/group.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

/* How pixels lie in memory; cols run fastest within a row of one band. */
enum penta_cube_layout {
    PENTA_BSQ = 0, /* bands x rows x cols */
    PENTA_BIL,     /* rows x bands x cols */
    PENTA_BIP      /* rows x cols x bands */
};

/* Whole rows of a cube, in host memory. */
typedef struct {
    size_t rows, cols; /* of this piece */
    int layout;        /* enum penta_cube_layout */
    penta_type type;   /* not PENTA_I64 */
    const void *data;
    size_t band_stride;  /* BSQ: elements from one band to the next, 0: rows * cols; more in a piece of a larger cube */
    const uint8_t *mask; /* rows x cols, 0: left out; or NULL */
} penta_cube_rows;

/* How the covariance is computed; the shares of work are in docs/mathematics/pca.md. */
enum penta_pca_cov {
    PENTA_PCA_COV_AUTO = 0, /* triangle */
    PENTA_PCA_COV_TRIANGLE, /* ours: lower triangle, register tiles, pixels split over the device, one reading */
    PENTA_PCA_COV_SYRK,     /* CLBlast's SYRK of the centred pixels */
    PENTA_PCA_COV_GEMM,     /* CLBlast's GEMM of the centred pixels */
    PENTA_PCA_COV_SPLITK,   /* CLBlast's strided-batched GEMM over pieces of the pixels, added in order */
    PENTA_PCA_COV_SQUARE,   /* the paper's square split: 32 x 32 blocks, skewed local tiles */
    PENTA_PCA_COV_VOLKOV    /* the paper's register-tile form, after V. Volkov */
};

enum penta_pca_kind {
    PENTA_PCA_PCA = 0, /* principal components */
    PENTA_PCA_MNF      /* maximum noise fractions: noise from differences of neighbours in a row */
};

typedef struct {
    size_t size;      /* of this struct, by penta_pca_options_init */
    int components;   /* how many are kept; 0: all, or as many as `variance` asks for */
    double variance;  /* keep the fewest that explain so many per cent; 0: not used */
    bool standardize; /* bands of variance 1: eigenvalues of the correlation matrix */
    bool whiten;      /* scores of variance 1 */
    int kind;         /* enum penta_pca_kind */
    int cov;          /* enum penta_pca_cov */
    int precision;    /* enum penta_precision: single or double; auto is double, or pairs of floats on devices without
                         double precision, which refuse double. Covariances of 8 and 16 bits are always exact, those of
                         noise fractions never single */
    int ddof;         /* divisor: pixels - ddof */
    const char *no_data; /* a number or "nan": pixels with it in any band are left out */
} penta_pca_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_pca_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_pca_options_init(penta_pca_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_pca_option_table(), options);
}

enum { PENTA_PCA_MOST_BANDS = 4096 };

/**
 * Whether a plan of so many bands can have these options: all rules of penta_pca_create except those of the device. opt
 * may be NULL for the defaults. PENTA_INVALID: message (or NULL) gets one line, cut to size bytes, with options in
 * backquotes.
 */
PENTA_API penta_status penta_pca_check(size_t bands, const penta_pca_options *opt, char *message, size_t size);

typedef struct penta_pca penta_pca;

/**
 * A plan for the statistics of cubes of `bands` bands. pixels: how many are expected, so that few take less memory; 0:
 * unknown. opt may be NULL. Errors: PENTA_INVALID (what penta_pca_check refuses: an option out of range or in
 * contradiction, no band, over PENTA_PCA_MOST_BANDS, more components than bands), PENTA_MEMORY, PENTA_DEVICE,
 * PENTA_BUILD, PENTA_UNSUPPORTED. On failure *out is NULL.
 */
PENTA_API penta_status penta_pca_create(penta_context *ctx, size_t bands, size_t pixels, const penta_pca_options *opt,
                                        penta_pca **out);

/**
 * Adds rows, which follow those of the call before. Their type must stay the same, and for MNF, which takes differences
 * of neighbours, cols as well. Data may be reused on return. Errors: PENTA_INVALID (rows that cannot be read;
 * a number that is not finite in a valid pixel, by band from 1, row and column from 0: pixels are searched some
 * thousands at a time, so this may come with a later call or with penta_pca_solve), PENTA_MEMORY, PENTA_DEVICE, and
 * with the first rows those of penta_pca_create. After a failure half-way through the rows penta_pca_reset begins anew.
 */
PENTA_API penta_status penta_pca_add(penta_pca *plan, const penta_cube_rows *rows);

/**
 * Keeps the pixels on the device, in up to `bytes` of its memory (0: half of it, less what a map takes). To be called
 * before the first rows, or after penta_pca_reset. The statistics keep their bits. If the pixels need more memory than
 * that, or than the device has, none are kept until penta_pca_reset; that is no failure. Errors: PENTA_INVALID (there
 * were rows).
 */
PENTA_API penta_status penta_pca_keep(penta_pca *plan, uint64_t bytes);
/** Whether all rows since create or penta_pca_reset are kept. */
PENTA_API bool penta_pca_has_kept(const penta_pca *plan);

/* ---- several devices ---- */

/* The part of a cube that a member of a group has. Pixels are counted row by row. */
typedef struct {
    uint64_t first, pixels; /* whose sums it makes, and which it keeps if penta_pca_keep is called */
    size_t first_row, rows; /* the rows that hold them, of which it may have some pixels only */
} penta_pca_part;

/**
 * Every member: the members' plans, with the same options, divide the statistics of one cube of rows x cols pixels of
 * this type. Each is given the rows of its part, whole, by penta_pca_add; penta_pca_solve is then a call of every
 * member and gives each the model of the cube, with the same bits for any number of members. These are the bits of a
 * plan without a group whose slabs are as large, which depends on the device's kind and memory, on the bands and on the
 * number of pixels that penta_pca_create expects: that of the cube here, too. The group must stay as long as the plan;
 * penta_pca_reset stays in it. To be called before the first rows. Errors: PENTA_INVALID (there were rows, there are no
 * pixels, members do not agree), PENTA_MEMORY, PENTA_CANCELLED (another member failed), also of penta_pca_solve.
 */
PENTA_API penta_status penta_pca_join(penta_pca *plan, penta_group *group, size_t rows, size_t cols, penta_type type,
                                      penta_pca_part *part);

/* The principal components. All matrices are row-major. */
typedef struct {
    size_t bands, components; /* components: those that are kept */
    uint64_t pixels;          /* valid ones */
    int kind, ddof;
    bool standardize, whiten;
    double rounding;     /* an eigenvalue no larger than this may be 0 but for rounding */
    double *mean;        /* bands */
    double *deviation;   /* bands: standard deviations */
    double *covariance;  /* bands x bands, of the bands as they are */
    double *eigenvalues; /* bands, the largest first; MNF: signal-to-noise ratios + 1 */
    double *percent;     /* bands: each eigenvalue in per cent of their sum */
    double *loadings;    /* components x bands; rows of length 1 (MNF: of noise variance 1); the largest entry in
                            absolute value is positive, of equal ones the first */
    double *forward;     /* components x bands: scores = forward (x - mean) */
    double *inverse;     /* bands x components: x = mean + inverse scores */
} penta_pca_model;

/**
 * Finds eigenvalues, loadings and maps. May be called again after more rows. Errors: PENTA_INVALID (fewer than 2 valid
 * pixels, not more of them than ddof, a constant band with standardize, MNF of bands whose noise is singular, a number
 * that is not finite), PENTA_MEMORY, PENTA_DEVICE. On failure *out is empty.
 */
PENTA_API penta_status penta_pca_solve(penta_pca *plan, penta_pca_model *out);

/**
 * From now on models describe bands gain[i] x + offset[i], where x are the numbers in the rows; gain and offset have
 * `bands` numbers each, NULL stands for 1 and 0. Rows, no-data values, kept pixels and maps still hold x. The
 * statistics of x are computed, exactly for integers, and scaled on the host: with one gain for all bands, eigenvalues
 * are those of x times its square, and loadings have the same bits. Errors: PENTA_INVALID (a gain that is 0, a number
 * that is not finite; nothing happened), PENTA_MEMORY.
 */
PENTA_API penta_status penta_pca_scale_bands(penta_pca *plan, const double *gain, const double *offset);

/** Forgets the rows. */
PENTA_API void penta_pca_reset(penta_pca *plan);
PENTA_API const char *penta_pca_cov_name(const penta_pca *plan); /* "triangle", ... as long as the plan */
PENTA_API void penta_pca_destroy(penta_pca *plan);               /* NULL is fine */
PENTA_API void penta_pca_model_free(penta_pca_model *model);     /* empties it; an empty one is fine */

/**
 * A model as *size bytes, to be freed with free: for a message, or for a file that the same version of the library
 * reads on a machine of the same kind. Equal models have equal bytes. Errors, at penta_last_error(NULL): PENTA_MEMORY.
 */
PENTA_API penta_status penta_pca_model_pack(const penta_pca_model *model, void **bytes, size_t *size);
/** The model that such bytes hold. Errors, *out being empty: PENTA_INVALID (their number does not fit), PENTA_MEMORY.
 */
PENTA_API penta_status penta_pca_model_unpack(const void *bytes, size_t size, penta_pca_model *out);

/**
 * The largest |v_i . v_j - (i = j)| of the loadings, and the largest |C v - lambda v| divided by the largest
 * eigenvalue, where C is the matrix that was decomposed. For MNF: |v_i N v_j - (i = j)| and |C v - lambda N v| / |N v|,
 * with N v from the inverse and bands divided by their deviations. The order of the sums depends on the number of bands
 * alone, so the same loadings give the same bits. Either may be NULL; orthogonality needs no covariance.
 */
PENTA_API void penta_pca_residuals(const penta_pca_model *model, double *orthogonality, double *residual);

/** The residual of each component (model->components numbers); penta_pca_residuals gives the largest. */
PENTA_API void penta_pca_each_residual(const penta_pca_model *model, double *each);

/* ---- maps: scores and back ---- */

/* y = matrix (x - before) + after, for each pixel. */
typedef struct {
    size_t ins, outs;
    const double *matrix; /* outs x ins */
    const double *before; /* ins, or NULL: 0 */
    const double *after;  /* outs, or NULL: 0 */
} penta_affine;

/**
 * Whether there can be such a map: all rules of penta_map_create except those of the device. PENTA_INVALID: message (or
 * NULL) gets one line, cut to size bytes.
 */
PENTA_API penta_status penta_map_check(const penta_affine *affine, int precision, const char *no_data, char *message,
                                       size_t size);

/* What a map of a model makes of pixels. */
enum penta_pca_direction {
    PENTA_PCA_FORWARD = 0, /* bands to scores */
    PENTA_PCA_INVERSE,     /* scores to bands */
    PENTA_PCA_FILTER       /* bands to bands: what the kept components say of them */
};

/* Scores in another range: [least, largest] of each component (model->components each) has become [low, high]. */
typedef struct {
    double low, high;
    const double *least, *largest;
} penta_pca_scaling;

/**
 * The map of a model in this direction; penta_affine_free frees it. gain and offset (one each for every input, or both
 * NULL): pixels hold elements, the model or the scores are of gain x element + offset. scaling: of INVERSE, how scores
 * were rescaled; or NULL. Errors: PENTA_INVALID, PENTA_MEMORY; on failure *out is empty.
 */
PENTA_API penta_status penta_pca_affine(const penta_pca_model *model, int direction, const double *gain,
                                        const double *offset, const penta_pca_scaling *scaling, penta_affine *out);
PENTA_API void penta_affine_free(penta_affine *affine); /* empties it; an empty one is fine. Only of penta_pca_affine */

/** Whether a number of this type can be `value`: an integer in its range, or a float that is finite if value is. */
PENTA_API bool penta_cube_type_holds(penta_type type, double value);

/**
 * The least of u8, u16, i16, i32 that holds low and high, and with `fills` also a number outside low .. high for pixels
 * that are left out (penta_map_fill); PENTA_F64 where there is none.
 */
PENTA_API penta_type penta_map_type(double low, double high, bool fills);

/** A number of the type that no result in low .. high has, for pixels that are left out; NaN of floats and where there
 * is none. */
PENTA_API double penta_map_fill(penta_type type, double low, double high);

/**
 * Whether two sensors have the same n bands, by their wavelengths in nm: the band that differs most beyond 0.1 nm +
 * 1e-4 of the wavelength, within which headers round and sensors are calibrated anew; n where none does.
 */
PENTA_API size_t penta_pca_wavelengths_differ(size_t n, const double *want, const double *got);

typedef struct penta_map penta_map;

/**
 * A map of pixels on the device. precision of products and results: PENTA_PRECISION_SINGLE or _DOUBLE (auto: double,
 * or pairs of floats on devices without double precision, which refuse _DOUBLE). no_data as in penta_pca_options, or
 * NULL. The matrices are copied. Errors as penta_pca_create.
 */
PENTA_API penta_status penta_map_create(penta_context *ctx, const penta_affine *affine, int precision,
                                        const char *no_data, penta_map **out);

/** Pixels that penta_map_add can still take before penta_map_take empties the map: a part of the device's memory. */
PENTA_API size_t penta_map_room(const penta_map *map);

/**
 * Maps rows (bands = ins); the results stay on the device, after those of the calls before. Data may be reused on
 * return. Errors: PENTA_INVALID (no room: nothing happened; a number that is not finite in a valid pixel, which may
 * come with a later call, as in penta_pca_add), PENTA_MEMORY, PENTA_DEVICE. On failure no results are kept.
 */
PENTA_API penta_status penta_map_add(penta_map *map, const penta_cube_rows *rows);

/**
 * Maps pixels first .. first + pixels - 1 of the cube, counted row by row, which `plan` keeps. The results have the
 * same bits as from the rows. Pixels that the plan's mask or no-data value left out are left out. Errors: PENTA_INVALID
 * (nothing happened: so many are not kept, they have other bands or another context, or there is no room; or a number
 * is not finite, as in penta_pca_solve), PENTA_MEMORY, PENTA_DEVICE. On failure no results are kept, unless nothing
 * happened.
 */
PENTA_API penta_status penta_map_add_kept(penta_map *map, penta_pca *plan, uint64_t first, size_t pixels);

/** Least and largest result of each output (outs each) over all valid pixels since create or penta_map_reset;
 * PENTA_INVALID if there is none; they are infinite then, least above 0. */
PENTA_API penta_status penta_map_range(penta_map *map, double *least, double *largest);

/* How penta_map_take hands out results. */
typedef struct {
    penta_type type; /* PENTA_F32, F64, or integers: rounded to nearest, ties away from 0 as GRASS does, clamped */
    bool rescale;    /* each output from [least, largest] to [low, high]; what lies beyond becomes the nearer end;
                        outputs that are constant become low */
    double low, high;
    const double *least, *largest; /* outs each; NULL: those of penta_map_range */
    double fill;                   /* for pixels that are left out; NaN becomes 0 in integers */
    uint8_t *valid;                /* pixels bytes that penta_map_take sets: 1, or 0 for those left out; or NULL */
    uint64_t *clipped;             /* or NULL: penta_map_take adds the number of valid pixels with a result beyond
                                      least or largest, where these are given and rescale is set */
} penta_map_format;

/** Hands out all results, outs x pixels (all of output 0 first), stride elements from one output to the next, and keeps
 * none. out may be NULL: they are dropped. */
PENTA_API penta_status penta_map_take(penta_map *map, const penta_map_format *format, void *out, size_t stride);

/** The rows to come begin with this one of the cube, which errors count from. */
PENTA_API void penta_map_first_row(penta_map *map, size_t row);

/** Forgets results and ranges. */
PENTA_API void penta_map_reset(penta_map *map);
PENTA_API void penta_map_destroy(penta_map *map); /* NULL is fine */

PENTA_END_DECLS
#endif
