/* The flags of `penta stars`: their tables, and what they ask for. */
#pragma once

#include <pentacl/exposure.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>
#include <pentacl/io/catalog.h>

enum stars_stretch { STARS_STRETCH_NONE = 0, STARS_STRETCH_ASINH };

/* As typed. Numbers that may be absent are texts; NULL: not given. */
typedef struct stars_flags {
    const char *list, *catalog, *random, *mag_limit, *epoch, *catalog_epoch;
    bool aberration;
    int ra_unit;
    const char *attitude, *quaternion, *wcs, *track, *size, *fov, *focal, *pitch, *principal, *distortion;
    const char *psf_image;
    double oversampling;
    const char *rate, *exposure_track, *zero_point;
    penta_detector_options detector;
    const char *truth;
    int format, png_bits, stretch;
    bool resume;
} stars_flags;

/* Their rows in the help. */
extern const penta_option stars_rows[], stars_pointing_rows[], stars_motion_rows[], stars_noise_rows[],
    stars_output_rows[];

enum stars_source_kind { STARS_FROM_CATALOG = 0, STARS_FROM_LIST, STARS_FROM_RANDOM };

enum stars_pointing {
    STARS_POINTS_NOWHERE = 0,
    STARS_POINTS_STILL,
    STARS_POINTS_WCS,
    STARS_POINTS_TRACK,
    STARS_POINTS_MOVING
};

/* What the flags ask for. */
typedef struct stars_request {
    enum stars_source_kind source;
    const char *source_path; /* NULL: the built-in catalogue, or random stars */
    size_t random;
    double mag_limit; /* INFINITY: none */
    enum penta_io_ra_unit ra_unit;
    bool at_epoch; /* stars move to the epoch; else as catalogued */
    double epoch;  /* Julian year */
    bool aberration;
    double catalog_epoch; /* of the catalogue's positions; NAN: as it says */

    enum stars_pointing pointing;
    penta_attitude attitude;   /* STILL */
    const char *pointing_path; /* WCS, TRACK (an attitude a frame), MOVING (attitudes during one exposure) */
    size_t width, height;      /* px; 0: as the WCS says */
    double focal;              /* px */
    bool off_centre;
    double principal[2];  /* px, where off_centre */
    double distortion[5]; /* k1, k2, k3, p1, p2 */
    bool turning;
    double rate[3]; /* deg/s about the camera's axes, where turning */

    bool noise;                /* the detector is on */
    bool engine_by_noise;      /* it chose the engine, which was left open */
    bool in_photons;           /* the zero point says how bright stars are */
    double zero_point;         /* magnitude of a photon a second */
    penta_stars_options stars; /* with the engine and amplitude that the detector and zero point ask for */
    penta_detector_options detector;
    const char *psf_image;
    double oversampling;

    const char *output, *truth;
    const char *suffix; /* of the frames of a track */
    int png_bits;       /* 0: automatic */
    enum stars_stretch stretch;
} stars_request;

/* Fails with "WHAT: the library's reason"; what NULL: the reason alone. Returns false. */
bool stars_refused(const char *what, penta_io_error *err);

/* Takes this exposure, s, for the detector and, with a zero point, for the amplitude. */
bool stars_set_exposure(stars_request *r, double seconds, penta_io_error *err);

/* Whether the detector is on: by a flag of its own, or by an exposure that does not say how long the camera turns. */
bool stars_flags_noise(const cli_table *tables, const stars_flags *flags);

/* ".png", by --format. */
const char *stars_suffix(const stars_flags *f);

/* Of flags that stars_usage_check has passed. False, with a line about them, where a number is wrong or a flag is
 * missing: wrong usage. */
bool stars_flags_read(const cli_table *tables, const stars_flags *flags, const penta_stars_options *options,
                      const char *output, stars_request *out, penta_io_error *err);
