/* Numbers of the report. */
#include <math.h>
#include <stdlib.h>

#include "figures/html.h"
#include "optmap/report_parts.h"
#include "optmap/statistics.h"

static void put_row(FILE *out, const char *name, const char *unit, const optmap_statistics *s)
{
    const optmap_summary *a = &s->all;

    if (a->count == 0)
        return;
    fprintf(out,
            "<tr><td>%s, %s</td><td>%.4g</td><td>%.4g</td><td>%.4g</td><td>%.4g</td><td>%.3g</td><td>%.3g</td>"
            "<td>%zu</td><td>%zu</td></tr>\n",
            name, unit, a->median, a->q1, a->q3, a->mean, a->sd, a->high - a->low, s->pixels, s->beats);
}

static void put_facts(FILE *out, const optmap_findings *f)
{
    fprintf(
        out,
        "<table class=\"text\"><tr><td>Movie</td><td>%zu frames of %zu &#215; %zu px at %.6g Hz, %.6g s</td></tr>\n",
        f->frames, f->width, f->height, f->rate, (double)f->frames / f->rate);
    if (f->pixel_size > 0)
        fprintf(out, "<tr><td>Pixel</td><td>%.6g mm</td></tr>\n", 10 * f->pixel_size);
    fprintf(out, "<tr><td>Valid pixels</td><td>%zu of %zu</td></tr>\n<tr><td>Beats</td><td>%zu</td></tr>\n",
            f->valid_pixels, f->height * f->width, f->beat_count);
    fprintf(out, "<tr><td>Filtered movie</td><td>%zu frames at %.6g Hz</td></tr>\n<tr><td>Engine</td><td>",
            f->filtered_frames, f->filtered_rate);
    html_text(out, f->engine, SIZE_MAX);
    fprintf(out, ", %.3g times real time from reading to this page</td></tr>\n<tr><td>Device</td><td>",
            f->real_time_factor);
    html_text(out, f->device, SIZE_MAX);
    fputs("</td></tr></table>\n", out);
}

bool optmap_report_summary(FILE *out, const optmap_findings *f)
{
    bool refused = false;

    put_facts(out, f);
    fputs("<h2>Summary</h2>\n<table><tr><th></th><th>median</th><th>lower quartile</th><th>upper quartile</th>"
          "<th>mean</th><th>dispersion</th><th>range</th><th>pixels</th><th>beats</th></tr>\n",
          out);
    for (size_t i = 0; i < OPTMAP_KINDS; i++) {
        optmap_statistics s;
        optmap_map map;

        if (!optmap_find_map(f, optmap_kinds[i], &map) || map.count == 0)
            continue;
        if (!optmap_find_statistics(f, &map, 0, map.count, &s))
            return false;
        if (optmap_is_refused(f, optmap_kinds[i], &s))
            refused = true;
        else
            put_row(out, map.title, map.unit, &s);
    }
    fputs(
        "</table>\n<p class=\"note\">Over all pixels and beats that have a value. Dispersion: the standard deviation. "
        "Range: largest less least. Signal to noise is of the movie as recorded, and of the filtered one.",
        out);
    if (refused)
        fprintf(out, " Alternans is not stated: fewer than %zu pixels have one.", optmap_least_alternans(f));
    fputs("</p>\n", out);
    return true;
}

/* ---- beats ---- */

static void put_number(FILE *out, int digits, double value, bool known)
{
    if (known)
        fprintf(out, "<td>%.*f</td>", digits, value);
    else
        fputs("<td>&#8211;</td>", out);
}

static bool put_beat(FILE *out, const optmap_findings *f, size_t i)
{
    optmap_map activation, apd, cv;
    optmap_statistics a = {.pixels = 0}, d = {.pixels = 0}, v = {.pixels = 0};
    bool ok = optmap_find_map(f, "activation", &activation) && optmap_find_map(f, "apd80", &apd) &&
              optmap_find_map(f, "cv", &cv);

    ok = ok && (activation.count == 0 || optmap_find_statistics(f, &activation, i, 1, &a)) &&
         (apd.count == 0 || optmap_find_statistics(f, &apd, i, 1, &d)) &&
         (cv.count == 0 || optmap_find_statistics(f, &cv, i, 1, &v));
    if (!ok)
        return false;
    fprintf(out, "<tr><td>%zu</td><td>%.1f</td>", i + 1, 1e3 * f->beats[i].upstroke / f->filtered_rate);
    put_number(out, 1, a.all.low, a.pixels > 0);
    put_number(out, 1, a.all.high - a.all.low, a.pixels > 0);
    put_number(out, 2, d.all.median, d.pixels > 0);
    put_number(out, 2, d.all.sd, d.pixels > 0);
    put_number(out, 2, d.all.high - d.all.low, d.pixels > 0);
    put_number(out, 1, v.all.median, v.pixels > 0);
    fprintf(out, "<td>%zu</td></tr>\n", a.pixels);
    return true;
}

bool optmap_report_beats(FILE *out, const optmap_findings *f)
{
    fputs("<h2>Beats</h2>\n", out);
    if (f->beat_count == 0) {
        fputs("<p>No beat was found.</p>\n", out);
        return true;
    }
    fputs("<table><tr><th>beat</th><th>upstroke, ms</th><th>first activation, ms</th><th>total activation, ms</th>"
          "<th>APD80 median, ms</th><th>dispersion</th><th>range</th><th>CV median, cm/s</th><th>pixels</th></tr>\n",
          out);
    for (size_t i = 0; i < f->beat_count; i++)
        if (!put_beat(out, f, i))
            return false;
    fputs("</table>\n", out);
    return true;
}
