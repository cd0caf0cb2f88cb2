/* Warnings to check before findings are believed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <pentacl/analysis.h>
#include <pentacl/findings.h>
#include <pentacl/numbers.h>

#include "optmap/amend.h"

static const double suspicious = -0.5;    /* skewness of steps; noise only brings it nearer to 0 */
static const double enough_phases = 0.9;  /* fraction of valid pixels */
static const double many_rejected = 0.01; /* fraction of activations */
/* cm/s, of medians: outside the usual range of hearts, from some cm/s in the atrioventricular node to some m/s in
 * Purkinje fibres. */
static const double fastest = 500, slowest = 1;

typedef struct {
    const penta_findings *found;
    penta_doubt *doubts;
    size_t most, count;
} list;

static void add(list *l, int kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add(list *l, int kind, const char *format, ...)
{
    va_list values;

    if (l->count < l->most) {
        l->doubts[l->count].kind = kind;
        va_start(values, format);
        penta_vsnprintf(l->doubts[l->count].text, sizeof l->doubts[l->count].text, format, values);
        va_end(values);
    }
    l->count++;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* ---- the recording ---- */

static void doubt_numbers(list *l)
{
    const penta_findings *f = l->found;
    size_t pixels = f->width * f->height;

    for (int i = 0; i < 2; i++)
        if (f->saturation[i].pixels > 0)
            add(l, i ? PENTA_DOUBT_SECOND_SATURATED : PENTA_DOUBT_SATURATED,
                "%zu of %zu pixels are saturated, at %.10g in successive frames", f->saturation[i].pixels, pixels,
                f->saturation[i].level);
    if (f->wrapped > 0)
        add(l, PENTA_DOUBT_WRAPPED,
            "%zu of %zu pixels jump between numbers near 0 and near 65535; if those are below 0 and wrapped round, "
            "read them as such",
            f->wrapped, pixels);
}

static void doubt_mask(list *l)
{
    const penta_findings *f = l->found;
    const size_t *counts = f->survey.counts;
    size_t bad = f->bad_left_out ? counts[PENTA_SURVEY_STUCK] + counts[PENTA_SURVEY_JUMPING] : 0;

    if (f->background_left_out && counts[PENTA_SURVEY_BACKGROUND] > 0)
        add(l, PENTA_DOUBT_BACKGROUND, "%zu of %zu pixels are left out as background", counts[PENTA_SURVEY_BACKGROUND],
            f->width * f->height);
    if (bad > 0)
        add(l, PENTA_DOUBT_BAD_PIXELS,
            "%zu pixels are left out as bad: %zu stuck, %zu that jump as their neighbours do not", bad,
            counts[PENTA_SURVEY_STUCK], counts[PENTA_SURVEY_JUMPING]);
}

static void doubt_light(list *l)
{
    const penta_findings *f = l->found;
    double percent = 100 * f->survey.lost;
    const char *goes = percent > 0 ? "falls" : "grows";

    if (penta_survey_bleaches(&f->survey) && f->drift >= 0)
        add(l, PENTA_DOUBT_BLEACHING,
            "the light %s by %.3g %% from the first to the last frame; a polynomial of degree %d is taken off", goes,
            fabs(percent), f->drift);
    else if (penta_survey_bleaches(&f->survey))
        add(l, PENTA_DOUBT_BLEACHING_LEFT,
            "the light %s by %.3g %% from the first to the last frame, which is left in (`drift` auto takes it off)",
            goes, fabs(percent));
    else if (f->chose_drift && f->survey.drift_unsure)
        add(l, PENTA_DOUBT_BLEACHING_UNSURE,
            "the light %s by %.3g %% from the first to the last frame; there is too little rest between beats to tell "
            "bleaching from them, so nothing is taken off (`drift` 1 takes a straight line off)",
            goes, fabs(percent));
    if (penta_survey_moves(&f->survey))
        add(l, PENTA_DOUBT_MOTION,
            "the tissue moves, by %.2g px to the side and %.2g px in size; near borders and vessels signals are of "
            "motion",
            f->survey.shift, f->survey.growth);
}

/* ---- beats ---- */

/* Warns of inverted polarity: upstrokes should be steeper than what follows them. */
static void doubt_polarity(list *l)
{
    const penta_findings *f = l->found;

    if (f->skewness < suspicious)
        add(l, PENTA_DOUBT_POLARITY,
            "its signals fall faster than they rise, as if depolarisation were %s; if so, give `polarity` %s",
            f->down ? "a gain of light" : "a loss of light", f->down ? "up" : "down");
}

/* Compares single pixels with the beats of the field. */
static void doubt_beats(list *l)
{
    const penta_findings *f = l->found;
    bool background = f->survey.kind && f->survey.counts[PENTA_SURVEY_BACKGROUND] > 0 && !f->background_left_out;

    if (f->beat_count == 0 && f->typical_climbs == 0)
        add(l, PENTA_DOUBT_NO_BEAT, "no beat was found; a lower `threshold` may find some");
    else if (f->beat_count == 0)
        add(l, PENTA_DOUBT_NO_COMMON_BEAT,
            "no beat was found, though single pixels rise %zu time%s (median); waves that go round or overlap are no "
            "beats of the field, and neither is noise",
            f->typical_climbs, plural(f->typical_climbs));
    else if (f->typical_climbs > f->beat_count)
        add(l, PENTA_DOUBT_MORE_CLIMBS,
            "%zu beat%s found, but single pixels rise %zu times (median): look at the movie for waves that overlap, "
            "and for noise",
            f->beat_count, f->beat_count == 1 ? " was" : "s were", f->typical_climbs);
    if (f->beat_count > 0 && 10 * f->noisy_pixels > f->climbs_known)
        add(l, background ? PENTA_DOUBT_NOISY_BACKGROUND : PENTA_DOUBT_NOISE,
            "%zu of %zu pixels rise more than twice for each beat, as noise does", f->noisy_pixels, f->climbs_known);
}

/* Warns of beats, except the last one, which the movie's end may cut, in which most pixels that have an amplitude do
 * not repolarise by 80 %. */
static void doubt_repolarisation(list *l)
{
    const penta_findings *f = l->found;
    size_t pixels = f->width * f->height, beats = 0;

    for (size_t b = 0; b + 1 < f->beat_count; b++) {
        size_t active = 0, back = 0;

        for (size_t i = b * pixels; i < (b + 1) * pixels; i++) {
            active += isfinite(f->maps.amplitude[i]) != 0;
            back += isfinite(f->maps.repolarisation[i]) != 0;
        }
        beats += 2 * back < active;
    }
    if (beats > 0)
        add(l, PENTA_DOUBT_REPOLARISATION,
            "in %zu beat%s most pixels do not come back by 80 %% before the next, so they have no APD80%s", beats,
            plural(beats), f->drift < 0 && f->survey.drift >= 0 ? "; `drift` auto takes bleaching off" : "");
}

static void doubt_maps(list *l)
{
    const penta_findings *f = l->found;
    size_t known = 0;

    if ((double)f->phase_pixels < enough_phases * (double)f->result.valid_pixels)
        add(l, PENTA_DOUBT_PHASES,
            "in %zu of %zu valid pixels the signal is good enough for a phase (`min_amplitude`, in half of the "
            "frames); rotors in the others are not found",
            f->phase_pixels, f->result.valid_pixels);
    if ((double)f->maps.rejected > many_rejected * (double)f->maps.sought)
        add(l, PENTA_DOUBT_REJECTED,
            "%zu of %zu activations contradict their neighbours, also when they are sought near them, and are left out",
            f->maps.rejected, f->maps.sought);
    for (size_t i = 0; f->alternans && i < f->width * f->height; i++)
        known += isfinite(f->alternans[i]) != 0;
    if (known > 0 && known < penta_alternans_least(f->result.valid_pixels))
        add(l, PENTA_DOUBT_ALTERNANS, "alternans is not stated: %zu pixels have one, but %zu are needed", known,
            penta_alternans_least(f->result.valid_pixels));
}

/* A side of a pixel in mm, um or m instead of cm gives velocities that no tissue has. */
static void doubt_velocity(list *l)
{
    penta_findings_statistics s;
    penta_findings_map map;

    if (!penta_findings_map_named(l->found, "cv", &map))
        return;
    penta_findings_summarise(l->found, &map, 0, map.count, &s);
    if (s.count > 0 && (s.median > fastest || s.median < slowest))
        add(l, PENTA_DOUBT_VELOCITY,
            "the conduction velocity, %.3g cm/s (median), is one that no heart tissue has; `pixel_size` is in cm, the "
            "rate in frames a second",
            s.median);
}

size_t penta_findings_doubts(const penta_findings *found, penta_doubt *doubts, size_t most)
{
    list l = {found, doubts, most, 0};
    char text[240];

    doubt_numbers(&l);
    if (amend_frames_text(&found->amends, text, sizeof text))
        add(&l, PENTA_DOUBT_FRAMES, "%s", text);
    if (amend_flicker_text(&found->amends, text, sizeof text))
        add(&l, PENTA_DOUBT_FLICKER, "%s", text);
    if (found->survey.kind) {
        doubt_mask(&l);
        doubt_light(&l);
    }
    doubt_polarity(&l);
    doubt_beats(&l);
    doubt_repolarisation(&l);
    doubt_maps(&l);
    doubt_velocity(&l);
    return l.count;
}
