/* What is left out of a movie, and why: the library's survey, and what is said of it. */
#include <math.h>
#include <stdlib.h>

#include "shared/json.h"
#include "optmap/run.h"
#include "shared/progress.h"

static const double least_motion = 0.25, least_lost = 0.002; /* px, of the light: what is worth a note */

static const optmap_flags *flags_of(const optmap_study *s)
{
    return &s->run->settings.flags;
}

const char *optmap_mask_source(const optmap_study *s)
{
    const char *file = optmap_mask_file(flags_of(s));

    return file ? file : optmap_mask_is_auto(flags_of(s)) ? "auto" : "none";
}

static bool rejects(const optmap_study *s)
{
    return flags_of(s)->bad_pixels == OPTMAP_BAD_REJECT && (s->mask || optmap_mask_is_auto(flags_of(s)));
}

static bool chooses_drift(const optmap_study *s)
{
    return s->run->settings.conditioning.drift == PENTA_OPTMAP_DRIFT_AUTO;
}

int optmap_drift_of(const optmap_study *s)
{
    return chooses_drift(s) ? s->survey.drift : s->run->settings.conditioning.drift;
}

/* Tissue, and bad pixels where they are kept. */
static int make_mask(optmap_study *s)
{
    const penta_survey *v = &s->survey;
    size_t pixels = v->width * v->height;
    bool none = v->counts[PENTA_SURVEY_TISSUE] == 0 && !s->mask; /* then nothing is known, and all are taken */

    if (!rejects(s) && !optmap_mask_is_auto(flags_of(s)))
        return CLI_OK;
    if (!s->mask && !(s->mask = malloc(pixels)))
        return optmap_out_of_memory(s);
    for (size_t i = 0; i < pixels; i++) {
        bool bad = v->kind[i] == PENTA_SURVEY_STUCK || v->kind[i] == PENTA_SURVEY_JUMPING;

        s->mask[i] = none || v->kind[i] == PENTA_SURVEY_TISSUE || (bad && !rejects(s));
    }
    return CLI_OK;
}

int optmap_look_over(optmap_study *s)
{
    const penta_movie movie = {.type = s->movie.type, .frames = s->movie.data, .under = s->under.data, .mask = s->mask};
    const optmap_settings *set = &s->run->settings;
    penta_status status;

    if (!rejects(s) && !optmap_mask_is_auto(flags_of(s)) && !chooses_drift(s))
        return CLI_OK;
    status = penta_survey_run(s->run->job.ctx, s->movie.width, s->movie.height, s->movie.frames, &movie,
                              set->conditioning.polarity, &s->survey);
    return status == PENTA_OK ? make_mask(s) : optmap_fail_library(s);
}

/* ---- what is said ---- */

bool optmap_moves(const optmap_study *s)
{
    double most = fmax(s->survey.shift, s->survey.growth);

    return most > least_motion && most > 5 * s->survey.motion_noise;
}

static bool bleaches(const optmap_study *s)
{
    return s->survey.drift >= 0 && fabs(s->survey.lost) > least_lost;
}

static void note_mask(const optmap_study *s)
{
    const job *j = &s->run->job;
    const size_t *counts = s->survey.counts;
    size_t bad = rejects(s) ? counts[PENTA_SURVEY_STUCK] + counts[PENTA_SURVEY_JUMPING] : 0;

    if (optmap_mask_is_auto(flags_of(s)) && counts[PENTA_SURVEY_BACKGROUND] > 0)
        cli_note(&j->common, j->command, "%s: %zu of %zu pixels are left out as background (--mask none takes all)",
                 s->path, counts[PENTA_SURVEY_BACKGROUND], s->survey.width * s->survey.height);
    if (bad > 0)
        cli_note(
            &j->common, j->command,
            "%s: %zu pixels are left out as bad: %zu stuck, %zu that jump as their neighbours do not (--bad-pixels "
            "keep takes them)",
            s->path, bad, counts[PENTA_SURVEY_STUCK], counts[PENTA_SURVEY_JUMPING]);
}

void optmap_note_survey(const optmap_study *s)
{
    const job *j = &s->run->job;
    double percent = 100 * s->survey.lost;

    if (!s->survey.kind)
        return;
    note_mask(s);
    if (bleaches(s) && optmap_drift_of(s) >= 0)
        cli_note(&j->common, j->command,
                 "%s: the light %s by %.3g %% from the first to the last frame; a polynomial of degree %d is taken off",
                 s->path, percent > 0 ? "falls" : "grows", fabs(percent), optmap_drift_of(s));
    else if (bleaches(s))
        cli_note(
            &j->common, j->command,
            "%s: the light %s by %.3g %% from the first to the last frame, which is left in (--drift auto takes it "
            "off)",
            s->path, percent > 0 ? "falls" : "grows", fabs(percent));
    if (optmap_moves(s))
        cli_note(&j->common, j->command,
                 "%s: the tissue moves, by %.2g px to the side and %.2g px in size; near borders and vessels signals "
                 "are of motion",
                 s->path, s->survey.shift, s->survey.growth);
}

/* {"mask": .., "drift": .., "motion": ..} */
json_t *optmap_survey_details(const optmap_study *s)
{
    const penta_survey *v = &s->survey;
    bool looked = v->kind != NULL;
    int drift = optmap_drift_of(s);
    json_t *left_out =
        json_pack("{s:I, s:I, s:I, s:I}", "background",
                  optmap_mask_is_auto(flags_of(s)) ? (json_int_t)v->counts[PENTA_SURVEY_BACKGROUND] : (json_int_t)0,
                  "stuck", rejects(s) ? (json_int_t)v->counts[PENTA_SURVEY_STUCK] : (json_int_t)0, "jumping",
                  rejects(s) ? (json_int_t)v->counts[PENTA_SURVEY_JUMPING] : (json_int_t)0, "masked",
                  (json_int_t)v->counts[PENTA_SURVEY_MASKED]);

    return json_pack("{s:{s:o, s:o}, s:{s:s, s:o, s:o}, s:{s:o, s:o, s:b}}", "mask", "source",
                     json_text(optmap_mask_source(s)), "left_out", left_out, "drift", "mode",
                     chooses_drift(s) ? "auto"
                     : drift < 0      ? "none"
                                      : "given",
                     "degree", drift < 0 ? json_null() : json_integer(drift), "lost_percent",
                     looked ? json_number(100 * v->lost) : json_null(), "motion", "shift_px",
                     looked ? json_number(v->shift) : json_null(), "growth_px",
                     looked ? json_number(v->growth) : json_null(), "moves", looked && optmap_moves(s));
}
