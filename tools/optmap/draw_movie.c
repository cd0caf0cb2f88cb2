/* The filtered movie as an animated PNG: each frame with its phase singularities as crosses, below it its time and the
 * colour scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/output.h>
#include <pentacl/parallel.h>
#include "figures/animation.h"
#include "optmap/draw.h"

/* px; STRIP: below the frame; CROSS: from its middle to an end */
enum { STRIP = 42, BAR = 10, SIDE = 288, LEAST_WIDTH = 190, CROSS = 5, LETTERS = 10 };
enum { MOST_FRAMES = 240, DELAY = 40 /* ms */ };

typedef struct {
    const penta_findings *found;
    double scale, map_width, map_height, width, height; /* px */
    size_t stride, frames;
    figure_range colours;
} film;

static film lay_out(const penta_findings *found)
{
    double longest = (double)(found->width > found->height ? found->width : found->height);
    film m = {.found = found, .colours = figure_range_none()};

    m.scale = SIDE / longest >= 1 ? floor(SIDE / longest) : SIDE / longest;
    m.map_width = fmax(round(m.scale * (double)found->width), 1);
    m.map_height = fmax(round(m.scale * (double)found->height), 1);
    m.width = fmax(m.map_width, LEAST_WIDTH);
    m.height = m.map_height + STRIP;
    m.stride = (found->filtered.frames + MOST_FRAMES - 1) / MOST_FRAMES;
    m.stride = m.stride > 0 ? m.stride : 1;
    m.frames = (found->filtered.frames + m.stride - 1) / m.stride;
    return m;
}

/* From a sample of the movie's numbers. */
static bool find_colours(film *m)
{
    size_t n = m->found->height * m->found->width * m->found->filtered.frames, step = n / 100000 + 1, count = 0;
    float *some = malloc((n / step + 1) * sizeof *some);

    if (!some)
        return false;
    for (size_t i = 0; i < n; i += step)
        some[count++] = m->found->filtered.data[i];
    m->colours = figure_range_within(some, count, 1);
    free(some);
    return true;
}

/* ---- a frame ---- */

/* Upright where the charge is +1, slanted where it is -1. */
static void add_cross(figure *f, figure_mark *mark, const penta_singularity *p, double arm)
{
    for (int k = -1; k <= 1; k += 2) {
        double dx = p->charge > 0 ? (k < 0 ? arm : 0) : arm, dy = p->charge > 0 ? (k < 0 ? 0 : arm) : k * arm;

        figure_add_point(f, mark, (figure_point){p->x - dx, p->y - dy, 0, 0});
        figure_add_point(f, mark, (figure_point){p->x + dx, p->y + dy, 0, 0});
    }
}

/* The first singularity of a frame of the camera or of those behind it; they are in order. */
static size_t first_of(const penta_findings *found, size_t camera)
{
    size_t low = 0, high = found->singularity_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (found->singularities[middle].frame < camera)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* White crosses with a black edge. */
static void add_crosses(figure *f, figure_panel *panel, const film *m, size_t camera)
{
    const penta_findings *found = m->found;
    size_t first = first_of(found, camera);

    for (int edge = 1; edge >= 0; edge--) {
        figure_mark *mark = figure_add_mark(
            f, panel,
            (figure_mark){.kind = FIGURE_SEGMENTS, .colour = edge ? 0x000000 : 0xffffff, .width = edge ? 3 : 1});

        for (size_t k = first; k < found->singularity_count && found->singularities[k].frame == camera; k++)
            add_cross(f, mark, &found->singularities[k], CROSS / m->scale);
    }
}

/* An end of the colour scale, per cent of F0, with enough decimals to tell both ends apart. */
static const char *end_text(figure *f, const film *m, double value, const char *unit)
{
    char text[40];

    figure_put_tick(text, sizeof text, 100 * value, figure_nice_step(100 * (m->colours.hi - m->colours.lo), 100));
    return figure_text(f, "%s%s", text, unit);
}

/* The colour scale between the numbers at its ends. */
static void add_bar(figure *f, const film *m)
{
    const char *low = end_text(f, m, m->colours.lo, ""), *high = end_text(f, m, m->colours.hi, " % of F0");
    double left = floor(4 + figure_text_width(LETTERS, true, low) + 6);
    double right = m->width - floor(4 + figure_text_width(LETTERS, true, high) + 6), width;
    figure_panel *panel;
    float *shades;

    width = fmax(right - left, 2);
    shades = figure_memory(f, (size_t)width * sizeof *shades);
    for (size_t i = 0; shades && i < (size_t)width; i++)
        shades[i] = (float)(m->colours.lo + (m->colours.hi - m->colours.lo) * (double)i / (width - 1));
    panel = figure_add_panel(f, (figure_panel){.box = {left, m->height - BAR - 5, left + width, m->height - 5},
                                               .x.range = {-0.5, width - 0.5},
                                               .y = {.range = {-0.5, 0.5}, .downwards = true},
                                               .frame = FIGURE_FRAME_NONE,
                                               .image = {(size_t)width, 1, 0, 0, 1, shades, NULL}});
    figure_add_label(f, panel,
                     (figure_label){.text = low, .x = -6 / width, .y = 0.5, .align = 1, .colour = FIGURE_INK});
    figure_add_label(f, panel, (figure_label){.text = high, .x = 1 + 6 / width, .y = 0.5, .colour = FIGURE_INK});
}

static void describe(figure *f, const film *m, size_t frame)
{
    const penta_findings *found = m->found;
    const double width = (double)found->width, height = (double)found->height;
    size_t camera = frame * found->frames / found->filtered.frames; /* rotors are at its rate */
    figure_panel *panel;

    figure_open(f, m->width, m->height);
    f->letters = LETTERS;
    f->colours = m->colours;
    panel = figure_add_panel(
        f, (figure_panel){.box = {0, 0, m->map_width, m->map_height},
                          .x.range = {-0.5, width - 0.5},
                          .y = {.range = {-0.5, height - 0.5}, .downwards = true},
                          .frame = FIGURE_FRAME_NONE,
                          .image = {found->width, found->height, 0, 0, 1,
                                    found->filtered.data + frame * found->height * found->width, NULL}});
    figure_add_label(
        f, panel,
        (figure_label){.text = figure_text(f, "%.1f ms", 1e3 * (double)frame / found->filtered.frame_rate_hz),
                       .x = 4 / m->map_width,
                       .y = -11 / m->map_height,
                       .colour = FIGURE_INK});
    add_crosses(f, panel, m, camera);
    if (!figure_range_is_none(m->colours))
        add_bar(f, m);
}

typedef struct {
    film film;
    uint8_t **packed; /* of each frame */
    size_t *sizes;
} reel;

static bool draw_frame(void *data, size_t i)
{
    const reel *d = data;
    figure frame;

    describe(&frame, &d->film, i * d->film.stride);
    d->packed[i] = figure_animation_draw((size_t)d->film.width, (size_t)d->film.height, &frame, &d->sizes[i]);
    figure_close(&frame);
    return d->packed[i] != NULL;
}

static void put_frames(FILE *out, const reel *d)
{
    const film *m = &d->film;
    apng file = figure_animation_begin(out, (size_t)m->width, (size_t)m->height, m->frames, DELAY);

    for (size_t i = 0; i < m->frames; i++)
        apng_add(&file, d->packed[i], d->sizes[i]);
    apng_end(&file);
}

static bool draw_film(FILE *out, const optmap_findings *f)
{
    reel d = {.film = lay_out(f->found)};
    size_t count = d.film.frames;
    bool ok;

    d.packed = calloc(count, sizeof *d.packed);
    d.sizes = calloc(count, sizeof *d.sizes);
    ok = d.packed && d.sizes && find_colours(&d.film) && penta_parallel_until(count, draw_frame, &d) == count;
    if (ok)
        put_frames(out, &d);
    for (size_t i = 0; d.packed && i < count; i++)
        free(d.packed[i]);
    free(d.packed);
    free(d.sizes);
    return ok;
}

static bool has_film(const optmap_findings *f)
{
    return f->found->filtered.frames > 0 && f->found->filtered.data;
}

/* The animated PNG, where there are frames. False when out of memory. */
static bool optmap_put_movie(FILE *out, const optmap_findings *f)
{
    return f->film ? fwrite(f->film, 1, f->film_bytes, out) == f->film_bytes : draw_film(out, f);
}

bool optmap_film(const optmap_findings *f, char **bytes, size_t *size)
{
    FILE *memory;
    bool ok;

    *bytes = NULL;
    *size = 0;
    if (!has_film(f))
        return true;
    memory = open_memstream(bytes, size);
    ok = memory && optmap_put_movie(memory, f);
    if (memory && fclose(memory) != 0)
        ok = false;
    if (ok)
        return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool optmap_draw_movie(const char *path, const optmap_findings *f, penta_io_error *err)
{
    penta_io_output *output = NULL;

    if (!has_film(f))
        return penta_io_fail(err, "%s: there is no filtered movie to draw", path);
    if (!penta_io_output_open(path, &output, err))
        return false;
    if (optmap_put_movie(penta_io_output_stream(output), f))
        return penta_io_output_commit(output, err);
    penta_io_output_abort(output);
    return penta_io_fail(err, "%s: out of memory for the animated picture", path);
}
