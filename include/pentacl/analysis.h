/*
 * From a recording of a heart to maps of its beats, in one call, with the automatic choices of `penta optmap`: which
 * pixels are tissue, which of the camera's are bad, how much bleaching is taken off, where beats are, how much
 * smoothing and how large a window the noise asks for. What should be looked at before the numbers are believed comes
 * as a list of doubts.
 *
 *   penta_analysis *analysis;
 *   penta_findings found;
 *   penta_analysis_create(ctx, NULL, &analysis);
 *   penta_analysis_run(analysis, &recording, &found);       found.maps.activation, found.velocity, ..
 *   penta_findings_free(&found);
 *   penta_analysis_destroy(analysis);
 */
#ifndef PENTACL_ANALYSIS_H
#define PENTACL_ANALYSIS_H

#include <pentacl/beats.h>
#include <pentacl/optmap.h>
#include <pentacl/rotors.h>
#include <pentacl/survey.h>

PENTA_BEGIN_DECLS

/* What the camera recorded. */
typedef struct penta_recording {
    size_t width, height, frames;
    double frame_rate_hz;
    penta_movie movie; /* movie.mask: what is tissue; NULL: that is found out, unless the options say otherwise */
} penta_recording;

/* penta_analysis_options_init sets the defaults: all 0 but for size. */
typedef struct penta_analysis_options {
    size_t size;
    double pixel_size;                        /* cm, the side of a pixel; 0: not known, and there are no velocities */
    double low, high;                         /* Hz: where dominant frequencies are looked for; high 0: half the rate */
    bool keep_background;                     /* all pixels are taken as tissue */
    bool keep_bad;                            /* so are dead, hot and jumping ones */
    bool accept_saturated;                    /* a movie with more than half of its pixels saturated is no error */
    bool shifts;                              /* findings.result.shifts are wanted */
    bool average;                             /* findings.average is wanted */
    const penta_optmap_options *conditioning; /* these three: NULL: the defaults */
    const penta_beats_options *beats;
    const penta_rotors_options *rotors;
    bool keep_frames; /* spoilt frames and flicker are left as they are (penta_amends) */
} penta_analysis_options;

static inline void penta_analysis_options_init(penta_analysis_options *options)
{
    const penta_analysis_options initial = {sizeof initial, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    *options = initial;
}

enum { PENTA_MOST_FLICKERS = 8 };

/* Flicker of a lamp, or of mains in the electronics, in all pixels at once. */
typedef struct penta_flicker {
    double source_hz; /* 50, 60, 100 or 120 */
    double seen_hz;   /* what the frame rate makes of it */
    double share;     /* its amplitude over the mean light */
    bool added;       /* the same in all pixels; otherwise in proportion to their light */
} penta_flicker;

/* What the camera and the lamps spoilt, and what is conditioned instead. */
typedef struct penta_amends {
    size_t black, bright, repeated; /* frames, of both cameras; they are interpolated */
    penta_flicker flickers[PENTA_MOST_FLICKERS];
    size_t flicker_count;
    penta_movie movie; /* the recording's where nothing was spoilt: frames are NULL then */
    const void **frames[2];
    void *made[2];
} penta_amends;

/* What a sample of the recording's numbers says, of the first camera. */
typedef struct penta_glance {
    double light;    /* the median pixel's mean */
    double negative; /* share of the pixels whose mean is below 0 */
    double step;     /* all numbers are multiples of it; 0: they are no counts */
    bool swapped;    /* with their bytes in the other order numbers would be far smoother in time */
    /* Shares of the changes within squares of 7 x 7 px, less those of noise: what a change of light gives, and what a
     * shift of the picture gives besides. */
    double by_light, by_shift;
} penta_glance;

/* All that comes of a recording. Arrays are its own; NULL where there is nothing. */
typedef struct penta_findings {
    size_t width, height, frames;
    double frame_rate_hz;
    double pixel_size;              /* as the options said */
    penta_saturation saturation[2]; /* of the movie, of the second camera */
    size_t wrapped;                 /* pixels whose numbers seem to have wrapped round (penta_survey_wrapped) */
    penta_amends amends;
    penta_glance glance; /* of the pixels that are taken */
    penta_survey survey; /* empty where nothing asked for it */
    bool background_left_out, bad_left_out;
    uint8_t *mask;      /* height x width: 1 where pixels are taken; NULL: as the recording's mask says */
    bool chose_drift;   /* the degree is the survey's */
    int drift;          /* degree of the polynomial that was taken off; PENTA_OPTMAP_DRIFT_NONE: none */
    bool down;          /* the polarity that was taken */
    const char *engine; /* "fast" or "literal" */

    penta_optmap_result result; /* filtered, traces, valid; shifts if wanted */
    penta_movie_view filtered;  /* of result */
    penta_movie_view traces;    /* of result, at the camera's rate: what phases are taken from */
    double skewness;            /* penta_beats_skewness of the filtered movie */

    penta_beat *beats;
    size_t beat_count;
    penta_beat *minor; /* climbs of the mean signal below the threshold that could be beats: from first to end */
    size_t minor_count;
    double minor_height;           /* of the largest, of the mean signal's range */
    float *climbs;                 /* height x width: how often each pixel rises by itself; NaN where not valid */
    size_t typical_climbs;         /* their lower median */
    size_t noisy_pixels;           /* of climbs_known: those that rise more than twice for each beat, and once more */
    size_t climbs_known;           /* pixels that have a number of climbs */
    penta_beat_maps maps;          /* times in ms from the first frame */
    float *snr_filtered;           /* beats x height x width, dB; maps.snr is of the traces before the filter */
    float *velocity;               /* beats x 2 x height x width, cm/s; NULL without a pixel size */
    size_t regular_beats;          /* in the longest stretch of regular rhythm (penta_beats_regular) */
    float *alternans;              /* height x width, per cent, of APD80 in that stretch */
    float *frequency, *regularity; /* height x width: Hz; 0 .. 1 */
    float *phase;                  /* frames of traces x height x width, radians */
    size_t phase_pixels;           /* valid ones that have a phase in at least half of the frames */
    penta_singularity *singularities;
    size_t singularity_count;
    penta_rotor *rotors;
    size_t rotor_count;
    float *average; /* average_frames x height x width: the mean beat; NULL: not wanted */
    size_t average_frames, averaged_beats;
} penta_findings;

typedef struct penta_analysis penta_analysis;

/**
 * Every rule of the options, and of a recording of this shape and rate (width, height and frames 0: not known yet; so
 * the rate). On failure returns PENTA_INVALID and writes one line, which names options in backquotes, into message
 * (which may be NULL).
 */
PENTA_API penta_status penta_analysis_check(size_t width, size_t height, size_t frames, double frame_rate_hz,
                                            const penta_analysis_options *opt, char *message, size_t size);

/** A plan for any number of recordings. opt may be NULL for the defaults; it is copied, but for texts that it points
 * at. Errors: PENTA_INVALID (penta_analysis_check), PENTA_MEMORY. On failure *out is NULL. */
PENTA_API penta_status penta_analysis_create(penta_context *ctx, const penta_analysis_options *opt,
                                             penta_analysis **out);

/**
 * All of a recording: the three steps below, one after another. *found is emptied first and freed by
 * penta_findings_free, also after a failure. Reports progress. Errors: PENTA_INVALID (penta_analysis_check; more than
 * half of the pixels are saturated; a number that is not finite; no valid pixel), PENTA_MEMORY, PENTA_DEVICE,
 * PENTA_CANCELLED. After a failure the plan can be used again.
 */
PENTA_API penta_status penta_analysis_run(penta_analysis *plan, const penta_recording *recording,
                                          penta_findings *found);

/** The first step: saturation, wrapping, the survey, the mask. *found is empty; or its saturation and `wrapped` are
 * known already, when `inspected` says so. */
PENTA_API penta_status penta_analysis_survey(penta_analysis *plan, const penta_recording *recording, bool inspected,
                                             penta_findings *found);
/** The second one: the filtered movie and the traces. */
PENTA_API penta_status penta_analysis_condition(penta_analysis *plan, const penta_recording *recording,
                                                penta_findings *found);
/** The last one: beats, maps, phases, rotors. */
PENTA_API penta_status penta_analysis_measure(penta_analysis *plan, penta_findings *found);

PENTA_API void penta_analysis_destroy(penta_analysis *plan); /* NULL is fine */
PENTA_API void penta_amends_free(penta_amends *amends);      /* empties them; empty ones are fine */
PENTA_API void penta_findings_free(penta_findings *found);   /* empties it; an empty one is fine */

/* ---- doubts ---- */

enum penta_doubt_kind {
    PENTA_DOUBT_SATURATED = 0,    /* pixels at the converter's end in successive frames */
    PENTA_DOUBT_SECOND_SATURATED, /* of the second camera */
    PENTA_DOUBT_WRAPPED,          /* numbers that jump between the ends of 16 bits */
    PENTA_DOUBT_FRAMES,           /* spoilt frames are interpolated */
    PENTA_DOUBT_FLICKER,          /* is taken off */
    PENTA_DOUBT_SWAPPED,          /* numbers that would be smooth in time with their bytes in the other order */
    PENTA_DOUBT_NEGATIVE,         /* pixels whose mean light is below 0 */
    PENTA_DOUBT_FEW_COUNTS,       /* the action potential is a few of the numbers' steps high */
    PENTA_DOUBT_TIME_ALONG_X,     /* rows may be traces */
    PENTA_DOUBT_TIME_ALONG_Y,     /* and columns */
    PENTA_DOUBT_RATE,             /* cycles that no heart has, or the camera cannot follow */
    PENTA_DOUBT_BACKGROUND,       /* pixels are left out as background */
    PENTA_DOUBT_BAD_PIXELS,       /* and as bad */
    PENTA_DOUBT_BLEACHING,        /* was taken off */
    PENTA_DOUBT_BLEACHING_LEFT,   /* is left in */
    PENTA_DOUBT_BLEACHING_UNSURE, /* is left in, as the record does not prove it */
    PENTA_DOUBT_MOTION,           /* the tissue moves */
    PENTA_DOUBT_PICTURE_MOVES,    /* what changes is the place of the picture, not its light */
    PENTA_DOUBT_POLARITY,         /* signals fall faster than they rise */
    PENTA_DOUBT_NO_BEAT,          /* none was found, and single pixels do not rise either */
    PENTA_DOUBT_NO_COMMON_BEAT,   /* none was found, but single pixels rise, or there are rotors */
    PENTA_DOUBT_MORE_CLIMBS,      /* single pixels rise more often than there are beats */
    PENTA_DOUBT_MINOR_CLIMBS,     /* a climb below the threshold could be a beat */
    PENTA_DOUBT_NOISE,            /* some rise more than twice for each beat */
    PENTA_DOUBT_NOISY_BACKGROUND, /* and there is a background that was not left out */
    PENTA_DOUBT_UPSTROKES,        /* activations are spread like noise */
    PENTA_DOUBT_REPOLARISATION,   /* most pixels do not come back before the next beat */
    PENTA_DOUBT_PHASES,           /* many pixels have no phase */
    PENTA_DOUBT_REJECTED,         /* activations that contradict their neighbours */
    PENTA_DOUBT_ALTERNANS,        /* known in too few pixels to be stated */
    PENTA_DOUBT_VELOCITY,         /* faster or slower than heart tissue conducts */
    PENTA_DOUBT_KINDS
};

typedef struct penta_doubt {
    int kind;       /* enum penta_doubt_kind */
    char text[240]; /* one line without a full stop; options are named in backquotes, as `threshold` */
} penta_doubt;

/** What should be looked at, in the order of the kinds, each kind once at most: returns how many there are, the first
 * `most` of them in doubts. */
PENTA_API size_t penta_findings_doubts(const penta_findings *found, penta_doubt *doubts, size_t most);

PENTA_END_DECLS
#endif
