/* Warnings to check before findings are believed. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <pentacl/analysis.h>
#include <pentacl/findings.h>
#include <pentacl/numbers.h>

static const double suspicious = -0.5;    /* skewness of steps; noise only brings it nearer to 0 */
static const double enough_phases = 0.9;  /* fraction of valid pixels */
static const double many_rejected = 0.01; /* fraction of activations */
/* cm/s, of medians: outside the usual range of hearts, from some cm/s in the atrioventricular node to some m/s in
 * Purkinje fibres. */
static const double fastest = 500, slowest = 1;
static const double fastest_heart = 50; /* Hz; a mouse's in fibrillation has less */
static const double far_apart = 0.2;    /* of a beat */
static const double least_cycle = 8;    /* frames */
static const double least_regular = 0.3;
static const double few_counts = 4;     /* steps of the numbers */
static const double odd_aspect = 3;     /* of frames: longer ones are rare */
static const double least_shift = 0.05; /* share of the changes */

typedef struct {
    penta_doubt *doubts;
    size_t most, count;
    bool explained; /* one of them says why there is no beat, where there is none */
} list;

__attribute__((format(printf, 3, 4))) static void add(list *l, int kind, const char *format, ...)
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

/* Begins a text that says why there is no beat, where there is none. */
static const char *no_beat(list *l, const penta_findings *f)
{
    l->explained = true;
    return f->beat_count > 0 ? "" : "no beat was found; ";
}

static penta_findings_statistics statistics_of(const penta_findings *f, const char *name)
{
    penta_findings_statistics s = {.median = NAN};
    penta_findings_map map;

    if (penta_findings_map_named(f, name, &map))
        penta_findings_summarise(f, &map, 0, map.count, &s);
    return s;
}

static double aspect(size_t a, size_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

/* Whether a shift of the picture explains more of what changes than a change of its light does. */
static bool picture_moves(const penta_findings *f)
{
    return f->glance.by_shift > least_shift && f->glance.by_shift > f->glance.by_light;
}

static void doubt_counts(list *l, const penta_findings *f)
{
    double counts = statistics_of(f, "amplitude").median * f->glance.light / f->glance.step;

    if (f->glance.negative > 0)
        add(l, PENTA_DOUBT_NEGATIVE,
            "%.3g %% of the pixels have a mean light below 0; signals are changes over the mean, so that theirs are "
            "upside down (`min_intensity` leaves them out)",
            100 * f->glance.negative);
    if (f->glance.step > 0 && counts < few_counts)
        add(l, PENTA_DOUBT_FEW_COUNTS,
            "an action potential is %.2g steps of the camera's numbers high (median), too few for times and durations "
            "that are not rough",
            counts);
}

static void doubt_numbers(list *l, const penta_findings *f)
{
    size_t pixels = f->width * f->height;

    for (int i = 0; i < 2; i++)
        if (f->saturation[i].pixels > 0)
            add(l, i ? PENTA_DOUBT_SECOND_SATURATED : PENTA_DOUBT_SATURATED,
                "%zu of %zu pixels are saturated, at %.10g in successive frames", f->saturation[i].pixels, pixels,
                f->saturation[i].level);
    if (f->glance.swapped)
        add(l, PENTA_DOUBT_SWAPPED,
            "%sits numbers jump from frame to frame and would not with their bytes swapped, so that they seem to be of "
            "the other byte order",
            no_beat(l, f));
    else if (f->wrapped > 0)
        add(l, PENTA_DOUBT_WRAPPED,
            "%zu of %zu pixels jump between numbers near 0 and near 65535; if those are below 0 and wrapped round, "
            "read them as such",
            f->wrapped, pixels);
}

static void doubt_amends(list *l, const penta_findings *f)
{
    const penta_amends *a = &f->amends;
    size_t spoilt = a->black + a->bright + a->repeated, used = 0;
    char text[80 * PENTA_MOST_FLICKERS];

    if (spoilt > 0)
        add(l, PENTA_DOUBT_FRAMES, "%zu frame%s spoilt (%zu black, %zu bright, %zu repeated) and interpolated", spoilt,
            spoilt == 1 ? " is" : "s are", a->black, a->bright, a->repeated);
    for (const penta_flicker *w = a->flickers; w < a->flickers + a->flicker_count && used < sizeof text; w++)
        used += (size_t)penta_snprintf(text + used, sizeof text - used,
                                       "%s of %g Hz (%.3g %% of the light, seen at %.4g Hz)", used ? "," : "flicker",
                                       w->source_hz, 100 * w->share, w->seen_hz);
    if (used > 0)
        add(l, PENTA_DOUBT_FLICKER, "%s is taken off all pixels", text);
}

static void doubt_survey(list *l, const penta_findings *f)
{
    const size_t *counts = f->survey.counts;
    size_t bad = f->bad_left_out ? counts[PENTA_SURVEY_STUCK] + counts[PENTA_SURVEY_JUMPING] : 0;
    double percent = fabs(100 * f->survey.lost);
    const char *goes = f->survey.lost > 0 ? "falls" : "grows";

    if (f->background_left_out && counts[PENTA_SURVEY_BACKGROUND] > 0)
        add(l, PENTA_DOUBT_BACKGROUND, "%zu of %zu pixels are left out as background", counts[PENTA_SURVEY_BACKGROUND],
            f->width * f->height);
    if (bad > 0)
        add(l, PENTA_DOUBT_BAD_PIXELS,
            "%zu pixels are left out as bad: %zu stuck, %zu that jump as their neighbours do not", bad,
            counts[PENTA_SURVEY_STUCK], counts[PENTA_SURVEY_JUMPING]);
    if (penta_survey_bleaches(&f->survey) && f->drift >= 0)
        add(l, PENTA_DOUBT_BLEACHING,
            "the light %s by %.3g %% from the first to the last frame; a polynomial of degree %d is taken off", goes,
            percent, f->drift);
    else if (penta_survey_bleaches(&f->survey))
        add(l, PENTA_DOUBT_BLEACHING_LEFT,
            "the light %s by %.3g %% from the first to the last frame, which is left in (`drift` auto takes it off)",
            goes, percent);
    else if (f->chose_drift && f->survey.drift_unsure)
        add(l, PENTA_DOUBT_BLEACHING_UNSURE,
            "the light %s by %.3g %% from the first to the last frame; there is too little rest between beats to tell "
            "bleaching from them, so nothing is taken off (`drift` 1 takes a straight line off)",
            goes, percent);
    if (penta_survey_moves(&f->survey))
        add(l, PENTA_DOUBT_MOTION,
            "the tissue moves, by %.2g px to the side and %.2g px in size; near borders and vessels signals are of "
            "motion",
            f->survey.shift, f->survey.growth);
}

/* Warns of cycles that no heart has, or that the camera could not follow. */
static void doubt_rate(list *l, const penta_findings *f)
{
    double frequency = statistics_of(f, "frequency").median;

    if (!(statistics_of(f, "regularity").median > least_regular))
        return;
    if (frequency > fastest_heart)
        add(l, PENTA_DOUBT_RATE, "%sthe dominant frequency, %.3g Hz, is above that of hearts; is the rate %.6g Hz?",
            no_beat(l, f), frequency, f->frame_rate_hz);
    else if (f->beat_count == 0 && frequency * least_cycle > f->frame_rate_hz)
        add(l, PENTA_DOUBT_RATE, "%sa cycle takes %.2g frames, too few for upstrokes: record faster", no_beat(l, f),
            f->frame_rate_hz / frequency);
}

/* Frames that are long and would be nearer to squares if another axis were time; of a movie with beats they must be
 * very long. Otherwise the rate is judged. */
static void doubt_axes(list *l, const penta_findings *f)
{
    bool along_x = aspect(f->height, f->frames) < aspect(f->width, f->frames);
    size_t frames = along_x ? f->width : f->height, width = along_x ? f->height : f->width;
    double now = aspect(f->width, f->height), nearer = f->beat_count > 0 ? 2 : 1.2;

    if (f->rotor_count == 0 && !picture_moves(f) && now >= (f->beat_count > 0 ? odd_aspect : nearer) &&
        now >= nearer * aspect(width, f->frames))
        add(l, along_x ? PENTA_DOUBT_TIME_ALONG_X : PENTA_DOUBT_TIME_ALONG_Y,
            "%s%zu frames of %zu x %zu pixels may be %zu frames of %zu x %zu with time along %s", no_beat(l, f),
            f->frames, f->width, f->height, frames, width, f->frames, along_x ? "rows" : "columns");
    else
        doubt_rate(l, f);
}

/* Warns of pictures that move, and of inverted polarity: upstrokes should be steeper than what follows them. */
static void doubt_signals(list *l, const penta_findings *f)
{
    if (picture_moves(f))
        add(l, PENTA_DOUBT_PICTURE_MOVES,
            "%swithin 7 px a shift of the picture explains %.2g %% of what changes, a change of light %.2g %%; of "
            "motion the %zu beat%s and %zu rotor%s found are no waves",
            no_beat(l, f), 100 * f->glance.by_shift, 100 * f->glance.by_light, f->beat_count, plural(f->beat_count),
            f->rotor_count, plural(f->rotor_count));
    if (f->skewness < suspicious)
        add(l, PENTA_DOUBT_POLARITY,
            "its signals fall faster than they rise, as if depolarisation were %s; if so, give `polarity` %s",
            f->down ? "a gain of light" : "a loss of light", f->down ? "up" : "down");
}

/* ---- beats ---- */

/* Says why there is no beat, by what can be seen. */
static void doubt_no_beat(list *l, const penta_findings *f)
{
    if (l->explained)
        return;
    if (f->rotor_count > 0)
        add(l, PENTA_DOUBT_NO_COMMON_BEAT, "no beat was found, but %zu rotor%s: waves that go round are no beats",
            f->rotor_count, plural(f->rotor_count));
    else if (f->typical_climbs == 0)
        add(l, PENTA_DOUBT_NO_BEAT, "no beat was found; a lower `threshold` may find some");
    else
        add(l, PENTA_DOUBT_NO_COMMON_BEAT,
            "no beat was found, though single pixels rise %zu time%s (median); waves that go round or overlap are no "
            "beats of the field, and neither is noise",
            f->typical_climbs, plural(f->typical_climbs));
}

/* Compares single pixels with the beats of the field. */
static void doubt_beats(list *l, const penta_findings *f)
{
    bool background = f->survey.kind && f->survey.counts[PENTA_SURVEY_BACKGROUND] > 0 && !f->background_left_out;

    if (f->beat_count == 0)
        doubt_no_beat(l, f);
    else if (f->typical_climbs > f->beat_count)
        add(l, PENTA_DOUBT_MORE_CLIMBS,
            "%zu beat%s found, but single pixels rise %zu times (median): look at the movie for waves that overlap, "
            "and for noise",
            f->beat_count, f->beat_count == 1 ? " was" : "s were", f->typical_climbs);
    if (f->minor_count > 0)
        add(l, PENTA_DOUBT_MINOR_CLIMBS,
            "%zu rise%s of the mean signal, the first at %.0f ms, by at most %.2g of its range, %s too small for beats "
            "(`threshold`); if premature, such beats are in no map, and change the beats before",
            f->minor_count, plural(f->minor_count), 1000 * f->minor[0].upstroke / f->filtered.frame_rate_hz,
            f->minor_height, f->minor_count == 1 ? "is" : "are");
    if (f->beat_count > 0 && 10 * f->noisy_pixels > f->climbs_known)
        add(l, background ? PENTA_DOUBT_NOISY_BACKGROUND : PENTA_DOUBT_NOISE,
            "%zu of %zu pixels rise more than twice for each beat, as noise does", f->noisy_pixels, f->climbs_known);
}

/* Warns of beats, except the last one, which the movie's end may cut, in which most pixels that have an amplitude do
 * not repolarise by 80 %. */
static void doubt_repolarisation(list *l, const penta_findings *f)
{
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

/* Warns of beats in which neighbours' activations are as far apart as any, as in noise. */
static void doubt_upstrokes(list *l, const penta_findings *f)
{
    size_t pixels = f->width * f->height, weak = 0, first = 0;

    for (size_t b = 0; f->maps.activation && b < f->beat_count; b++) {
        const float *at = f->maps.activation + b * pixels;
        double far = far_apart * (double)(f->beats[b].end - f->beats[b].first) * 1000 / f->filtered.frame_rate_hz;
        size_t pairs = 0, apart = 0;

        for (size_t i = 1; i < pixels; i++) {
            double step = i % f->width == 0 ? NAN : fabs((double)at[i] - (double)at[i - 1]);

            pairs += isfinite(step) != 0;
            apart += step > far;
        }
        if (4 * apart > pairs)
            first = weak++ ? first : b + 1;
    }
    if (weak > 0)
        add(l, PENTA_DOUBT_UPSTROKES,
            "in %zu beat%s, the first of them beat %zu, activations are spread like noise: upstrokes are too weak to "
            "be timed",
            weak, plural(weak), first);
}

static void doubt_maps(list *l, const penta_findings *f)
{
    const penta_findings_statistics alternans = statistics_of(f, "alternans");
    double velocity =
        statistics_of(f, "cv").median; /* a side of a pixel in mm, um or m gives ones that no tissue has */

    if ((double)f->phase_pixels < enough_phases * (double)f->result.valid_pixels)
        add(l, PENTA_DOUBT_PHASES,
            "in %zu of %zu valid pixels the signal is good enough for a phase (`min_amplitude`, in half of the "
            "frames); rotors in the others are not found",
            f->phase_pixels, f->result.valid_pixels);
    if ((double)f->maps.rejected > many_rejected * (double)f->maps.sought)
        add(l, PENTA_DOUBT_REJECTED,
            "%zu of %zu activations contradict their neighbours, also when they are sought near them, and are left out",
            f->maps.rejected, f->maps.sought);
    if (alternans.refused)
        add(l, PENTA_DOUBT_ALTERNANS, "alternans is not stated: %zu pixels have one, but %zu are needed",
            alternans.pixels, alternans.needed);
    else if (f->beat_count >= PENTA_ALTERNANS_BEATS && f->regular_beats < PENTA_ALTERNANS_BEATS)
        add(l, PENTA_DOUBT_ALTERNANS,
            "alternans is not stated: of %zu beats no %d in a row have cycles within 10 %% of one another",
            f->beat_count, PENTA_ALTERNANS_BEATS);
    if (velocity > fastest || velocity < slowest)
        add(l, PENTA_DOUBT_VELOCITY,
            "the conduction velocity, %.3g cm/s (median), is one that no heart tissue has; `pixel_size` is in cm, the "
            "rate in frames a second",
            velocity);
}

size_t penta_findings_doubts(const penta_findings *found, penta_doubt *doubts, size_t most)
{
    list l = {.doubts = doubts, .most = most};

    doubt_numbers(&l, found);
    doubt_amends(&l, found);
    doubt_counts(&l, found);
    doubt_axes(&l, found);
    if (found->survey.kind)
        doubt_survey(&l, found);
    doubt_signals(&l, found);
    doubt_beats(&l, found);
    doubt_upstrokes(&l, found);
    doubt_repolarisation(&l, found);
    doubt_maps(&l, found);
    return l.count;
}
