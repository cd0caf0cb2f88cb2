/* What is said of the survey under --json. */
#include "optmap/run.h"
#include "shared/json.h"

/* "auto", "none" or the file. */
static const char *optmap_mask_source(const optmap_study *s)
{
    const optmap_flags *flags = &s->run->settings.flags;
    const char *file = optmap_mask_file(flags);

    return file ? file : optmap_mask_is_auto(flags) ? "auto" : "none";
}

static json_t *put_flickers(const penta_amends *a)
{
    json_t *list = json_array();

    for (size_t i = 0; list && i < a->flicker_count; i++) {
        const penta_flicker *f = &a->flickers[i];

        json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:b}", "source_hz", f->source_hz, "seen_hz", f->seen_hz,
                                              "percent", 100 * f->share, "added", f->added));
    }
    return list;
}

/* {"frames": .., "mask": .., "drift": .., "motion": ..} */
json_t *optmap_survey_details(const optmap_study *s)
{
    const penta_findings *f = &s->found;
    const penta_survey *v = &f->survey;
    bool looked = v->kind != NULL;
    json_t *left_out =
        json_pack("{s:I, s:I, s:I, s:I}", "background",
                  f->background_left_out ? (json_int_t)v->counts[PENTA_SURVEY_BACKGROUND] : (json_int_t)0, "stuck",
                  f->bad_left_out ? (json_int_t)v->counts[PENTA_SURVEY_STUCK] : (json_int_t)0, "jumping",
                  f->bad_left_out ? (json_int_t)v->counts[PENTA_SURVEY_JUMPING] : (json_int_t)0, "masked",
                  (json_int_t)v->counts[PENTA_SURVEY_MASKED]);

    return json_pack("{s:{s:I, s:I, s:I}, s:o, s:{s:o, s:o}, s:{s:s, s:o, s:o}, s:{s:o, s:o, s:b}}", "corrected_frames",
                     "black", (json_int_t)f->amends.black, "bright", (json_int_t)f->amends.bright, "repeated",
                     (json_int_t)f->amends.repeated, "flicker", put_flickers(&f->amends), "mask", "source",
                     json_text(optmap_mask_source(s)), "left_out", left_out, "drift", "mode",
                     f->chose_drift ? "auto"
                     : f->drift < 0 ? "none"
                                    : "given",
                     "degree", f->drift < 0 ? json_null() : json_integer(f->drift), "lost_percent",
                     looked ? json_number(100 * v->lost) : json_null(), "motion", "shift_px",
                     looked ? json_number(v->shift) : json_null(), "growth_px",
                     looked ? json_number(v->growth) : json_null(), "moves", looked && penta_survey_moves(v));
}
