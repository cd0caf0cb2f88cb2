/* What `penta optmap` says of a movie on stdout. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "shared/json.h"
#include "optmap/run.h"
#include "optmap/statistics.h"

double optmap_real_time_factor(const optmap_study *s)
{
    return (double)s->movie.frames / s->rate / (s->total > 0 ? s->total : cli_seconds() - s->start);
}

double optmap_resolution(const optmap_study *s)
{
    return s->found.filtered.rate / (double)s->found.filtered.frames;
}

/* ---- statistics of maps ---- */

/* What statistics look at. */
static optmap_findings findings_of(const optmap_study *s)
{
    return (optmap_findings){.height = s->found.filtered.height,
                             .width = s->found.filtered.width,
                             .rate = s->rate,
                             .valid_pixels = s->found.result.valid_pixels,
                             .beat_count = s->found.beat_count,
                             .maps = &s->found.maps,
                             .snr_filtered = s->found.snr_filtered,
                             .velocity = s->found.velocity,
                             .alternans = s->found.alternans,
                             .frequency = s->found.frequency,
                             .regularity = s->found.regularity};
}

/* Without memory, or a map of that name: of no pixel. */
static optmap_statistics statistics_of(const optmap_study *s, const char *kind)
{
    const optmap_findings f = findings_of(s);
    optmap_statistics out = {.pixels = 0};
    optmap_map map;

    if (!optmap_find_map(&f, kind, &map) || !map.data || !optmap_find_statistics(&f, &map, 0, map.count, &out) ||
        out.all.count == 0)
        out.all =
            (optmap_summary){.mean = NAN, .sd = NAN, .median = NAN, .low = NAN, .high = NAN, .q1 = NAN, .q3 = NAN};
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
    const optmap_findings f = findings_of(s);
    optmap_statistics all = statistics_of(s, kind);
    bool refused = optmap_is_refused(&f, kind, &all), known = all.all.count > 0 && !refused;
    const optmap_summary *a = &all.all;
    json_t *out = json_object();
    const struct {
        const char *key;
        double value;
    } numbers[] = {{"median", a->median},      {"q1", a->q1}, {"q3", a->q3},
                   {"mean", a->mean},          {"sd", a->sd}, {"dispersion", a->sd},
                   {"range", a->high - a->low}};

    for (size_t i = 0; out && i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(out, numbers[i].key, json_number(known ? numbers[i].value : NAN));
    if (out) {
        json_object_set_new(out, "pixels", json_integer((json_int_t)all.pixels));
        json_object_set_new(out, "beats", json_integer((json_int_t)all.beats));
    }
    if (refused)
        add_text(out, "refused", "%zu pixels have one, but %zu are needed", all.pixels, optmap_least_alternans(&f));
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
    penta_context *ctx = s->run->job.ctx;
    const penta_io_movie *m = &s->movie;

    return json_pack(
        "{s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:s, s:I, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:I, s:I, s:I, s:I, s:o, s:o, s:{s:f, s:f, s:f, s:f}}",
        "movie", json_text(s->path), "status", "ok", "format", m->format, "type", penta_type_name(m->type), "frames",
        (json_int_t)m->frames, "width", (json_int_t)m->width, "height", (json_int_t)m->height, "rate", s->rate,
        "filtered_rate", s->found.filtered.rate, "valid_pixels", (json_int_t)s->found.result.valid_pixels,
        "saturated_pixels", (json_int_t)s->found.saturation[0].pixels, "beats", (json_int_t)s->found.beat_count,
        "engine", s->found.engine, "batches", (json_int_t)s->found.result.batches, "apd30", put_statistics(s, "apd30"),
        "apd50", put_statistics(s, "apd50"), "apd80", put_statistics(s, "apd80"), "apd90", put_statistics(s, "apd90"),
        "rise", put_statistics(s, "rise"), "cv", put_statistics(s, "cv"), "snr", put_snr(s), "snr_filtered",
        put_statistics(s, "snr_filtered"), "alternans", put_statistics(s, "alternans"), "activations",
        put_activations(s), "dominant_frequency", put_frequency(s), "singularities",
        (json_int_t)s->found.singularity_count, "rotors", (json_int_t)s->found.rotor_count, "phase_pixels",
        (json_int_t)s->found.phase_pixels, "averaged_beats", (json_int_t)s->found.averaged_beats, "pixel_size",
        s->found.velocity ? json_number(s->run->settings.flags.pixel_size) : json_null(), "real_time_factor",
        json_number(optmap_real_time_factor(s)), "seconds", "read", m->seconds + s->under.seconds, "conditioning",
        s->conditioning, "total", s->total, "device", penta_profile_seconds(ctx, true, true) - s->device_before);
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

static void print_line(const char *name, const char *unit, const optmap_statistics *s)
{
    if (s->all.count > 0)
        printf("  %s %.4g %s (median; quartiles %.4g, %.4g; %zu pixels, %zu beat%s)\n", name, s->all.median, unit,
               s->all.q1, s->all.q3, s->pixels, s->beats, s->beats == 1 ? "" : "s");
}

void optmap_print(const optmap_study *s)
{
    const penta_io_movie *m = &s->movie;
    optmap_statistics apd80 = statistics_of(s, "apd80"), speeds = statistics_of(s, "cv");
    optmap_statistics frequency = statistics_of(s, "frequency");

    printf("%s: %zu frames of %zu x %zu pixels at %g Hz (%s, %s)\n", s->path, m->frames, m->width, m->height, s->rate,
           m->format, penta_type_name(m->type));
    printf("  %zu valid pixels, %zu beat%s, %zu rotor%s (%zu pixels have a phase)\n", s->found.result.valid_pixels,
           s->found.beat_count, s->found.beat_count == 1 ? "" : "s", s->found.rotor_count,
           s->found.rotor_count == 1 ? "" : "s", s->found.phase_pixels);
    printf("  conditioned by engine %s in %.4g s; %.3g x real time from reading to writing\n", s->found.engine,
           s->conditioning, optmap_real_time_factor(s));
    print_line("APD80", "ms", &apd80);
    print_line("conduction velocity", "cm/s", &speeds);
    if (isfinite(frequency.all.median))
        printf("  dominant frequency %.4g Hz (median; known to %.2g Hz)\n", frequency.all.median, optmap_resolution(s));
}
