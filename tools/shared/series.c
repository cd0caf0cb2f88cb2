/* Rows, times and fits of a series. */
#include "shared/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/table.h>
#include <pentacl/io/output.h>
#include "shared/json.h"
#include "shared/times.h"

static bool read_times(series *s, const char *path, penta_io_error *err)
{
    double *times = calloc(s->list->count + 1, sizeof *times);
    bool ok = times ? times_read(path, s->list, times, err) : penta_io_fail(err, "%s: out of memory", path);

    for (size_t i = 0; ok && i < s->list->count; i++)
        s->rows[i].time = times[i];
    free(times);
    return ok;
}

bool series_open(series *s, const frame_list *list, const char *times_csv, double interval, penta_io_error *err)
{
    *s = (series){.list = list, .seconds = times_csv || interval > 0};
    s->rows = calloc(list->count ? list->count : 1, sizeof *s->rows);
    if (!s->rows)
        return penta_io_fail(err, "out of memory for a series of %zu frames", list->count);
    for (size_t i = 0; i < list->count; i++) {
        s->rows[i].time = (double)i * (interval > 0 ? interval : 1);
        s->rows[i].peak.r_max = s->rows[i].peak.r_max_se = s->rows[i].peak.c_max = NAN;
        s->rows[i].peak.r_min = s->rows[i].peak.c_min = NAN;
        s->rows[i].shift = (penta_displacement){PENTA_DISPLACEMENT_FLAT, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    }
    return times_csv ? read_times(s, times_csv, err) : true;
}

void series_close(series *s)
{
    free(s->rows);
    *s = (series){0};
}

void series_cut(series *s, size_t first, size_t count)
{
    memmove(s->rows, s->rows + first, count * sizeof *s->rows);
    s->first = first;
    s->is_part = true;
}

size_t series_done(const series *s)
{
    size_t done = 0;

    for (size_t i = 0; i < s->list->count; i++)
        done += s->rows[i].state == SERIES_DONE;
    return done;
}

/* ---- fits ---- */

static bool has_peak(const series_row *row)
{
    return row->state == SERIES_DONE && row->peak.status == PENTA_PEAK_OK;
}

bool series_fit(series *s, penta_io_error *err)
{
    size_t n = s->list->count;
    double *t = calloc(n + 1, sizeof *t);
    penta_peak *peaks = calloc(n + 1, sizeof *peaks);
    bool *outlier = calloc(n + 1, sizeof *outlier), ok = t && peaks && outlier;

    for (size_t i = 0; ok && i < n; i++) {
        t[i] = s->rows[i].time;
        peaks[i] = s->rows[i].peak;
        peaks[i].status = s->rows[i].state == SERIES_DONE ? peaks[i].status : PENTA_PEAK_FLAT;
    }
    ok = ok && penta_growth_fit_peaks(n, t, peaks, outlier, s->fits) == PENTA_OK;
    for (size_t i = 0; ok && i < n; i++)
        s->rows[i].outlier = outlier[i];
    s->fitted = ok;
    free(t);
    free(peaks);
    free(outlier);
    return ok || penta_io_fail(err, "out of memory for the growth fits of %zu frames", n);
}

size_t series_fit_points(const series *s)
{
    size_t points = 0;

    for (size_t i = 0; i < s->list->count; i++)
        points += has_peak(&s->rows[i]) && !s->rows[i].outlier;
    return points;
}

size_t series_without_error(const series *s)
{
    size_t lacking = 0;

    for (size_t i = 0; i < s->list->count; i++)
        lacking += has_peak(&s->rows[i]) && !(s->rows[i].peak.r_max_se > 0 && isfinite(s->rows[i].peak.r_max_se));
    return lacking;
}

bool series_points_make(const series *s, series_points *out)
{
    size_t count = s->list->count;

    *out = (series_points){.t = calloc(3 * count + 1, sizeof *out->t), .outlier = calloc(count + 1, sizeof(bool))};
    if (!out->t || !out->outlier) {
        series_points_free(out);
        return false;
    }
    out->r = out->t + count;
    out->r_se = out->r + count;
    for (size_t i = 0; i < count; i++) {
        const series_row *row = &s->rows[i];

        if (row->state != SERIES_DONE)
            continue;
        out->weak += row->peak.status == PENTA_PEAK_WEAK;
        out->t[out->n] = row->time;
        out->r[out->n] = has_peak(row) ? row->peak.r_max : (double)NAN;
        out->r_se[out->n] = row->peak.r_max_se;
        out->outlier[out->n++] = row->outlier;
    }
    return true;
}

void series_points_free(series_points *p)
{
    free(p->t);
    free(p->outlier);
    *p = (series_points){0};
}

/* ---- output ---- */

const char *series_status(const series *s, const series_row *row)
{
    if (row->state == SERIES_FAILED)
        return "error";
    if (s->cross)
        return penta_displacement_status_name(row->shift.status);
    return row->outlier ? "outlier" : penta_peak_status_name(row->peak.status);
}

bool series_write_csv(const series *s, const char *path, penta_io_error *err)
{
    penta_io_output *output;
    FILE *f;

    if (!penta_io_output_open(path, &output, err))
        return false;
    f = penta_io_output_stream(output);
    fputs(s->cross ? "index,file,time,dx,dy,peak,score,sigmas,dx_se,dy_se,status\n"
                   : "index,file,time,r_max,r_max_se,c_max,r_min,c_min,status\n",
          f);
    for (size_t i = 0; i < s->list->count; i++) {
        const series_row *row = &s->rows[i];
        const penta_peak *p = &row->peak;
        const penta_displacement *d = &row->shift;

        if (row->state == SERIES_PENDING)
            continue;
        fprintf(f, "%zu,", s->first + i);
        penta_io_table_put(f, s->list->sources[i].name);
        if (s->cross)
            fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s\n", row->time, d->dx, d->dy, d->peak,
                    d->score, d->sigmas, d->dx_se, d->dy_se, series_status(s, row));
        else
            fprintf(f, ",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%s\n", row->time, p->r_max, p->r_max_se, p->c_max,
                    p->r_min, p->c_min, series_status(s, row));
    }
    return penta_io_output_commit(output, err);
}

/* What was measured in a frame, behind what it is. */
static json_t *measured_json(const series *s, const series_row *row)
{
    const penta_peak *p = &row->peak;
    const penta_displacement *d = &row->shift;

    if (s->cross)
        return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "dx", json_number(d->dx), "dy", json_number(d->dy),
                         "peak", json_number(d->peak), "score", json_number(d->score), "sigmas", json_number(d->sigmas),
                         "dx_se", json_number(d->dx_se), "dy_se", json_number(d->dy_se), "status",
                         series_status(s, row));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:s}", "r_max", json_number(p->r_max), "r_max_se",
                     json_number(p->r_max_se), "c_max", json_number(p->c_max), "r_min", json_number(p->r_min), "c_min",
                     json_number(p->c_min), "status", series_status(s, row));
}

json_t *series_frame_json(const series *s, size_t i)
{
    const series_row *row = &s->rows[i];
    json_t *entry;

    if (row->state == SERIES_PENDING)
        return NULL;
    entry = json_pack("{s:o, s:I, s:I, s:I, s:I, s:s?, s:s?, s:o}", "file", json_text(s->list->sources[i].name),
                      "width", (json_int_t)row->width, "height", (json_int_t)row->height, "max_offset",
                      (json_int_t)row->max_offset, "nan_pixels", (json_int_t)row->nan_pixels, "method", row->method,
                      "fft", row->fft, "time", json_number(row->time));
    json_object_update_new(entry, measured_json(s, row));
    return entry;
}

json_t *series_growth_json(const series *s)
{
    json_t *growth = json_array();

    for (int m = 0; s->fitted && m < PENTA_GROWTH_MODELS; m++) {
        const penta_growth_fit *fit = &s->fits[m];
        json_t *values = json_object(), *errors = json_object();
        const char *name;

        for (size_t k = 0; (name = penta_growth_parameter_name(fit->model, k)) != NULL; k++) {
            json_object_set_new(values, name, json_number(fit->ok ? fit->value[k] : NAN));
            json_object_set_new(errors, name, json_number(fit->ok ? fit->standard_error[k] : NAN));
        }
        json_array_append_new(growth,
                              json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:I, s:o, s:o, s:b}", "model",
                                        penta_growth_model_name(fit->model), "parameters", values, "standard_errors",
                                        errors, "aicc", json_number(fit->ok ? fit->aicc : NAN), "weighted",
                                        fit->weighted, "chi2", json_number(fit->chi2), "dof", (json_int_t)fit->dof,
                                        "reduced_chi2", json_number(fit->dof > 0 ? fit->chi2 / (double)fit->dof : NAN),
                                        "p_value", json_number(fit->p_value), "contradicted", fit->contradicted));
    }
    return growth;
}
