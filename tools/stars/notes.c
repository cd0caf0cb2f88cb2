#include "stars/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stars/header.h"
#include "stars/picture.h"

#define NOTED_ERROR 0.01 /* px, of the coordinates in a header */

enum { TEXT = 1024 };

/* Formats behind the text in the buffer of TEXT bytes, as much as fits. */
__attribute__((format(printf, 2, 3))) static void append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, TEXT - used, format, args);
    va_end(args);
}

/* ---- camera ---- */

/* px from the principal point to where the radial distortion folds back. */
static double fold_distance(const penta_camera *c)
{
    double r = 0, r2;

    penta_camera_fold(c, &r);
    r2 = r * r;
    return c->focal * r * (1 + r2 * (c->k1 + r2 * (c->k2 + r2 * c->k3)));
}

static void note_fold(stars_run *run, double folded, const char *header)
{
    const stars_optics *o = &run->optics;

    if (o->view.kind == PENTA_SKY_WCS)
        job_warn(&run->job,
                 "the SIP polynomials of %s fold back within the frame: two directions or none meet in %.2g %% of the "
                 "pixels; stars are drawn at the one that the inverse finds",
                 run->request.pointing_path, 100 * folded);
    else
        job_warn(&run->job,
                 "%s%.2g %% of the pixels show no star: --distortion folds back within the frame, about %.4g px from "
                 "the principal point, and stars beyond that would be drawn over stars within",
                 header, 100 * folded, fold_distance(&o->view.camera));
}

void stars_note_optics(stars_run *run)
{
    bool fits = stars_picture_is_fits(&run->request), fitted;
    double folded;

    if (!run->optics.on_sky)
        return;
    if (penta_sky_folded(&run->optics.view, &folded) != PENTA_OK)
        folded = 0;
    fitted = fits && stars_header_fit(&run->optics, &run->coordinates);
    if (folded > 0)
        note_fold(run, folded, fits && !fitted ? "the FITS header gets no coordinates, and " : "");
    else if (fits && !fitted)
        job_warn(&run->job, "the FITS header gets no coordinates: no polynomials could be fitted to this --distortion");
    if (fitted && run->coordinates.error > NOTED_ERROR)
        job_warn(&run->job,
                 "the coordinates of the FITS header are off by up to %.2g px: its polynomials, of order %d, are too "
                 "stiff for this --distortion; --truth has the exact ones",
                 run->coordinates.error, run->coordinates.wcs.a_order);
}

void stars_note_plan(stars_run *run)
{
    char line[512];

    for (size_t i = 0; penta_stars_doubt(run->plan, i, line, sizeof line); i++)
        job_warn(&run->job, "%s", cli_name_flags(line));
}

/* ---- brightness ---- */

void stars_note_background(stars_run *run)
{
    const penta_detector_options *d = &run->request.detector;
    double level = (d->quantum_efficiency * d->sky + d->dark) * d->exposure / d->gain + d->bias;
    double clip = stars_picture_limit(&run->request) + 0.5, most = clip; /* INFINITY: nothing is clipped */

    if (d->bits > 0)
        most = clip = fmin(clip, (double)(1 << d->bits) - 1);
    if (d->full_well > 0)
        most = fmin(most, d->full_well / d->gain + d->bias);
    if (run->request.noise && (level >= most || (level < 0 && clip < INFINITY)))
        job_note(
            &run->job,
            "a pixel without stars has %.4g DN by --bias, --sky and --dark, and %g to %.5g DN are written: stars are "
            "cut off; change these, or --gain, --bits, --full-well or the format",
            level, clip < INFINITY ? 0 : d->bias, most);
}

/* ---- epochs ---- */

void stars_note_epoch(stars_run *run)
{
    const stars_request *r = &run->request;
    const penta_io_catalog_origin *o = &run->source.origin;
    const char *like = o->motion_like;

    if (r->at_epoch && run->source.all > 0 && !run->source.moves)
        job_note(&run->job, "%s: --epoch moves no star, as no proper motion is known%s%s%s", r->source_path,
                 *like ? ": its columns " : "", like,
                 *like ? " look like proper motions, and are read once they are called pmra (with its cos(dec)) and "
                         "pmdec, in mas/yr"
                       : "");
    if (run->source.by_guess)
        job_note(&run->job, "%s: its positions are taken to be of J%.6g, %s%s; --catalog-epoch YEAR says otherwise",
                 r->source_path, o->epoch, strcmp(o->format, "CSV") == 0 ? "as no column says of when" : "as in ",
                 strcmp(o->format, "CSV") == 0 ? "" : o->format);
}

/* ---- frames ---- */

static void note_empty(stars_run *run, const stars_sequence *s)
{
    size_t empty = 0, first = 0;

    for (size_t i = s->n; i-- > 0;)
        if (s->records[i].drawn == 0) {
            empty++;
            first = i;
        }
    if (empty == 0)
        return;
    if (run->source.all == 0)
        job_warn(&run->job, "no star was drawn: there is none%s",
                 isfinite(run->request.mag_limit) ? " within --mag-limit" : "");
    else if (s->n == 1)
        job_warn(&run->job, "no star was drawn: none of %zu comes into the frame", run->source.all);
    else
        job_warn(&run->job,
                 "no star was drawn in %zu of %zu frames, the first of them frame-%04zu: none of %zu comes into them",
                 empty, s->n, first, run->source.all);
}

static void note_variables(stars_run *run, uint64_t drawn)
{
    char mean[TEXT] = "", bright[TEXT] = "";
    size_t count;
    const penta_io_star_variable *variables = penta_io_star_variables(&count);

    for (size_t i = 0; i < count; i++) {
        const penta_io_star_variable *v = &variables[i];

        if (!(drawn >> i & 1))
            continue;
        if (isnan(v->mag))
            append(bright, "%s%s (HR %d)", *bright ? ", " : "", v->name, (int)v->hr);
        else
            append(mean, "%s%s (HR %d) at its usual %.2f", *mean ? ", " : "", v->name, (int)v->hr, v->mag);
    }
    if (*mean || *bright)
        job_note(&run->job, "stars that vary by magnitudes: %s%s%s%s", mean, *mean && *bright ? "; " : "", bright,
                 *bright ? " as catalogued, near the maximum" : "");
}

void stars_note_frames(stars_run *run, const stars_sequence *s)
{
    uint64_t drawn = 0;

    for (size_t i = 0; i < s->n; i++)
        drawn |= s->records[i].variables;
    note_empty(run, s);
    note_variables(run, drawn);
    if (stars_picture_is_jpeg(&run->request))
        job_note(&run->job,
                 "JPEG is lossy: pixels are not exactly as computed; write .png, .fits, .tif or .npy for that");
}
