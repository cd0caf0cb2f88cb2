/* Where stars come from: a list or random ones, by pixel, or a catalogue, on the sky. */
#pragma once

#include <pentacl/io/catalog.h>
#include "stars/flags.h"

typedef struct stars_source {
    size_t n;   /* within the magnitude limit */
    size_t all; /* before the limit */
    double *mag;
    double *x, *y;                    /* px; NULL on the sky */
    double *motion_x, *motion_y;      /* px during the exposure; NULL: at rest, or on the sky */
    double *ra, *dec;                 /* deg, as seen at the epoch; NULL by pixel */
    double *ra_catalog, *dec_catalog; /* deg, as catalogued, where the truth is wanted and they differ; else NULL */
    bool built_in;                    /* the built-in catalogue: penta_io_star_variables knows its stars */
    penta_sky_index *index;           /* of ra, dec */
    penta_io_star_ids ids;            /* of random stars empty: they are called by their numbers, from 1 */
    penta_io_catalog_origin origin;   /* on the sky */
    bool moves, by_guess;             /* --epoch moves stars; from an epoch that nobody stated */
    char note[160];                   /* what was left out; "" for nothing */
} stars_source;

/* width, height of the frame, px. On failure *out is zeroed. */
bool stars_source_open(const stars_request *r, size_t width, size_t height, stars_source *out, penta_io_error *err);

/* The place of star i in penta_io_star_variables; -1: it is not there. */
int stars_source_variable(const stars_source *source, size_t i);

void stars_source_close(stars_source *source); /* a zeroed one is fine */
