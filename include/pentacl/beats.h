/*
 * Beats of an optical-mapping movie and what they look like in each pixel: activation, repolarisation, duration of the
 * action potential (APD), conduction velocity.
 *
 * Movies are frames x height x width float32 that rise on depolarisation (penta_optmap's `filtered`); a pixel with a
 * NaN in any frame counts nowhere. Times are in ms from the first frame, rates in Hz. Maps are height x width float32
 * in a row for each beat, NaN where there is no value.
 */
#ifndef PENTACL_BEATS_H
#define PENTACL_BEATS_H

#include <stdbool.h>
#include <stdint.h>

#include <pentacl/context.h>
#include <pentacl/options.h>

PENTA_BEGIN_DECLS

typedef struct {
    size_t frames, height, width;
    double frame_rate_hz;
    const float *data;
} penta_movie_view;

typedef struct {
    size_t size;         /* of this struct, by penta_beats_options_init */
    double refractory;   /* ms, least time from one beat's upstroke to the next one's */
    double threshold;    /* 0 .. 1 of the range of m: a climb that is less, or is not ended by a fall of as much, is no
                            beat of its own */
    int velocity_window; /* px, odd: side of the square in which the activation surface is fitted; 0: 7, or as many as
                            the noise asks for (penta_velocity_matched) */
    int velocity;        /* enum penta_velocity_method */
    double min_upstroke; /* 0 .. 1: a pixel whose own amplitude is less than that share of the beat's median one has no
                            values in this beat */
    int beat_smoothing;  /* enum penta_beat_smoothing */
} penta_beats_options;

enum penta_beat_smoothing {
    PENTA_BEAT_SMOOTHING_AUTO = 0, /* as much as the noise asks for: none at 50 dB or more */
    PENTA_BEAT_SMOOTHING_NONE      /* each trace is measured as it is */
};

enum penta_velocity_method {
    PENTA_VELOCITY_BAYLY = 0, /* least-squares polynomial of degree 2 (P. V. Bayly et al., IEEE TBME 45 (1998) 563) */
    PENTA_VELOCITY_GRADIENT,  /* central differences */
    PENTA_VELOCITY_ROBUST     /* the polynomial by weights that leave out what does not fit, where something does not */
};

/** The options with their defaults and ranges, PENTA_OPTIONS_END behind the last. */
PENTA_API const penta_option *penta_beats_option_table(void);
/** Makes the struct ready: its size, and every option's default. */
static inline void penta_beats_options_init(penta_beats_options *options)
{
    options->size = sizeof *options;
    penta_options_init(penta_beats_option_table(), options);
}

/** Every rule of the options. opt may be NULL. On failure returns PENTA_INVALID and writes one line, which names
 * options in backquotes, into message (which may be NULL). */
PENTA_API penta_status penta_beats_check(const penta_beats_options *opt, char *message, size_t size);

/*
 * A beat: a climb of the mean signal m of all pixels, frames. The movie is cut between two of them within the longest
 * run of frames in which hardly any pixel rises (the mean square of positive slopes is within 10 % of its least), an
 * eighth of that run before its end, so that a wave may take any time that the cycle leaves. A mean signal whose range
 * is below a tenth of the mean pixel's has no beats: noise, or waves that go round and round (rotors.h). Nor has one
 * that is noise: its standard deviation is below 0.3 of the mean pixel's and no slope is 8 times its median one; one of
 * the two is enough if pixels, one by one, climb more than twice for each climb of m. Nor has a
 * movie of waves that overlap, for which a beat of the whole field would mean nothing: all pixels climb alike, and by 2
 * more than m, or without a pause in which hardly any does.
 */
typedef struct {
    size_t first, end; /* half-open: from before the first pixel's upstroke to before the next beat's, or the end */
    double upstroke;   /* of the mean signal: its steepest place, sub-frame */
} penta_beat;

/**
 * Beats of a movie, in order; *beats is freed with free. None is no error: *count is 0 and *beats NULL. Errors:
 * PENTA_INVALID (no valid pixel, frame rate not above 0, an option out of range), PENTA_MEMORY, PENTA_DEVICE.
 */
PENTA_API penta_status penta_beats_find(penta_context *ctx, const penta_movie_view *movie,
                                        const penta_beats_options *opt, penta_beat **beats, size_t *count);

/**
 * How often each pixel climbs, counted as the climbs of m are, whatever the refractory time. climbs: height x width,
 * NaN where not valid. More than penta_beats_find finds beats: waves that follow one another before the last has left
 * the field, or that go round and round; much more, and more in some pixels than in others: noise. Errors as there.
 */
PENTA_API penta_status penta_beats_climbs(penta_context *ctx, const penta_movie_view *movie,
                                          const penta_beats_options *opt, float *climbs);

enum { PENTA_APD_LEVELS = 4 }; /* 30, 50, 80, 90 % of repolarisation */
PENTA_API extern const int penta_apd_levels[PENTA_APD_LEVELS];

/*
 * Maps, beats x height x width each; all by penta_beats_measure, freed by penta_beat_maps_free. The slope is that of
 * the parabola through 5 samples (Savitzky and Golay). The peak is the largest sample from the upstroke on, the
 * baseline the diastolic level before: the onset is the last sample whose slope is at most a tenth of the largest;
 * diastole begins after the last two successive samples that lie above the mean of the 5 up to the onset by a quarter
 * of the way to the peak (the end of the action potential before), or with the beat; its later half, less the last
 * eighth, is averaged. A beat without an onset, of a recording that begins in the upstroke, has an activation and
 * nothing else. Where a level lies between two samples the line between them is meant, and of several times the first
 * after the peak.
 */
typedef struct {
    size_t beats, height, width;
    float *activation;     /* ms: the largest slope, by a parabola through it and its neighbours */
    float *repolarisation; /* ms: 80 % back from peak to baseline; NaN, like its APD, where that is not in the beat */
    float *apd[PENTA_APD_LEVELS]; /* ms, from activation */
    float *rise;                  /* ms, from 10 % to 90 % of the upstroke */
    float *amplitude;             /* of the movie: peak less baseline before */
    float *snr;     /* dB: amplitude over the standard deviation of the noise, which is the median absolute
                       second difference of the whole trace over 1.65 (of white noise: its standard deviation); NaN
                       where that is 0, as in most movies without noise */
    double *timing; /* of each beat, ms: the error of the activation of one pixel by itself that its noise allows (the
                       bound of Cramer and Rao); 0 where nothing was smoothed */
    /* Activations of all beats: that were sought; that contradicted their neighbours at first, and were sought again
       near them; that then had none that agrees, and are NaN. All 0 where nothing was smoothed. */
    size_t sought, resought, rejected;
} penta_beat_maps;

/** Errors as penta_beats_find, and PENTA_INVALID for a beat that is not in the movie. On failure *out is empty, and so
 * it is, without an error, with no beats. */
PENTA_API penta_status penta_beats_measure(penta_context *ctx, const penta_movie_view *movie,
                                           const penta_beats_options *opt, const penta_beat *beats, size_t count,
                                           penta_beat_maps *out);
PENTA_API void penta_beat_maps_free(penta_beat_maps *maps); /* empties it; an empty one is fine */

/**
 * Signal to noise of a filtered movie, whose noise is not white: amplitude over what is left of diastole less a
 * straight line, dB. recorded_frames: of the movie before it was interpolated. maps: of its beats; snr: beats x height
 * x width, NaN where diastole is too short. Errors: PENTA_INVALID (more recorded frames than there are), PENTA_MEMORY.
 */
PENTA_API penta_status penta_beats_snr_filtered(penta_context *ctx, const penta_movie_view *movie,
                                                size_t recorded_frames, const penta_beat_maps *maps, float *snr);

/**
 * Skewness of the steps from frame to frame: the median of up to 4096 pixels. Upstrokes are steeper than
 * repolarisations: positive where the signal rises on depolarisation; below -0.5 the movie's polarity may be wrong. 0:
 * no pixel with a signal. Errors: PENTA_MEMORY.
 */
PENTA_API penta_status penta_beats_skewness(penta_context *ctx, const penta_movie_view *movie, double *skewness);

/**
 * Conduction velocity from an activation map (height x width, ms): velocity: 2 x height x width, cm/s, x then y (down).
 * v = grad T / |grad T|^2. pixel_size: cm. NaN where the pixel's own time is not known, or its surface is not (9 pixels
 * of the window, not on two lines; with differences all four neighbours), or the gradient is 0. PENTA_INVALID: an even
 * window, a pixel size not above 0.
 */
PENTA_API penta_status penta_velocity(penta_context *ctx, size_t width, size_t height, const float *activation,
                                      double pixel_size, const penta_beats_options *opt, float *velocity);

/**
 * The same with a window that the noise asks for, where the option says 0: the slopes of the median gradient have
 * errors of 15 %, and, of PENTA_VELOCITY_ROBUST, with a polynomial of degree 3 in windows of which
 * 80 % are known (degree 2 and all windows, where those leave fewer than a quarter of the pixels), timing
 * (penta_beat_maps) being that of each time by itself; 7 to 31 px, and no more than a third of the side of a square of
 * as many pixels as have a time. Where the error of a gradient is half of it, as at edges and where all is activated at
 * once, there is no velocity (NaN). *window (may be NULL): the one taken.
 */
PENTA_API penta_status penta_velocity_matched(penta_context *ctx, size_t width, size_t height, const float *activation,
                                              double timing, double pixel_size, const penta_beats_options *opt,
                                              float *velocity, int *window);

/**
 * Alternans of successive beats of a regular rhythm (penta_beats_regular): the median step of a map from even to odd
 * beats over the mean of both, in per cent; (b - a) / (b + a) * 2 where even beats are a and odd ones b. map: beats x
 * height x width; out: height x width. 0 where fewer than three quarters of the steps have its sign: what does not go
 * up and down is no alternans. NaN where fewer than PENTA_ALTERNANS_BEATS successive beats are known. Errors:
 * PENTA_MEMORY.
 */
PENTA_API penta_status penta_alternans(penta_context *ctx, size_t beats, size_t width, size_t height, const float *map,
                                       float *out);

enum { PENTA_ALTERNANS_BEATS = 4 };

/** The longest run of beats whose cycles are within 10 % of one another: how many beats it has, from *first. */
PENTA_API size_t penta_beats_regular(const penta_beat *beats, size_t count, size_t *first);

/** Pixels that alternans needs before it is one of the heart: a tenth of the valid ones, and 25. */
PENTA_API size_t penta_alternans_least(size_t valid_pixels);

/**
 * The window of the mean beat: as long before and after the upstroke as the median beat has it. *frames is 0 without
 * beats. Errors: PENTA_MEMORY.
 */
PENTA_API penta_status penta_beats_window(penta_context *ctx, const penta_beat *beats, size_t count, size_t *before,
                                          size_t *frames);

/**
 * The mean beat: windows of `frames` frames about each beat's upstroke (before frames ahead of it) are added, whole
 * frames, and divided by their number; beats whose window leaves the movie are left out (*used counts the others).
 * A window begins at floor(upstroke) - before. out: frames x height x width, NaN where nothing is known, and everywhere
 * when *used is 0.
 */
PENTA_API penta_status penta_beats_average(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats,
                                           size_t count, size_t before, size_t frames, float *out, size_t *used);

PENTA_END_DECLS
#endif
