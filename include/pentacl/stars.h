/*
 * Star-camera frames from lists of stars, after
 * C. Li et al., "Star image simulation on GPU", J. Software 22 (S2) (2011) 172-181.
 *
 * Conventions. An image is height x width, row-major; x runs along a row, y down; pixel centres are at integers, so the
 * frame covers [-1/2, width - 1/2) x [-1/2, height - 1/2). A star of magnitude m has the flux g(m) = A b^-m (eq. 1;
 * b = 2.512, or 10^0.4 exactly), spread by the point-spread function (eq. 2: a Gaussian of unit volume) over the region
 * of interest: the ROI x ROI pixels from column ceil(x - ROI/2) and row ceil(y - ROI/2) on (eq. 3). What falls outside
 * the ROI or the frame is lost; nothing is renormalised. A star is drawn when its ROI touches the frame.
 */
#ifndef PENTACL_STARS_H
#define PENTACL_STARS_H

#include <stdbool.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/group.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

enum penta_stars_engine {
    PENTA_STARS_AUTO = 0,
    PENTA_STARS_SERIAL,  /* host C, one thread: the paper's simulator 1 */
    PENTA_STARS_THREADS, /* host C, all cores */
    PENTA_STARS_PIXEL,   /* a work-item per pixel walks all stars */
    PENTA_STARS_STAR,    /* a work-group per star, a work-item per pixel of its ROI, atomic additions: Fig. 5 */
    PENTA_STARS_TILE,    /* stars are sorted into tiles of the image; a work-group owns the pixels of a tile */
    PENTA_STARS_FIXED    /* 64-bit fixed point: the same bits for any order, batch and device */
};

enum penta_stars_psf {
    PENTA_STARS_SAMPLED = 0, /* Gaussian at the pixel's centre: eq. 2 */
    PENTA_STARS_INTEGRATED,  /* Gaussian integrated over the pixel's area; right for a small sigma */
    PENTA_STARS_MOFFAT,      /* (beta - 1) / (pi a^2) (1 + r^2 / a^2)^-beta */
    PENTA_STARS_IMAGE        /* given by penta_stars_set_psf, bicubic between its samples */
};

enum penta_stars_mag_base { PENTA_STARS_2512 = 0, PENTA_STARS_POGSON };

typedef struct {
    size_t size;    /* of this struct, by penta_stars_options_init */
    int engine;     /* enum penta_stars_engine */
    int psf;        /* enum penta_stars_psf */
    double sigma;   /* px, of the Gaussian along its x axis; half width of the Moffat: a = fwhm / (2 sqrt(2^(1/beta) -
                       1)), fwhm = 2.35482 sigma */
    double sigma_y; /* px; 0: as sigma */
    double angle;   /* deg, of the PSF's x axis, turning from x towards y */
    double beta;    /* of the Moffat */
    int quadrature; /* points a pixel and axis where a PSF is integrated without a closed form; 0: automatic */
    int roi;        /* px */
    double flux_tolerance; /* > 0: the ROI is the least that holds this share of the flux but for the tolerance */
    double amplitude;      /* A: flux of a star of magnitude 0 */
    int mag_base;          /* enum penta_stars_mag_base */
    int precision;         /* enum penta_precision; auto is single */
} penta_stars_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_stars_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_stars_options_init(penta_stars_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_stars_option_table(), options);
}

/** Stars by struct of arrays, borrowed during a call. No NaN, no infinity. */
typedef struct {
    size_t n;
    const double *x, *y;     /* px, at the middle of the exposure; may lie anywhere */
    const double *magnitude; /* or NULL when flux is given */
    const double *flux;      /* NULL: from the magnitude */
    const double *motion_x,
        *motion_y; /* px moved during the exposure (both or NULL); sampled and integrated PSF only */
} penta_stars_list;

/** n stars of a list, from star `first` on. */
static inline penta_stars_list penta_stars_list_part(const penta_stars_list *list, size_t first, size_t n)
{
    penta_stars_list part = *list;
    const double **const columns[] = {&part.x, &part.y, &part.magnitude, &part.flux, &part.motion_x, &part.motion_y};

    part.n = n;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (*columns[i])
            *columns[i] += first;
    return part;
}

typedef struct {
    void *image;        /* height x width float32, float64 in double precision; the caller's; NULL: not wanted */
    size_t drawn;       /* stars whose ROI touches the frame */
    double flux_total;  /* their flux, whole */
    const char *engine; /* "serial", "threads", "pixel", "star", "tile" or "fixed": what ran */
} penta_stars_result;

typedef struct penta_stars penta_stars;

enum { PENTA_STARS_MOST_SIDE = 65000 /* px of a frame */ };

/**
 * Whether penta_stars_create takes these sizes and options (NULL: the defaults), but for what depends on the device.
 * PENTA_OK, or PENTA_INVALID with one line in message (which may be NULL): an option out of range or in contradiction,
 * an empty frame, a side over PENTA_STARS_MOST_SIDE, a flux tolerance that no ROI meets.
 */
PENTA_API penta_status penta_stars_check(size_t width, size_t height, const penta_stars_options *opt, char *message,
                                         size_t size);

/** Likewise whether stars may move during an exposure with these options: only those with a round Gaussian PSF. */
PENTA_API penta_status penta_stars_check_motion(const penta_stars_options *opt, char *message, size_t size);

/**
 * Plan for frames of width x height pixels. opt may be NULL for the defaults. Errors: PENTA_INVALID (as
 * penta_stars_check), PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD, PENTA_UNSUPPORTED (`precision` double on a device
 * without it, by an engine of the device: there serial, threads and fixed draw on the host). On failure *out is NULL.
 */
PENTA_API penta_status penta_stars_create(penta_context *ctx, size_t width, size_t height,
                                          const penta_stars_options *opt, penta_stars **out);

/**
 * The PSF of a plan with psf = PENTA_STARS_IMAGE: height x width samples, the star at the centre
 * ((width - 1) / 2, (height - 1) / 2), `oversampling` samples a pixel of the frame. Samples are surface brightness;
 * they are scaled to unit volume. Zero beyond the samples. Errors: PENTA_INVALID (another psf; a NaN; no positive sum).
 */
PENTA_API penta_status penta_stars_set_psf(penta_stars *plan, size_t width, size_t height, double oversampling,
                                           const double *samples);

/** ROI of the plan, px. */
PENTA_API int penta_stars_roi(const penta_stars *plan);

/**
 * Draws the stars into a fresh frame. Errors: PENTA_INVALID (a position, magnitude, flux or motion that is not finite:
 * the text says which star; a flux over 1e30, a motion over 1e100 px), PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED; the
 * plan stays usable.
 */
PENTA_API penta_status penta_stars_run(penta_stars *plan, const penta_stars_list *stars, penta_stars_result *result);

/**
 * The same of `rows` rows from row `first` on, which result->image holds alone; so several devices draw one frame.
 * By engines fixed and pixel in the bits of a whole frame; others may add in another order. Of drawn stars and their
 * flux those count that no earlier row has. Errors besides: PENTA_INVALID (rows out of the frame), PENTA_UNSUPPORTED
 * (some rows, by an engine that draws on the host).
 */
PENTA_API penta_status penta_stars_run_rows(penta_stars *plan, const penta_stars_list *stars, size_t first, size_t rows,
                                            penta_stars_result *result);

/**
 * For each star the part of its flux that lies in the frame: flux times the sum of its PSF over the pixels of its ROI
 * in the frame, in double. So what falls outside the ROI is not in it, wherever it falls. flux, in_frame: n each;
 * either may be NULL.
 */
PENTA_API penta_status penta_stars_fluxes(penta_stars *plan, const penta_stars_list *stars, double *flux,
                                          double *in_frame);

/** What is doubtful about all pictures of a plan (a ROI that loses light, a PSF too narrow for pixel centres), by
 * number: one line in message, cut to size bytes, with options in backquotes. False: there are no more. */
PENTA_API bool penta_stars_doubt(penta_stars *plan, size_t which, char *message, size_t size);

/**
 * The same through a detector's vignetting: flux times the sum, over the pixels of its ROI in the frame, of its PSF
 * times 1 - vignetting r^2 / R^2 (pentacl/detector.h). vignetting: 0 to 1. in_frame: n. Errors as penta_stars_fluxes.
 */
PENTA_API penta_status penta_stars_vignetted(penta_stars *plan, const penta_stars_list *stars, double vignetting,
                                             double *in_frame);

/**
 * The paper's test scenes: star i of n lies anywhere in the frame, its magnitude anywhere in [0, faintest). The same
 * seed gives the same stars on every machine, and the first stars of a longer list. x, y, magnitude: n each.
 */
PENTA_API void penta_stars_random(uint64_t seed, size_t n, size_t width, size_t height, double faintest, double *x,
                                  double *y, double *magnitude);

/** NULL is fine. */
PENTA_API void penta_stars_destroy(penta_stars *plan);

PENTA_END_DECLS
#endif
