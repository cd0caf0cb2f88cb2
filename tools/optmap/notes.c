/* What should be looked at before the numbers are believed. */
#include <math.h>
#include <stdlib.h>

#include "optmap/doubts.h"
#include "optmap/run.h"
#include "optmap/statistics.h"

static void note_saturation(const optmap_study *s)
{
    const optmap_saturation *movies[] = {&s->saturation, &s->under_saturation};
    const char *const paths[] = {s->path, s->run->settings.flags.ratio};

    for (size_t i = 0; i < 2; i++)
        if (movies[i]->pixels > 0)
            cli_note(&s->run->job.common, s->run->job.command,
                     "%s: %zu of %zu pixels are saturated, at %.10g in successive frames", paths[i], movies[i]->pixels,
                     s->movie.height * s->movie.width, movies[i]->level);
}

/* Numbers that go from one end to the other in a step. */
static void note_wrapping(const optmap_study *s)
{
    const job *j = &s->run->job;

    if (s->wrapped > 0)
        cli_note(&j->common, j->command,
                 "%s: %zu of %zu pixels jump between numbers near 0 and near 65535; if those are below 0 and wrapped "
                 "round, read them as such (--signed)",
                 s->path, s->wrapped, s->movie.height * s->movie.width);
}

/* The upstrokes are expected to be steeper than what follows them; noise hides that, and is no reason for a note. */
static void note_polarity(const optmap_study *s)
{
    const double suspicious = -0.5;
    const job *j = &s->run->job;
    bool up = s->run->settings.conditioning.polarity == PENTA_OPTMAP_UP;

    if (optmap_step_skewness(&s->filtered) < suspicious)
        cli_note(&j->common, j->command,
                 "%s: its signals fall faster than they rise, as if depolarisation were %s; if so, give --polarity %s",
                 s->path, up ? "a loss of light" : "a gain of light", up ? "down" : "up");
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* The climbs of valid pixels, in order, at the front; how many. */
static size_t sort_climbs(const optmap_study *s)
{
    size_t pixels = s->filtered.height * s->filtered.width, n = 0;

    for (size_t i = 0; i < pixels; i++)
        if (!isnan(s->climbs[i]))
            s->climbs[n++] = s->climbs[i];
    qsort(s->climbs, n, sizeof *s->climbs, by_size);
    return n;
}

/* What single pixels do, beside the beats of the field. */
static void note_beats(const optmap_study *s)
{
    const job *j = &s->run->job;
    size_t valid = sort_climbs(s), often = (size_t)s->climbs[(valid - 1) / 2], noisy = 0;

    if (s->beat_count == 0 && often == 0)
        cli_note(&j->common, j->command, "%s: no beat was found; a lower --threshold may find some", s->path);
    else if (s->beat_count == 0)
        cli_note(
            &j->common, j->command,
            "%s: no beat was found, though single pixels rise %zu time%s (median); waves that go round or overlap are "
            "no beats of the field, and neither is noise",
            s->path, often, often == 1 ? "" : "s");
    else if (often > s->beat_count)
        cli_note(&j->common, j->command,
                 "%s: %zu beat%s found, but single pixels rise %zu times (median): look at the movie for waves that "
                 "overlap, and for noise",
                 s->path, s->beat_count, s->beat_count == 1 ? " was" : "s were", often);
    for (size_t i = 0; i < valid; i++)
        noisy += s->climbs[i] > (float)(2 * s->beat_count + 1);
    if (s->beat_count > 0 && 10 * noisy > valid)
        cli_note(&j->common, j->command, "%s: %zu of %zu pixels rise more than twice for each beat, as noise does%s",
                 s->path, noisy, valid,
                 s->survey.kind && s->survey.counts[PENTA_SURVEY_BACKGROUND] > 0 && !s->mask
                     ? "; --mask auto leaves the background out"
                     : "");
}

/* Beats, but for the last one, which the end of the movie may cut, in which most pixels that have an amplitude do not
 * come back by 80 %. */
static void note_repolarisation(const optmap_study *s)
{
    const job *j = &s->run->job;
    size_t pixels = s->filtered.height * s->filtered.width, beats = 0;

    for (size_t b = 0; b + 1 < s->beat_count; b++) {
        size_t active = 0, back = 0;

        for (size_t i = b * pixels; i < (b + 1) * pixels; i++) {
            active += isfinite(s->maps.amplitude[i]) != 0;
            back += isfinite(s->maps.repolarisation[i]) != 0;
        }
        beats += 2 * back < active;
    }
    if (beats > 0)
        cli_note(&j->common, j->command,
                 "%s: in %zu beat%s most pixels do not come back by 80 %% before the next, so they have no APD80%s",
                 s->path, beats, beats == 1 ? "" : "s",
                 optmap_drift_of(s) < 0 && s->survey.drift >= 0 ? "; --drift auto takes bleaching off" : "");
}

/* Without a phase there is nothing to see a rotor by. */
static void note_phases(const optmap_study *s)
{
    const double enough = 0.9;
    const job *j = &s->run->job;

    if ((double)s->phase_pixels < enough * (double)s->result.valid_pixels)
        cli_note(
            &j->common, j->command,
            "%s: in %zu of %zu valid pixels the signal is good enough for a phase (--min-amplitude, in half of the "
            "frames); rotors in the others are not found",
            s->path, s->phase_pixels, s->result.valid_pixels);
}

/* Activations that their neighbours contradict. */
static void note_rejected(const optmap_study *s)
{
    const double many = 0.01;
    const job *j = &s->run->job;
    const penta_beat_maps *m = &s->maps;

    if ((double)m->rejected > many * (double)m->sought)
        cli_note(&j->common, j->command,
                 "%s: %zu of %zu activations contradict their neighbours, also when they are sought near them, and are "
                 "left out",
                 s->path, m->rejected, m->sought);
}

/* Alternans of a few pixels is not one of the heart. */
static void note_alternans(const optmap_study *s)
{
    const job *j = &s->run->job;
    const optmap_findings f = {.valid_pixels = s->result.valid_pixels};
    size_t pixels = 0;

    for (size_t i = 0; s->alternans && i < s->filtered.height * s->filtered.width; i++)
        pixels += isfinite(s->alternans[i]) != 0;
    if (pixels > 0 && pixels < optmap_least_alternans(&f))
        cli_note(&j->common, j->command, "%s: alternans is not stated: %zu pixels have one, but %zu are needed",
                 s->path, pixels, optmap_least_alternans(&f));
}

void optmap_print_notes(const optmap_study *s)
{
    note_saturation(s);
    note_wrapping(s);
    optmap_note_survey(s);
    note_polarity(s);
    note_beats(s);
    note_repolarisation(s);
    note_phases(s);
    note_rejected(s);
    note_alternans(s);
}
