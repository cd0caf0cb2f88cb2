/* What is doubtful in a series of frames, in notes and warnings. */
#include "autocorr/doubts.h"
#include "shared/prepare_plan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pentacl/io/run.h>
#include <pentacl/numbers.h>

static const double least_lengths = 3; /* correlation lengths that R should span */
enum { LEAST_OFFSET = 8 };             /* px: with a smaller R nobody looks for a length */

/* How many pixels were left out as NaN. */
static void note_nan(correlation *c)
{
    size_t frames = 0, pixels = 0, worst = 0;

    for (size_t i = 0; c->series.rows && i < c->list.count; i++) {
        size_t n = c->series.rows[i].state == SERIES_DONE ? c->series.rows[i].nan_pixels : 0;

        frames += n > 0;
        pixels += n;
        if (n > c->series.rows[worst].nan_pixels)
            worst = i;
    }
    if (frames > 0)
        job_note(&c->job, "NaN pixels are left out as masked ones are: %zu in %zu of %zu frames, most in %s (%zu)",
                 pixels, frames, c->list.count, c->list.sources[worst].name, c->series.rows[worst].nan_pixels);
}

/* Where no law that was fitted can be that of the data, and where errors to judge it by are missing. */
static void note_growth(correlation *c)
{
    size_t points = series_fit_points(&c->series), lacking = series_without_error(&c->series);
    const penta_growth_fit *best = NULL;
    bool held = false;

    for (int m = 0; c->series.fitted && m < PENTA_GROWTH_MODELS; m++) {
        const penta_growth_fit *fit = &c->series.fits[m];

        if (!penta_growth_shows(fit, points))
            continue;
        held = held || !fit->contradicted;
        if (!best || fit->chi2 / (double)fit->dof < best->chi2 / (double)best->dof)
            best = fit;
    }
    if (best && !held)
        job_warn(&c->job,
                 "growth: every law that was fitted contradicts the data by the frames' own errors, or these are too "
                 "small; the nearest is "
                 "%s "
                 "(chi2/dof = %.3g, p = %.1g)",
                 penta_growth_model_name(best->model), best->chi2 / (double)best->dof, best->p_value);
    if (c->series.fitted && c->options.bootstrap > 0 && lacking > 0 && points > 0)
        job_note(&c->job, "growth: all frames count the same, as %zu of those with a peak %s no standard error",
                 lacking, lacking == 1 ? "has" : "have");
}

/* All the doubts there are about peaks: "a, b, or c". */
static void list_doubts(char *text, size_t size)
{
    const char *next;

    text[0] = 0;
    for (unsigned bit = 1; (next = penta_peak_doubt_text((enum penta_peak_doubt)bit)) != NULL; bit <<= 1) {
        bool last = !penta_peak_doubt_text((enum penta_peak_doubt)(bit << 1));
        size_t used = strlen(text);

        snprintf(text + used, size - used, "%s%s", bit == 1 ? "" : last ? ", or " : ", ", next);
    }
}

/* Frames whose mean carries the curve of equation 1. */
static void note_mean(correlation *c)
{
    char message[512];

    if (c->mean_ratios && penta_autocorr_mean_warning(c->list.count, c->mean_ratios, message, sizeof message))
        job_warn(&c->job, "%s", cli_name_flags(message));
}

/* Frames whose peak is not reliable, and displacements that are not. */
static void note_doubtful(correlation *c)
{
    size_t weak = 0, unsure = 0, ambiguous = 0, edge = 0, whole = 0;
    char doubts[256];

    for (size_t i = 0; c->series.rows && i < c->list.count; i++) {
        const series_row *row = &c->series.rows[i];
        bool at_edge = row->state == SERIES_DONE && !c->series.cross && row->peak.status == PENTA_PEAK_AT_EDGE;

        weak += row->state == SERIES_DONE && row->peak.status == PENTA_PEAK_WEAK;
        edge += at_edge;
        whole += at_edge && c->max_offset + 2 > (row->width < row->height ? row->width : row->height);
        unsure += row->state == SERIES_DONE && c->series.cross && row->shift.status != PENTA_DISPLACEMENT_OK;
        ambiguous += row->state == SERIES_DONE && c->series.cross && row->shift.status == PENTA_DISPLACEMENT_AMBIGUOUS;
    }
    list_doubts(doubts, sizeof doubts);
    if (weak > 0)
        job_warn(&c->job, "%zu of %zu frames are weak (%s) and are left out of the growth fits", weak, c->list.count,
                 doubts);
    if (edge > 0)
        job_note(&c->job, "in %zu of %zu frames C1D still rises at the largest offset; a larger %s may reach its peak",
                 edge, c->list.count, whole > 0 ? "frame" : "-R");
    if (unsure > 0)
        job_warn(&c->job, "%zu of %zu displacements are not to be relied on; their status says why%s", unsure,
                 c->list.count,
                 ambiguous == 0 || c->options.demean == PENTA_AUTOCORR_DEMEAN_PLANE
                     ? ""
                     : "; --demean plane takes off light that stays where it is and falls to a side");
}

/* Frames whose C1D may end before it could show a length. With the mean left in C1D does not fall to 1/e at all. */
static void note_short(correlation *c)
{
    bool centred = c->options.demean != PENTA_AUTOCORR_DEMEAN_NONE || c->options.estimator == PENTA_AUTOCORR_PEARSON;
    size_t frames = 0;
    double longest = 0;

    for (size_t i = 0;
         centred && c->max_offset >= LEAST_OFFSET && !c->series.cross && c->series.rows && i < c->list.count; i++) {
        const series_row *row = &c->series.rows[i];

        if (row->state != SERIES_DONE || row->peak.status == PENTA_PEAK_FLAT ||
            row->peak.status == PENTA_PEAK_AT_EDGE ||
            !(least_lengths * row->correlation_length > (double)c->max_offset))
            continue;
        frames++;
        longest = fmax(longest, row->correlation_length);
    }
    if (frames > 0)
        job_note(
            &c->job,
            "in %zu of %zu frames R = %zu px is below three correlation lengths (%.3g px at most), too short to show "
            "whether there is a length; take a larger -R, or images that show more of the sample",
            frames, c->list.count, c->max_offset, longest);
}

/* Frames that are in another order than their times; pictures and fits take them by their times. */
static void note_times(correlation *c)
{
    size_t back = 0, first = 0;

    for (size_t i = 1; c->flags.times && c->series.rows && i < c->list.count; i++)
        if (c->series.rows[i].time < c->series.rows[i - 1].time) {
            first = back == 0 ? i : first;
            back++;
        }
    if (back > 0)
        job_note(&c->job, "times go back: %s is at %.6g s, and %s in front of it at %.6g s (%zu of %zu frames)",
                 c->list.sources[first].name, c->series.rows[first].time, c->list.sources[first - 1].name,
                 c->series.rows[first - 1].time, back, c->list.count);
}

/* ---- what `penta prepare` takes off, or has taken off too much of ---- */

#define DARK_CORNER 0.72 /* of the brightest light: 60 % and what the fit may be off */
#define MUCH_DUST   0.01 /* of a frame */
#define LENGTHS     5    /* R_max that a frame must be across before its light can be told from its pattern */

/* Light that falls off, and dust, in frames that were not prepared. */
static void note_light(correlation *c)
{
    size_t uneven = 0, dusty = 0, dark = 0, dust = 0; /* how many, and the worst */

    for (size_t i = 0; c->lights && c->series.rows && !c->series.cross && i < c->list.count; i++) {
        const series_row *row = &c->series.rows[i];
        bool found = row->peak.status == PENTA_PEAK_OK || row->peak.status == PENTA_PEAK_WEAK;
        double length = found ? row->peak.r_max : row->correlation_length;

        if (c->lights[i].corner <= DARK_CORNER && !(LENGTHS * length > fmin((double)row->width, (double)row->height)))
            dark = uneven++ == 0 || c->lights[i].corner < c->lights[dark].corner ? i : dark;
        if (c->lights[i].dust >= MUCH_DUST)
            dust = dusty++ == 0 || c->lights[i].dust > c->lights[dust].dust ? i : dust;
    }
    if (uneven > 0)
        job_note(&c->job,
                 "the light of %zu of %zu frames is uneven, that of %s falls to %.0f %% in a corner, which makes R_max "
                 "wrong or hides it; penta prepare flattens it",
                 uneven, c->list.count, c->list.sources[dark].name, 100 * c->lights[dark].corner);
    if (dusty > 0)
        job_note(&c->job,
                 "dust seems to cover 1 %% or more of %zu of %zu frames (%.1f %% of %s), which makes R_max wrong; "
                 "penta prepare masks it",
                 dusty, c->list.count, 100 * c->lights[dust].dust, c->list.sources[dust].name);
}

/* The value of an option in the record of a run or the state of a series, whose options come first: in both it follows
 * the name after bytes that are no letters or digits. */
static const char *value_in(const char *bytes, size_t size, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i + length < size; i++)
        if (memcmp(bytes + i, name, length) == 0 && bytes[i + length] != '_') {
            for (i += length; i < size && !isalnum((unsigned char)bytes[i]);)
                i++;
            return bytes + i;
        }
    return "";
}

/* How the `penta prepare` whose frame this is has flattened it. */
static penta_prepare_options flattening_of(const char *path)
{
    static const char *const files[] = {".prepare/state.json", PENTA_IO_RUN_RECORD};
    penta_prepare_options o = {.flatten = PENTA_PREPARE_FLATTEN_NONE};
    const char *slash = strrchr(path, '/');
    char name[4096], bytes[8193] = "";
    size_t size = 0;

    for (int i = 0; i < 2 && size == 0; i++) {
        FILE *in;

        snprintf(name, sizeof name, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, files[i]);
        in = fopen(name, "rb");
        size = in ? fread(bytes, 1, sizeof bytes - 1, in) : 0;
        if (in)
            (void)fclose(in);
    }
    if (strncmp(value_in(bytes, size, "flatten"), "gaussian", 8) == 0 ||
        strncmp(value_in(bytes, size, "flatten"), "overlay", 7) == 0)
        o.flatten = PENTA_PREPARE_GAUSSIAN;
    o.flatten_sigma = penta_strtod(value_in(bytes, size, "flatten_sigma"), NULL);
    return o;
}

/* Frames flattened by a Gaussian too narrow for their pattern, by --recipe or by the run that has written them. */
static void note_narrow(correlation *c)
{
    prepare_narrow narrow = {0};

    for (size_t i = 0; c->series.rows && !c->series.cross && i < c->list.count; i++) {
        const series_row *row = &c->series.rows[i];
        penta_prepare_options o =
            c->prepared.wanted ? c->prepared.recipe.options : flattening_of(c->list.sources[i].path);

        if (row->state == SERIES_DONE)
            prepare_narrow_add(&narrow, &o, row->width, row->height, &row->peak, c->list.sources[i].name);
    }
    prepare_narrow_warn(&narrow, &c->job, c->list.count);
}

void doubts_note_frames(correlation *c)
{
    note_nan(c);
    note_mean(c);
}

void doubts_note_series(correlation *c)
{
    note_times(c);
    note_doubtful(c);
    note_short(c);
    note_light(c);
    note_narrow(c);
    note_growth(c);
}
