/* What `penta optmap` says of a movie on stdout. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "optmap/run.h"

double optmap_real_time_factor(const optmap_study *s)
{
    return (double)s->movie.frames / s->rate / (s->total > 0 ? s->total : cli_seconds() - s->start);
}

double optmap_resolution(const optmap_study *s)
{
    return s->filtered.rate / (double)s->filtered.frames;
}

/* ---- statistics of maps ---- */

/* NaN where there are none. */
typedef struct {
    double mean, sd, median;
} statistics;

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

/* Of n numbers at the most, those that are finite; reorders them. */
static statistics statistics_of(float *values, size_t n)
{
    statistics s = {NAN, NAN, NAN};
    double sum = 0, squares = 0;
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            sum += values[i];
            values[count++] = values[i];
        }
    if (count == 0)
        return s;
    s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - s.mean) * (values[i] - s.mean);
    s.sd = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    qsort(values, count, sizeof *values, by_size);
    s.median = count % 2 ? values[count / 2] : 0.5 * ((double)values[count / 2 - 1] + values[count / 2]);
    return s;
}

/* Of a map; of speeds, with x and y components of each beat behind one another, the amount. All NaN without memory. */
static statistics summarise(const float *map, size_t count, size_t pixels, bool speeds)
{
    float *values = map && count > 0 ? malloc(count * pixels * sizeof *values) : NULL;
    statistics s = {NAN, NAN, NAN};

    if (!values)
        return s;
    for (size_t b = 0; b < count; b++)
        for (size_t i = 0; i < pixels; i++) {
            const float *v = map + (speeds ? 2 : 1) * b * pixels + i;

            values[b * pixels + i] = speeds ? hypotf(v[0], v[pixels]) : v[0];
        }
    s = statistics_of(values, count * pixels);
    free(values);
    return s;
}

static statistics of_maps(const optmap_study *s, const float *maps, size_t count)
{
    return summarise(maps, count, s->filtered.height * s->filtered.width, false);
}

static statistics of_apd80(const optmap_study *s)
{
    for (size_t i = 0; i < PENTA_APD_LEVELS; i++)
        if (penta_apd_levels[i] == 80)
            return of_maps(s, s->maps.apd[i], s->beat_count);
    return (statistics){NAN, NAN, NAN};
}

static statistics of_speeds(const optmap_study *s)
{
    return summarise(s->velocity, s->beat_count, s->filtered.height * s->filtered.width, true);
}

/* ---- answers ---- */

static json_t *main_details(const optmap_study *s)
{
    penta_context *ctx = s->run->job.ctx;
    statistics apd80 = of_apd80(s);
    const io_movie *m = &s->movie;

    return json_pack(
        "{s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:I, s:s, s:I, s:{s:o, s:o}, s:{s:o}, "
        "s:{s:o}, s:{s:o}, "
        "s:{s:o, s:f}, s:I, s:I, s:I, s:I, s:o, s:o, s:{s:f, s:f, s:f, s:f}}",
        "movie", json_text(s->path), "status", "ok", "format", m->format, "type", penta_type_name(m->type), "frames",
        (json_int_t)m->frames, "width", (json_int_t)m->width, "height", (json_int_t)m->height, "rate", s->rate,
        "filtered_rate", s->filtered.rate, "valid_pixels", (json_int_t)s->result.valid_pixels, "saturated_pixels",
        (json_int_t)s->saturation.pixels, "beats", (json_int_t)s->beat_count, "engine", s->engine, "batches",
        (json_int_t)s->result.batches, "apd80", "mean", json_number(apd80.mean), "sd", json_number(apd80.sd), "cv",
        "median", json_number(of_speeds(s).median), "snr", "median",
        json_number(of_maps(s, s->maps.snr, s->beat_count).median), "alternans", "median",
        json_number(of_maps(s, s->alternans, 1).median), "dominant_frequency", "median",
        json_number(of_maps(s, s->frequency, 1).median), "resolution", optmap_resolution(s), "singularities",
        (json_int_t)s->singularity_count, "rotors", (json_int_t)s->rotor_count, "phase_pixels",
        (json_int_t)s->phase_pixels, "averaged_beats", (json_int_t)s->averaged, "pixel_size",
        s->velocity ? json_number(s->run->settings.flags.pixel_size) : json_null(), "real_time_factor",
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

void optmap_print(const optmap_study *s)
{
    const io_movie *m = &s->movie;
    statistics apd80 = of_apd80(s), speeds = of_speeds(s), frequency = of_maps(s, s->frequency, 1);

    printf("%s: %zu frames of %zu x %zu pixels at %g Hz (%s, %s)\n", s->path, m->frames, m->width, m->height, s->rate,
           m->format, penta_type_name(m->type));
    printf("  %zu valid pixels, %zu beat%s, %zu rotor%s (%zu pixels have a phase)\n", s->result.valid_pixels,
           s->beat_count, s->beat_count == 1 ? "" : "s", s->rotor_count, s->rotor_count == 1 ? "" : "s",
           s->phase_pixels);
    printf("  conditioned by engine %s in %.4g s; %.3g x real time from reading to writing\n", s->engine,
           s->conditioning, optmap_real_time_factor(s));
    if (isfinite(apd80.mean))
        printf("  APD80 %.4g +- %.2g ms\n", apd80.mean, isfinite(apd80.sd) ? apd80.sd : 0);
    if (isfinite(speeds.median))
        printf("  conduction velocity %.4g cm/s (median)\n", speeds.median);
    if (isfinite(frequency.median))
        printf("  dominant frequency %.4g Hz (median; known to %.2g Hz)\n", frequency.median, optmap_resolution(s));
}
