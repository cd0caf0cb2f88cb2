/* What the cases of the pca benchmark share: a cube, its moments in double on the host, a model, and the checks. */
#pragma once

#include <pentacl/pca.h>

#include "bench.h"
#include "peers/peers.h"

enum { PCA_FIRST = 10, PCA_PICKED = 3 };

typedef struct {
    const char *name;
    size_t rows, cols, bands;
    penta_type type;
    bool sweep; /* of the covariance alone */
} pca_case;

typedef struct {
    bench *b;
    const pca_case *c;
    size_t pixels;
    penta_type real;       /* of products and scores: the cube's; of integers double */
    void *cube;            /* pinned, bands x pixels */
    double *mean;          /* bands */
    double *with_mixture;  /* bands: covariances with the sum of all bands, each times bench_noise of its number */
    penta_pca_model model; /* of the method that the library chooses; checked */
    double *picked;        /* PCA_PICKED x pixels: scores of the components that pca_pick gives, by the host */
    void *centred;         /* bands x pixels of `real`, for the peers; NULL until pca_centre */
    void *forward;         /* bands x bands of `real`: the model's, likewise */
    void *product;         /* bands x bands of `real`, for results of peers */
    double *matrix;        /* the same as covariances */
    void *result;          /* pinned, for scores */
} pca_input;

/* The cube of a case, bands x rows x cols, for the workload's benchmarks; false: out of memory. */
bool pca_fill(const pca_case *c, void *cube);

void pca_input_create(bench *b, const pca_case *c, pca_input *in);
void pca_input_free(pca_input *in);
/* Results become NaN, so that a check sees those of the run before it and no older ones. */
void pca_clear(const pca_input *in);
/* Makes what the peers take. */
void pca_centre(pca_input *in);

/* The rows first .. first + count - 1 of the cube. */
penta_cube_rows pca_rows(const pca_input *in, size_t first, size_t count);
/* Single for floats; otherwise double, or pairs of floats where the device has no double precision. */
int pca_precision(const pca_input *in);
penta_pca_options pca_options(const pca_input *in, int method);
/* The first `outs` components of the model. */
penta_affine pca_affine(const pca_input *in, size_t outs);
/* Largest relative error that is allowed: sums in double, or in floats that are added in pieces. */
double pca_tolerance(const pca_input *in);

/*
 * All of these end the program when something is wrong. matrix: bands x bands, of which the lower triangle is looked
 * at; times the weights of the mixture it must give with_mixture, errors as parts of the deviations' product.
 */
void pca_check_covariance(const pca_input *in, const char *variant, const double *matrix, double tolerance);
/* Means, covariances, and whether eigenvalues and loadings are those of the covariances. */
void pca_check_model(const pca_input *in, const char *variant, const penta_pca_model *model);
/* outs x pixels of type `real`: all outputs of some pixels, errors as parts of the centred pixels' lengths. */
void pca_check_scores(const pca_input *in, const char *variant, const void *scores, size_t outs);
/* bands x pixels: the picked components of all pixels, rescaled to 0 .. 255. */
void pca_check_bytes(const pca_input *in, const char *variant, const uint8_t *bytes);

/* The peers' rows of a case. */
void pca_covariance_peers(pca_input *in);
void pca_scores_peers(pca_input *in, size_t outs);
