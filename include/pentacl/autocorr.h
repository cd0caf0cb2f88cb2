/*
 * Spatial autocorrelation of images and the growth of their length scale, after
 * P. J. Lu et al., "Orders-of-magnitude performance increases in GPU-accelerated correlation of images from the
 * International Space Station", J. Real-Time Image Proc. 5 (2010) 179-193, doi 10.1007/s11554-009-0133-1.
 *
 * Conventions. An image is height x width, row-major; x runs along a row, y down. R = max_offset. Offset arrays are
 * (2R+1) x (2R+1), row-major, element [Y + R][X + R]. N(X,Y) = sum I(x,y) J(x+X,y+Y) over the overlap, J = I unless a
 * second image is given.
 */
#ifndef PENTACL_AUTOCORR_H
#define PENTACL_AUTOCORR_H

#include <stdbool.h>

#include <pentacl/array.h>
#include <pentacl/context.h>
#include <pentacl/fft.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

enum penta_autocorr_method {
    PENTA_AUTOCORR_AUTO = 0, /* the cheapest by predicted cost */
    PENTA_AUTOCORR_NAIVE,    /* one work-item per offset */
    PENTA_AUTOCORR_LINES,    /* two image lines in local memory, one work-item per X offset */
    PENTA_AUTOCORR_TILED,    /* register and local tiling */
    PENTA_AUTOCORR_FFT,
    PENTA_AUTOCORR_NTT /* number-theoretic transforms: exact sums of integer images without double precision */
};

enum penta_autocorr_estimator {
    PENTA_AUTOCORR_EQ1 = 0,  /* N(X,Y) / sum I^2: equation 1 of the paper */
    PENTA_AUTOCORR_UNBIASED, /* N(X,Y) / n(X,Y) over sum I^2 / n(0,0), n the number of overlapping pixel pairs */
    PENTA_AUTOCORR_PEARSON   /* the correlation coefficient of the overlapping pixels */
};

enum penta_autocorr_demean { PENTA_AUTOCORR_DEMEAN_NONE = 0, PENTA_AUTOCORR_DEMEAN_MEAN, PENTA_AUTOCORR_DEMEAN_PLANE };

/**
 * The defaults (penta_autocorr_options_init, or NULL in place of the struct) are PENTA_AUTOCORR_UNBIASED with
 * PENTA_AUTOCORR_DEMEAN_MEAN. PENTA_AUTOCORR_EQ1 with PENTA_AUTOCORR_DEMEAN_NONE is equation 1 as printed, with the
 * mean left in: a mean whose square exceeds the variance carries C2D, which then falls with the overlap, and a ring
 * moves inwards or is lost.
 */
typedef struct {
    size_t size;       /* of this struct, by penta_autocorr_options_init */
    int max_offset;    /* R in px; 0: min(width, height) / 3, at least 1 */
    int method;        /* enum penta_autocorr_method */
    int estimator;     /* enum penta_autocorr_estimator; by default unbiased */
    int demean;        /* enum penta_autocorr_demean; by default the mean */
    int precision;     /* enum penta_precision; auto: exact for integer images, double for floating ones */
    int fft;           /* enum penta_fft_backend */
    double prominence; /* least height of a peak above its trough, as a fraction of C(0) - C(trough) */
    int bootstrap;     /* resamples behind r_max_se; 0: none */
} penta_autocorr_options;

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_autocorr_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_autocorr_options_init(penta_autocorr_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_autocorr_option_table(), options);
}

/** "paper": equation 1 as printed, estimator eq1 and demean none. */
PENTA_API const penta_preset *penta_autocorr_presets(void);

/** One bin [r - 1/2, r + 1/2) of the azimuthal average over the whole offset plane (both half-planes). */
typedef struct {
    int64_t count; /* offsets of the bin that have a value: all of them without a mask */
    double mean_r; /* their mean distance from the origin, px */
    double c;      /* their mean C2D; NaN where no offset of the bin has a value */
    double sd;     /* standard deviation of C2D over the bin (divisor count) */
} penta_autocorr_bin;

enum penta_peak_status {
    PENTA_PEAK_OK = 0,
    PENTA_PEAK_NO_TROUGH, /* C1D never turns up again by the prominence */
    PENTA_PEAK_AT_EDGE,   /* it turns up, but still rises at the largest offset */
    PENTA_PEAK_FLAT,      /* C1D is constant or not finite: a uniform image */
    PENTA_PEAK_WEAK       /* there is a peak, but it is not reliable; `doubts` of penta_peak says why */
};

/** "ok", "no_trough", "at_edge", "flat" or "weak". */
PENTA_API const char *penta_peak_status_name(enum penta_peak_status status);

/** Why penta_autocorr_run calls a peak weak: bits, of which several may be set. */
enum penta_peak_doubt {
    PENTA_PEAK_DOUBT_ERROR = 1,  /* r_max_se was asked for and is not finite or over 10 % of r_max */
    PENTA_PEAK_DOUBT_HEIGHT = 2, /* c_max <= 0 with the mean or a plane taken off, or Pearson's estimator */
    PENTA_PEAK_DOUBT_RANGE = 4,  /* r_max > 0.9 R */
    PENTA_PEAK_DOUBT_CHANCE = 8  /* C1D falls behind r_max by less than 3 times what such a texture does by chance;
                                    with r_max_se asked for and over 5 % of r_max, by less than 4 times */
};

/** A phrase for one doubt: "standard error over 10 % or none", "C(R_max) <= 0", "R_max over 0.9 R", "a fall
 * behind R_max that may be chance". NULL for a value that is none of them, so that a loop over 1, 2, 4 ... sees them
 * all. */
PENTA_API const char *penta_peak_doubt_text(enum penta_peak_doubt doubt);

/**
 * The characteristic length: the first significant maximum of C1D after its first trough. r_max and c_max are NaN
 * unless the status is PENTA_PEAK_OK or PENTA_PEAK_WEAK; r_min and c_min also stand with PENTA_PEAK_AT_EDGE.
 */
typedef struct {
    enum penta_peak_status status;
    unsigned doubts; /* bits of enum penta_peak_doubt, set by penta_autocorr_run where the status is weak; else 0 */
    double r_max;    /* px, sub-pixel by a least-squares fit: of penta_autocorr_run over circles on which C2D is
                        interpolated, so that straight stripes are right too; of penta_peak_find over the bins */
    double r_max_se; /* px, standard error by tile bootstrap; NaN when not asked for or not to be had. The
                        scatter of 32 simulated mixtures was 0.77 to 1.31 times it (docs/mathematics/autocorr.md) */
    double c_max;    /* fitted value at r_max, free of the smoothing by the bins */
    double r_min;    /* px, of the first trough, sub-pixel by a fit over its bins */
    double c_min;
} penta_peak;

/**
 * Finds trough and peak in c1d[0..bins-1] (bin i is radius i), up to the first bin without a value. prominence as in
 * the options, in (0, 1]. The trough counts once C1D has risen above it by prominence (C(0) - C(trough)) and by twice
 * the standard error of the difference, a bin's being sd / sqrt(count / 2); where C1D is half gone after one pixel, as
 * in noise, by 2 + 2 sqrt(ln bins) times, unless the rise is over a quarter of C(0) - C(trough). Fewer than 5 bins have
 * no trough. The peak is the first maximum that stands out likewise from the trough and has a dip behind it (a quarter
 * of that prominence, and twice the standard error), or no bin as high out to 1.5 times its radius.
 * r_max is good to 0.1 % for a smooth ring of at least 8 px, to about 2 % from 4 px on. It is always within
 * max(0.3 px, 1 %) of the parabola through the maximum's bin and its two neighbours, and within 1.5 bins of that bin;
 * bins beyond 1.5 r_max change nothing.
 * penta_autocorr_run knows the image and asks for more: see docs/mathematics/autocorr.md. The wavelength at which the
 * structure factor of a narrow ring peaks is r_max / 1.117.
 * r_max_se is set to NaN. "No peak" is an answer (status), not an error; PENTA_PEAK_WEAK is not given here.
 */
PENTA_API penta_peak penta_peak_find(const penta_autocorr_bin *c1d, size_t bins, double prominence);

/* ---- displacement: where one image lies in another ---- */

enum penta_displacement_status {
    PENTA_DISPLACEMENT_OK = 0,
    PENTA_DISPLACEMENT_AMBIGUOUS, /* the images agree, but nearly as well at other offsets: a pattern that repeats or is
                                     the same all along a direction, light that stays where it is, or a peak that
                                     fills C2D, for which R is small */
    PENTA_DISPLACEMENT_NO_MATCH,  /* the highest peak is no higher, or no sharper, than one of unrelated images */
    PENTA_DISPLACEMENT_AT_EDGE,   /* the highest value is at the largest offset; dx and dy are whole pixels */
    PENTA_DISPLACEMENT_FLAT       /* no finite value above 0: an image is constant */
};

/** "ok", "ambiguous", "no_match", "at_edge" or "flat". */
PENTA_API const char *penta_displacement_status_name(enum penta_displacement_status status);

/** What the image shows at (x, y), the second image shows at (x + dx, y + dy): px, x to the right, y down. The place of
 * the peak of their correlation by PENTA_AUTOCORR_PEARSON, whichever estimator the plan has. */
typedef struct {
    enum penta_displacement_status status;
    double dx, dy; /* NaN where the status is flat, like the rest */
    double peak;   /* the correlation coefficient at its highest offset */
    double score;  /* 1 - (highest other peak) / peak: 1 stands alone, 0 has an equal; at least 0 */
    double sigmas; /* peak above the mean of C2D away from it, in standard deviations of C2D there */
    /* px, standard errors of dx and dy, by how much C2D lacks symmetry about the peak. NaN where the status is at_edge
     * or flat, where C2D is too small for them, and where the peak has no curvature to tell the place by. They know
     * nothing of light that stays in place. */
    double dx_se, dy_se;
} penta_displacement;

/* ---- growth of the length scale over a series (Fig. 10 of the paper) ---- */

enum penta_growth_model {
    PENTA_GROWTH_PROPORTIONAL = 0, /* R = v t */
    PENTA_GROWTH_LINEAR,           /* R = R0 + v t */
    PENTA_GROWTH_POWER,            /* R = A (t - t0)^a */
    PENTA_GROWTH_MODELS
};

/** "proportional", "linear", "power". */
PENTA_API const char *penta_growth_model_name(enum penta_growth_model model);

/** Names of a model's parameters in the order of the arrays below: "v"; "R0","v"; "A","t0","a". NULL past the last. */
PENTA_API const char *penta_growth_parameter_name(enum penta_growth_model model, size_t index);

typedef struct {
    enum penta_growth_model model;
    bool ok;                  /* false: too few points, or no least-squares solution; the numbers are NaN */
    size_t parameters;        /* 1, 2 or 3 */
    double value[3];          /* NaN past the last parameter */
    double standard_error[3]; /* see penta_growth_fit_all */
    double aicc;              /* small-sample Akaike criterion, the least is best; NaN when n <= parameters + 2 */
    double rss;               /* residual sum of squares of the points kept, px^2, each counting as 1 */
    bool weighted;            /* by standard errors of the points; else the next four are NaN, 0, NaN and false */
    double chi2;              /* sum of (residual / standard error)^2 */
    size_t dof;               /* n - parameters */
    double p_value;           /* probability of a chi2 as large if the model and the errors are right; NaN for dof 0 */
    bool contradicted;        /* p_value below 0.01: the model (or the errors of the points) is not that of the data */
} penta_growth_fit;

/**
 * Least-squares fits of the three models to n points (time t in the caller's unit, r in px), in any order. Points with
 * a non-finite t or r are left out. t0 of the power law lies before the first time, by at most 1e4 times the time that
 * the series spans; where the least squares want it elsewhere (a line that falls, a constant, an exponential) that fit
 * is not ok.
 *
 * r_se (n standard errors of r, px; may be NULL) weighs the points by 1 / r_se^2 where every point that is used has one
 * that is finite and above 0; else all count the same (weighted false). Without weights the covariance of the values is
 * rss / (n - parameters) (J^T J)^-1, NaN where n = parameters. With weights it is max(1, chi2 / dof) (J^T W J)^-1,
 * W = 1 / r_se^2: never less than what the errors of the points say, and never less than what the scatter about the
 * curve says. Where `contradicted` is set it is the scatter that speaks, and no error of a wrong model covers a truth.
 * AICc = n ln(S / n) + 2 k + 2 k (k + 1) / (n - k - 1), k = parameters + 1; S is rss, with weights chi2 times the
 * harmonic mean of r_se^2, and counts as at least 1e-18 of the same sum over r.
 *
 * outlier (n flags, may be NULL) returns the points set aside, which are left out of the fits: of at least 5 points
 * with r above 0, at most a quarter. Each is judged by the power law or line of the other points, with its residual
 * studentised by leverage (over 5.2, or 3.3 where it is 20 % off), and by its neighbours in ln r over ln (t - t0) (5 %
 * off). Where the other points contradict their law, only neighbours on both sides judge. If more than a quarter would
 * be set aside, none is. Errors: PENTA_INVALID (a null pointer), PENTA_MEMORY.
 */
PENTA_API penta_status penta_growth_fit_all(size_t n, const double *t, const double *r, const double *r_se,
                                            bool *outlier, penta_growth_fit fits[PENTA_GROWTH_MODELS]);

/**
 * penta_growth_fit_all over the peaks of n frames at times t: those whose status is PENTA_PEAK_OK count, weighted by
 * r_max_se where all of them have one.
 */
PENTA_API penta_status penta_growth_fit_peaks(size_t n, const double *t, const penta_peak *peaks, bool *outlier,
                                              penta_growth_fit fits[PENTA_GROWTH_MODELS]);

/** Whether a fit through so many points, outliers aside, says anything: two points and more beyond its parameters. */
PENTA_API bool penta_growth_shows(const penta_growth_fit *fit, size_t points);
/** One phrase where there are too few points for all or some of the fits; else NULL. */
PENTA_API const char *penta_growth_lacking(const penta_growth_fit fits[PENTA_GROWTH_MODELS], size_t points);

/** Value of a fitted model at time t; NaN if the fit is not ok, or for a power law before its t0. */
PENTA_API double penta_growth_at(const penta_growth_fit *fit, double t);

/* ---- the plan ---- */

/**
 * Whether a plan for such images can have these options: all rules of penta_autocorr_create but those of the device.
 * numerators: exact sums are wanted too. opt may be NULL for the defaults. width and height 0: the images are not known
 * yet, and the rules that need no size are checked. PENTA_INVALID: message (or NULL) gets one line, cut to size bytes,
 * with options in backquotes.
 */
PENTA_API penta_status penta_autocorr_check(size_t width, size_t height, penta_type type, bool numerators,
                                            const penta_autocorr_options *opt, char *message, size_t size);

typedef struct penta_autocorr penta_autocorr;

/** What one frame gives. The caller owns the arrays; each may be NULL when it is not wanted. */
typedef struct {
    double *c2d;         /* (2R+1) x (2R+1); NaN where no pixel pair overlaps */
    int64_t *numerators; /* (2R+1) x (2R+1), exact N(X,Y) of the images as they are, also where the mean is taken off;
                          * integer images without a plane removed only */
    penta_autocorr_bin *c1d; /* R+1 bins */
    penta_peak peak;
    penta_displacement displacement; /* of the second image; flat without one */
    size_t nan_pixels; /* pixels that the mask lets count and that are NaN in image or with: they were left out */
    double correlation_length; /* px: radius of the bin in which C1D has fallen to 1/e of its height beside the origin;
                                * the last radius where it does not fall so far; NaN without bins */
    const char *method;        /* "naive", "lines", "tiled" or "fft": what ran, valid for the program's life */
    const char *fft;           /* FFT backend that ran, or NULL */
} penta_autocorr_result;

/** One frame's input. */
typedef struct {
    const void *image;   /* height x width of the plan's type; a NaN excludes its pixel as a mask does, of I and J */
    const void *with;    /* second image J of the same size and type, or NULL: cross-correlation */
    const uint8_t *mask; /* height x width, 0 excludes the pixel (of I and J), or NULL */
} penta_autocorr_frame;

/**
 * Plan for frames of width x height elements of `type` (PENTA_U8, U16, F32, F64). opt may be NULL for the defaults.
 * Errors: PENTA_INVALID (an option out of range, an empty image, R not smaller than the image, single precision with
 * numerators), PENTA_MEMORY, PENTA_DEVICE, PENTA_BUILD, PENTA_UNSUPPORTED. On failure *out is NULL.
 */
PENTA_API penta_status penta_autocorr_create(penta_context *ctx, size_t width, size_t height, penta_type type,
                                             const penta_autocorr_options *opt, penta_autocorr **out);

/** R of the plan. */
PENTA_API size_t penta_autocorr_max_offset(const penta_autocorr *plan);

/** The number of frames that a run handles best at a time (more are split, fewer waste little). */
PENTA_API size_t penta_autocorr_batch(const penta_autocorr *plan);

/**
 * Runs n frames, which all have a second image or none, and all a mask or none. results[i] belongs to frames[i].
 * A peak with a doubt of enum penta_peak_doubt is PENTA_PEAK_WEAK.
 * A frame with NaN is correlated as a frame with a mask that excludes these pixels; frames without keep the sums of
 * frames without a mask. Errors: PENTA_INVALID (an infinite pixel; a mask that excludes every pixel, or NaN in all
 * that it leaves; numerators of a floating image),
 * PENTA_MEMORY, PENTA_DEVICE, PENTA_CANCELLED. After an error results hold nothing of use and the plan stays usable.
 */
PENTA_API penta_status penta_autocorr_run(penta_autocorr *plan, size_t n, const penta_autocorr_frame *frames,
                                          penta_autocorr_result *results);

/**
 * mean^2 / variance of the frame's pixels that count and are numbers, where the plan leaves the mean in a curve that
 * falls with the overlap (PENTA_AUTOCORR_EQ1 with PENTA_AUTOCORR_DEMEAN_NONE). Above 1 the mean outweighs the
 * structure in C1D, and R_max moves inwards or is lost. 0 for a constant image; NaN with other options or a second
 * image, where the question does not arise, and of frames in device memory. Several threads may call it at once.
 */
PENTA_API double penta_autocorr_mean_ratio(const penta_autocorr *plan, const penta_autocorr_frame *frame);

/**
 * Whether a ratio of n frames is above 1; then message (or NULL) gets one line that says so, cut to size bytes, with
 * options in backquotes. Frames whose ratio is NaN do not count.
 */
PENTA_API bool penta_autocorr_mean_warning(size_t n, const double *ratios, char *message, size_t size);

/** NULL is fine. */
PENTA_API void penta_autocorr_destroy(penta_autocorr *plan);

PENTA_END_DECLS
#endif
