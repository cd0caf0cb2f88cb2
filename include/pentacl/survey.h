/*
 * A look at an optical-mapping movie before it is conditioned: where the tissue is, which pixels of the camera are bad,
 * how much light bleaching takes, how far the tissue moves. On the host; every frame is read a few times.
 */
#ifndef PENTACL_SURVEY_H
#define PENTACL_SURVEY_H

#include <pentacl/optmap.h>

PENTA_BEGIN_DECLS

/* What a pixel is. */
enum penta_survey_kind {
    PENTA_SURVEY_TISSUE = 0,
    PENTA_SURVEY_BACKGROUND, /* dark beside the tissue, or without its signal */
    PENTA_SURVEY_STUCK,      /* dead or hot: does not change, or is far darker or brighter than its neighbours */
    PENTA_SURVEY_JUMPING,    /* telegraph noise: does what its neighbours do not */
    PENTA_SURVEY_MASKED,     /* left out by the movie's mask */
    PENTA_SURVEY_KINDS
};

enum { PENTA_SURVEY_MOST_DEGREE = 4 };

typedef struct {
    size_t width, height, frames;
    uint8_t *kind;                     /* height x width: enum penta_survey_kind */
    size_t counts[PENTA_SURVEY_KINDS]; /* pixels of each */
    bool found;       /* there is a background; without one, or when nothing tells it from tissue, all pixels that are
                         not bad are tissue */
    double amplitude; /* of the median pixel's signal, of its mean F: that of an action potential, roughly */
    int drift;        /* degree of the polynomial of bleaching, -1: none that matters */
    double lost;      /* share of F that goes from the first to the last frame, by that polynomial or a straight line */
    double lost_error;   /* its standard error */
    bool drift_unsure;   /* that loss would matter, but the rests between beats are too few to tell it from them */
    double shift;        /* px: how far the tissue's border moves as a whole; NaN without a border */
    double growth;       /* px: how far it grows or shrinks */
    double motion_noise; /* px: what noise alone makes of it, about */
} penta_survey;

/**
 * Surveys a movie of width x height pixels and `frames` frames. polarity: enum penta_optmap_polarity. movie->mask, if
 * there is one, says what tissue is; pixels in it can still be bad. Pixels are judged beside their neighbours: by their
 * light, the spread and the correlation in time of their signals. Neither what a pixel's amplitude is nor how it
 * compares with others' decides, so that a rotor's core is tissue; holes in the tissue are filled. F is the quotient of
 * the two cameras where there are two, and light that of the first. *out is emptied first and freed by
 * penta_survey_free. Pixels with a number that is not finite do not count. Errors: PENTA_INVALID (an empty movie, of
 * i64), PENTA_MEMORY, PENTA_CANCELLED (by the callback of penta_context_set_progress, which is asked now and then).
 */
PENTA_API penta_status penta_survey_run(penta_context *ctx, size_t width, size_t height, size_t frames,
                                        const penta_movie *movie, int polarity, penta_survey *out);
PENTA_API void penta_survey_free(penta_survey *survey); /* empties it; an empty one is fine */

/** Whether the tissue moves by more than noise makes of it, and enough to matter: signals near borders are of motion.
 */
PENTA_API bool penta_survey_moves(const penta_survey *survey);
/** Whether the light goes by enough to matter. */
PENTA_API bool penta_survey_bleaches(const penta_survey *survey);

/* ---- numbers that the camera spoilt ---- */

/* Pixels that the camera's converter cut off. */
typedef struct {
    size_t pixels; /* saturated: at `level` in two successive frames */
    double level;  /* the largest number of the type, or of a converter of 8, 10, 12, 14 or 16 bits if that is the
                      largest of the movie; 0: the movie reaches neither */
} penta_saturation;

/** Of a movie of numbers of this type: `frames` pointers to height x width. ctx: for the error's text and to cancel;
 * may be NULL. Errors: PENTA_INVALID (an empty movie, of i64), PENTA_MEMORY, PENTA_CANCELLED. */
PENTA_API penta_status penta_survey_saturation(penta_context *ctx, size_t width, size_t height, size_t frames,
                                               penta_type type, const void *const *data, penta_saturation *out);
/** Whether so many pixels are saturated that nothing should be measured: more than half. */
PENTA_API bool penta_saturation_is_excessive(const penta_saturation *saturation, size_t width, size_t height);

/** *pixels: those of a movie of u16 that jump between the lowest and the highest quarter of the numbers from one frame
 * to the next, as those below 0 do that wrapped round; of other types none. As penta_survey_saturation. */
PENTA_API penta_status penta_survey_wrapped(penta_context *ctx, size_t width, size_t height, size_t frames,
                                            penta_type type, const void *const *data, size_t *pixels);

PENTA_END_DECLS
#endif
