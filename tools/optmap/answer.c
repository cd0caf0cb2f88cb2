/* What `penta optmap` says of a movie on stdout. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "shared/json.h"
#include "optmap/run.h"
#include "shared/streams.h"

double optmap_real_time_factor(const optmap_study *s)
{
    return (double)s->movie.frames / s->rate / (s->total > 0 ? s->total : cli_seconds() - s->start);
}

/* Hz between frequencies that the filtered movie can tell apart. */
static double optmap_resolution(const optmap_study *s)
{
    return s->found.filtered.frame_rate_hz / (double)s->found.filtered.frames;
}

/* ---- statistics of maps ---- */

/* Without memory, or a map of that name: of no pixel. */
static penta_findings_statistics statistics_of(const optmap_study *s, const char *name)
{
    penta_findings_statistics out = {.median = NAN};
    penta_findings_map map;

    if (penta_findings_map_named(&s->found, name, &map))
        penta_findings_summarise(&s->found, &map, 0, map.count, &out);
    return out;
}

static void add_text(json_t *to, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_text(json_t *to, const char *key, const char *format, ...)
{
    char text[200];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (to)
        json_object_set_new(to, key, json_string(text));
}

/* Medians and quartiles first; `dispersion` is the standard deviation, `range` largest less least. */
static json_t *put_statistics(const optmap_study *s, const char *kind)
{
    const penta_findings_statistics a = statistics_of(s, kind);
    const bool known = a.count > 0 && !a.refused;
    json_t *out = json_object();
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"median", a.median},          {"q1", a.q1}, {"q3", a.q3}, {"mean", a.mean}, {"sd", a.sd}, {"dispersion", a.sd},
        {"range", a.largest - a.least}};

    for (size_t i = 0; out && i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(out, numbers[i].key, json_number(known ? numbers[i].value : NAN));
    if (out) {
        json_object_set_new(out, "pixels", json_integer((json_int_t)a.pixels));
        json_object_set_new(out, "beats", json_integer((json_int_t)a.beats));
    }
    if (a.refused)
        add_text(out, "refused", "%zu pixels have one, but %zu are needed", a.pixels, a.needed);
    else if (a.needed > 0 && s->found.regular_beats < PENTA_ALTERNANS_BEATS)
        add_text(out, "refused", "%zu beats in a row have cycles within 10 %%, but %d are needed",
                 s->found.regular_beats, PENTA_ALTERNANS_BEATS);
    return out;
}

static json_t *put_snr(const optmap_study *s)
{
    json_t *out = put_statistics(s, "snr");

    add_text(out, "of", "%s",
             s->run->settings.beats.beat_smoothing == PENTA_BEAT_SMOOTHING_AUTO
                 ? "the movie as recorded: amplitude over the white noise of a pixel, dB"
                 : "the filtered movie, by second differences, dB");
    return out;
}

static json_t *put_frequency(const optmap_study *s)
{
    json_t *out = put_statistics(s, "frequency");

    if (out)
        json_object_set_new(out, "resolution", json_number(optmap_resolution(s)));
    return out;
}

/* ---- answers ---- */

static json_t *put_activations(const optmap_study *s)
{
    return json_pack("{s:I, s:I, s:I}", "sought", (json_int_t)s->found.maps.sought, "resought",
                     (json_int_t)s->found.maps.resought, "rejected", (json_int_t)s->found.maps.rejected);
}

static json_t *main_details(const optmap_study *s)
{
    const penta_io_movie *m = &s->movie;

    return json_pack(
        "{s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:s, s:I, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:I, s:I, s:I, s:I, s:o, s:o, s:{s:f, s:f, s:f, s:f}}",
        "movie", json_text(streams_name(s->path)), "status", "ok", "format", m->format, "type",
        penta_type_name(m->type), "frames", (json_int_t)m->frames, "width", (json_int_t)m->width, "height",
        (json_int_t)m->height, "rate", s->rate, "filtered_rate", s->found.filtered.frame_rate_hz, "valid_pixels",
        (json_int_t)s->found.result.valid_pixels, "saturated_pixels", (json_int_t)s->found.saturation[0].pixels,
        "beats", (json_int_t)s->found.beat_count, "engine", s->found.engine, "batches",
        (json_int_t)s->found.result.batches, "apd30", put_statistics(s, "apd30"), "apd50", put_statistics(s, "apd50"),
        "apd80", put_statistics(s, "apd80"), "apd90", put_statistics(s, "apd90"), "rise", put_statistics(s, "rise"),
        "cv", put_statistics(s, "cv"), "snr", put_snr(s), "snr_filtered", put_statistics(s, "snr_filtered"),
        "alternans", put_statistics(s, "alternans"), "activations", put_activations(s), "dominant_frequency",
        put_frequency(s), "singularities", (json_int_t)s->found.singularity_count, "rotors",
        (json_int_t)s->found.rotor_count, "phase_pixels", (json_int_t)s->found.phase_pixels, "averaged_beats",
        (json_int_t)s->found.averaged_beats, "pixel_size",
        s->found.velocity ? json_number(s->run->settings.flags.pixel_size) : json_null(), "real_time_factor",
        json_number(optmap_real_time_factor(s)), "seconds", "read", m->seconds + s->under.seconds, "conditioning",
        s->conditioning, "total", s->total, "device", s->device);
}

json_t *optmap_details(const optmap_study *s)
{
    json_t *details = main_details(s), *more = optmap_survey_details(s);

    if (!details || !more || json_object_update(details, more) != 0) {
        json_decref(details);
        details = NULL;
    }
    json_decref(more);
    return details;
}

static void print_line(FILE *out, const char *name, const char *unit, const penta_findings_statistics *s)
{
    if (s->count > 0)
        fprintf(out, "  %s %.4g %s (median; quartiles %.4g, %.4g; %zu pixels, %zu beat%s)\n", name, s->median, unit,
                s->q1, s->q3, s->pixels, s->beats, s->beats == 1 ? "" : "s");
}

void optmap_print(const optmap_study *s, FILE *out)
{
    const penta_io_movie *m = &s->movie;
    penta_findings_statistics apd80 = statistics_of(s, "apd80"), speeds = statistics_of(s, "cv");
    penta_findings_statistics frequency = statistics_of(s, "frequency");

    fprintf(out, "%s: %zu frames of %zu x %zu pixels at %g Hz (%s, %s)\n", cli_shown(streams_name(s->path)), m->frames,
            m->width, m->height, s->rate, m->format, penta_type_name(m->type));
    fprintf(out, "  %zu valid pixels, %zu beat%s, %zu rotor%s (%zu pixels have a phase)\n",
            s->found.result.valid_pixels, s->found.beat_count, s->found.beat_count == 1 ? "" : "s",
            s->found.rotor_count, s->found.rotor_count == 1 ? "" : "s", s->found.phase_pixels);
    fprintf(out, "  conditioned by engine %s in %.4g s; %.3g x real time from reading to writing\n", s->found.engine,
            s->conditioning, optmap_real_time_factor(s));
    print_line(out, "APD80", "ms", &apd80);
    print_line(out, "conduction velocity", "cm/s", &speeds);
    if (isfinite(frequency.median))
        fprintf(out, "  dominant frequency %.4g Hz (median; known to %.2g Hz)\n", frequency.median,
                optmap_resolution(s));
}
