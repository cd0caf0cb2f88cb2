/* A run of `penta stars`, and a frame of it. */
#pragma once

#include <pentacl/io/exposure.h>
#include <pentacl/io/image.h>
#include "shared/job.h"
#include "shared/json.h"
#include "shared/resume.h"
#include "stars/optics.h"
#include "stars/source.h"

/* The distortion of a run, as the headers of its frames describe it. */
typedef struct stars_coordinates {
    bool there;    /* false: it has no place in one */
    penta_wcs wcs; /* its polynomials */
    double error;  /* px that they are off at most */
} stars_coordinates;

/* What all frames of a run share. */
typedef struct stars_run {
    job job;
    stars_request request;
    stars_optics optics;
    stars_coordinates coordinates; /* of FITS files */
    stars_source source;
    penta_io_track track;     /* of frames, or of the one exposure */
    penta_attitude_path path; /* of the one exposure */
    penta_stars *plan;
    penta_detector *detector; /* NULL: no noise */
    struct stars_run
        *others;         /* of several devices, those behind the first: this run with contexts and plans of theirs */
    penta_io_run *truth; /* of the directory of --truth; NULL: it is that of the frames, or none */
    resume record;       /* of a track, at rank 0 */
} stars_run;

typedef struct stars_shot {
    size_t number;
    penta_io_image image; /* float32 or float64: flux, or DN of the detector */
    penta_stars_truth truth;
    bool on_sky;
    penta_sky_view view; /* in the middle of the exposure, where on_sky */
    size_t drawn;
    double flux_total;    /* of the stars drawn */
    double flux_in_frame; /* sum of the frame before noise */
    const char *engine;
    uint64_t variables; /* a bit for each star of variables.h that was drawn */
} stars_shot;
