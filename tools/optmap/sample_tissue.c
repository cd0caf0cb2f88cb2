/* A sheet of heart muscle for `penta sample optmap`: the library's tissue and camera, and the files of their truth. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/array.h>

#include "optmap/sample_movie.h"

enum { MOST_PLACES = 64 };

typedef struct {
    const optmap_sample_flags *f;
    size_t pixels, site_count, rotor_count, stimulus_count;
    penta_tissue_stimulus sites[MOST_PLACES]; /* times: after the beat */
    penta_tissue_rotor rotors[MOST_PLACES];
    penta_tissue_stimulus *stimuli; /* of the movie */
    penta_context *ctx;
    penta_tissue *tissue;
    penta_tissue_movie movie;
    penta_camera_truth camera;
    uint8_t *outline;
    float *cover;
    uint16_t *counts;
} study;

/* ---- places ---- */

/* "X,Y[,Z];X,Y[,Z]": rows of three numbers, the third `third` where it is not given (NaN: it must be). */
static bool parse_places(const char *text, double third, double (*rows)[3], size_t *count, penta_io_error *err)
{
    const char *at = text;

    *count = 0;
    while (*at) {
        double *row = rows[*count];
        int got, length = 0;

        row[2] = third;
        got = sscanf(at, "%lf,%lf%n,%lf%n", &row[0], &row[1], &length, &row[2], &length);
        if (got < 2 || !isfinite(row[0]) || !isfinite(row[1]) || !isfinite(row[2]) || (at[length] && at[length] != ';'))
            return penta_io_fail(err, "'%s' is no list of places: numbers with commas between, places with ';'", text);
        if (++*count == MOST_PLACES)
            return penta_io_fail(err, "'%s' are too many places: fewer than %d", text, MOST_PLACES);
        at += length + (at[length] == ';');
    }
    return *count > 0 || penta_io_fail(err, "an empty list of places");
}

static int by_time(const void *a, const void *b)
{
    const penta_tissue_stimulus *s = a, *t = b;

    return (s->time > t->time) - (s->time < t->time);
}

static bool read_sites(study *s, penta_io_error *err)
{
    const optmap_sample_flags *f = s->f;
    double rows[MOST_PLACES][3] = {{0.36 * f->width, 0.3 * f->height, 0}};

    s->site_count = 1;
    if (f->sites && !parse_places(f->sites, 0, rows, &s->site_count, err))
        return false;
    for (size_t i = 0; i < s->site_count; i++) {
        s->sites[i] = (penta_tissue_stimulus){rows[i][2], rows[i][0], rows[i][1], f->radius};
        if (!(rows[i][2] >= 0))
            return penta_io_fail(err, "a site %g ms before the beat", -rows[i][2]);
    }
    qsort(s->sites, s->site_count, sizeof *s->sites, by_time);
    return true;
}

static bool read_rotors(study *s, penta_io_error *err)
{
    double rows[MOST_PLACES][3];

    if (!s->f->rotors)
        return true;
    if (!parse_places(s->f->rotors, NAN, rows, &s->rotor_count, err))
        return false;
    for (size_t i = 0; i < s->rotor_count; i++) {
        if (fabs(rows[i][2]) != 1)
            return penta_io_fail(err, "a rotor of charge %g: it is 1 or -1", rows[i][2]);
        s->rotors[i] = (penta_tissue_rotor){rows[i][0], rows[i][1], (int)rows[i][2]};
    }
    return true;
}

/* Those of the movie, in order. */
static bool list_stimuli(study *s, penta_io_error *err)
{
    const optmap_sample_flags *f = s->f;

    s->stimulus_count = s->rotor_count ? 0 : s->site_count * (size_t)f->beats;
    s->stimuli = calloc(s->stimulus_count + 1, sizeof *s->stimuli);
    if (!s->stimuli)
        return penta_io_fail(err, "out of memory for the beats");
    for (size_t i = 0; i < s->stimulus_count; i++) {
        s->stimuli[i] = s->sites[i % s->site_count];
        s->stimuli[i].time += f->start + (double)(i / s->site_count) * optmap_sample_cycle(f);
    }
    qsort(s->stimuli, s->stimulus_count, sizeof *s->stimuli, by_time);
    return true;
}

/* ---- the film ---- */

/* Beats before the movie, the last of them a cycle before the first in it. */
static bool pace_before(const study *s)
{
    const optmap_sample_flags *f = s->f;
    double cycle = optmap_sample_cycle(f), rest = cycle;

    for (int beat = 0; beat < f->beats_before; beat++) {
        double gone = 0;

        for (size_t i = 0; i < s->site_count; i++) {
            double wait = fmin(s->sites[i].time, cycle) - gone;

            if (penta_tissue_advance(s->tissue, wait) != PENTA_OK ||
                penta_tissue_stimulate(s->tissue, s->sites[i].x, s->sites[i].y, s->sites[i].radius) != PENTA_OK)
                return false;
            gone += wait;
        }
        rest = beat + 1 < f->beats_before ? cycle - gone : fmax(cycle - gone - f->start, 0);
        if (penta_tissue_advance(s->tissue, rest) != PENTA_OK)
            return false;
    }
    return true;
}

static bool begin(const study *s)
{
    if (s->rotor_count == 0)
        return pace_before(s);
    return penta_tissue_begin_rotors(s->tissue, s->rotors, s->rotor_count) == PENTA_OK &&
           penta_tissue_advance(s->tissue, s->f->settle) == PENTA_OK;
}

static bool film(study *s, penta_io_error *err)
{
    const optmap_sample_flags *f = s->f;

    if (penta_context_create(f->device, &s->ctx) != PENTA_OK)
        return optmap_sample_failed(NULL, err);
    if (penta_tissue_create(s->ctx, (size_t)f->width, (size_t)f->height, f->outline == 0 ? s->outline : NULL,
                            &f->tissue, &s->tissue) != PENTA_OK ||
        !begin(s) ||
        penta_tissue_film(s->tissue, f->rate, (size_t)f->frames, s->stimuli, s->stimulus_count, &s->movie) != PENTA_OK)
        return optmap_sample_failed(s->ctx, err);
    penta_tissue_cover(s->tissue, s->cover);
    if (penta_camera_expose(s->ctx, &s->movie, s->cover, f->rate, &f->camera, s->counts, &s->camera) != PENTA_OK)
        return optmap_sample_failed(s->ctx, err);
    for (size_t i = 0; i < s->pixels; i++)
        s->outline[i] = s->cover[i] >= 0.5F;
    return true;
}

/* ---- files ---- */

static void put_maybe(double value, FILE *out)
{
    if (isfinite(value))
        fprintf(out, "%.6g", value);
    else
        fputs("null", out);
}

static void put_tips(const penta_tissue_movie *m, FILE *out)
{
    fputs("  \"tips\": [", out);
    for (size_t n = 0; n < m->frames; n++) {
        fprintf(out, "%s[", n > 0 ? ",\n    " : "\n    ");
        for (size_t i = 0; i < m->tips_at[n].count; i++) {
            const penta_spiral_tip *tip = &m->tips[m->tips_at[n].first + i];

            fprintf(out, "%s[%.4f, %.4f, %d]", i > 0 ? ", " : "", tip->x, tip->y, tip->charge);
        }
        fputs("]", out);
    }
    fputs("\n  ],\n", out);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of what is known of n numbers, which are sorted; NaN of none. */
static double median(double *values, size_t n)
{
    size_t known = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            values[known++] = values[i];
    qsort(values, known, sizeof *values, compare);
    return known ? values[known / 2] : NAN;
}

static void put_median(const char *name, double *values, size_t n, FILE *out)
{
    fprintf(out, "  \"%s\": ", name);
    put_maybe(median(values, n), out);
    fputs(",\n", out);
}

static void put_medians(const study *s, FILE *out)
{
    static const char *const names[] = {"apd30_ms", "apd50_ms", "apd80_ms", "apd90_ms"};
    const penta_tissue_movie *m = &s->movie;
    size_t n = m->beats * s->pixels;
    double *scratch = calloc(n + s->pixels + 1, sizeof *scratch);

    if (!scratch)
        return;
    for (int i = 0; i < PENTA_TISSUE_LEVELS; i++) {
        if (n)
            memcpy(scratch, m->apd[i], n * sizeof *scratch);
        put_median(names[i], scratch, n, out);
    }
    for (size_t i = 0; i < n; i++) {
        const double *v = m->velocity + 2 * (i / s->pixels) * s->pixels + i % s->pixels;

        scratch[i] = hypot(v[0], v[s->pixels]);
    }
    put_median("cv_cm_s", scratch, n, out);
    for (size_t i = 0; i < s->pixels; i++)
        scratch[i] = (double)s->camera.snr[i];
    fputs("  \"snr_db\": ", out);
    put_maybe(20 * log10(median(scratch, s->pixels)), out);
    fputs(",\n", out);
    free(scratch);
}

/* The largest of frames' numbers. */
static double largest(const float *values, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, (double)values[i]);
    return most;
}

static void put_camera(const study *s, FILE *out)
{
    const penta_camera_options *c = &s->f->camera;
    size_t bad[4] = {0};

    for (size_t i = 0; i < s->pixels; i++)
        bad[s->camera.bad[i]]++;
    fprintf(out, "  \"depth_percent\": %.17g,\n  \"snr\": %.17g,\n  \"bleach_percent\": %.17g,\n", c->depth, c->snr,
            c->bleach);
    fprintf(out, "  \"motion_px\": %.4g,\n  \"contraction_px\": %.4g,\n", largest(s->camera.shift, s->movie.frames),
            largest(s->camera.shrink, s->movie.frames));
    fprintf(out, "  \"dead_pixels\": %zu,\n  \"hot_pixels\": %zu,\n  \"telegraph_pixels\": %zu,\n", bad[1], bad[2],
            bad[3]);
    fprintf(out, "  \"clipped_counts\": %zu,\n  \"bits\": %d,\n  \"seed\": %d\n}\n", s->camera.clipped, c->bits,
            c->seed);
}

static void put_truth(const void *data, FILE *out)
{
    const study *s = data;
    const optmap_sample_flags *f = s->f;
    const penta_tissue_options *o = penta_tissue_chosen(s->tissue);
    size_t in = 0;

    for (size_t i = 0; i < s->pixels; i++)
        in += s->outline[i];
    fprintf(
        out,
        "{\n  \"kind\": \"tissue\",\n  \"frames\": %d,\n  \"height\": %d,\n  \"width\": %d,\n  \"rate_hz\": %.17g,\n"
        "  \"pixel_size_cm\": %.17g,\n  \"polarity\": \"%s\",\n  \"outline_pixels\": %zu,\n",
        f->frames, f->height, f->width, f->rate, f->pixel_size, f->camera.polarity == PENTA_CAMERA_DOWN ? "down" : "up",
        in);
    put_tips(&s->movie, out);
    fprintf(out, "  \"speed_cm_s\": %.17g,\n  \"anisotropy\": %.17g,\n  \"fibre_degrees\": %.17g,\n", o->speed,
            o->anisotropy, o->fibre);
    fprintf(out, "  \"time_unit_ms\": %.17g,\n  \"cells_per_pixel\": %d,\n  \"step_ms\": %.17g,\n", o->time_unit,
            o->cells, o->step);
    fprintf(out, "  \"beats\": %zu,\n  \"start_ms\": %.17g,\n  \"cycle_ms\": %.17g,\n",
            s->rotor_count ? 0 : (size_t)f->beats, f->start, optmap_sample_cycle(f));
    put_medians(s, out);
    put_camera(s, out);
}

static bool write_maps(const study *s, penta_io_error *err)
{
    static const char *const names[] = {"apd30", "apd50", "apd80", "apd90"};
    const penta_tissue_movie *m = &s->movie;
    bool ok = m->beats == 0 || optmap_sample_npy(s->f, "activation", PENTA_F64, m->beats, m->activation, err);

    for (int i = 0; ok && m->beats > 0 && i < PENTA_TISSUE_LEVELS; i++)
        ok = optmap_sample_npy(s->f, names[i], PENTA_F64, m->beats, m->apd[i], err);
    return ok;
}

static bool write_velocity(const study *s, penta_io_error *err)
{
    const penta_tissue_movie *m = &s->movie;
    const size_t shape[4] = {m->beats, 2, m->height, m->width};
    char *path = m->beats ? sample_path(&s->f->common, "cv", ".npy", err) : NULL;
    bool ok = m->beats == 0 || (path && penta_io_npy_write(path, PENTA_F64, 4, shape, m->velocity, err));

    free(path);
    return ok;
}

static bool write_files(const study *s, penta_io_error *err)
{
    const optmap_sample_flags *f = s->f;

    return optmap_sample_tiff(f, s->counts, err) &&
           optmap_sample_npy(f, "movie", PENTA_U16, s->movie.frames, s->counts, err) &&
           optmap_sample_npy(f, "signal", PENTA_F32, s->movie.frames, s->movie.signal, err) && write_maps(s, err) &&
           write_velocity(s, err) && optmap_sample_npy(f, "outline", PENTA_U8, 0, s->outline, err) &&
           optmap_sample_npy(f, "bad", PENTA_U8, 0, s->camera.bad, err) &&
           optmap_sample_npy(f, "light", PENTA_F32, 0, s->camera.light, err) &&
           optmap_sample_npy(f, "snr", PENTA_F32, 0, s->camera.snr, err) &&
           sample_write(&f->common, "truth", ".json", put_truth, s, err);
}

/* ---- all of it ---- */

bool optmap_sample_tissue_check(const optmap_sample_flags *f, penta_io_error *err)
{
    study s = {.f = f};
    size_t width = (size_t)f->width, height = (size_t)f->height;

    return read_sites(&s, err) && read_rotors(&s, err) &&
           penta_tissue_check(width, height, &f->tissue, err->text, sizeof err->text) == PENTA_OK &&
           penta_camera_check(width, height, (size_t)f->frames, f->rate, &f->camera, err->text, sizeof err->text) ==
               PENTA_OK;
}

static bool make(study *s, penta_io_error *err)
{
    const optmap_sample_flags *f = s->f;

    if (!read_sites(s, err) || !read_rotors(s, err) || !list_stimuli(s, err))
        return false;
    s->outline = calloc(s->pixels, 1);
    s->cover = calloc(s->pixels, sizeof *s->cover);
    s->counts = calloc((size_t)f->frames * s->pixels, sizeof *s->counts);
    if (!s->outline || !s->cover || !s->counts)
        return penta_io_fail(err, "out of memory for the movie");
    penta_tissue_heart((size_t)f->width, (size_t)f->height, s->outline);
    if (!film(s, err) || !write_files(s, err))
        return false;
    sample_tell(&f->common,
                "movie.tif, the same as movie.npy (%d frames of %d x %d px at %g Hz), signal, activation, apd, cv, "
                "outline, bad, light and snr .npy and truth.json in %s",
                f->frames, f->width, f->height, f->rate, f->common.output);
    return true;
}

bool optmap_sample_tissue(const optmap_sample_flags *f, penta_io_error *err)
{
    study s = {.f = f, .pixels = (size_t)f->width * (size_t)f->height};
    bool ok = make(&s, err);

    penta_tissue_movie_free(&s.movie);
    penta_camera_truth_free(&s.camera);
    penta_tissue_destroy(s.tissue);
    penta_context_destroy(s.ctx);
    free(s.stimuli);
    free(s.outline);
    free(s.cover);
    free(s.counts);
    return ok;
}
