/* The filtered movie as an animated PNG with a palette of viridis for the values and greys for the text: below each
 * frame are its time and a colour bar, phase singularities are crosses. It is no figure, since it has indexed colours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/apng.h"
#include <pentacl/io/output.h>
#include "figures/canvas.h"
#include "optmap/draw.h"

/* Palette: COLOURS of viridis, then GREYS from black to white. STRIP: px of text below the frame. */
enum {
    COLOURS = 224,
    GREYS = 32,
    STRIP = 42,
    BAR = 10,
    SIDE = 288,
    LEAST_WIDTH = 190,
    MOST_FRAMES = 240,
    DELAY = 40,
    CROSS = 5,
    LETTERS = 10
};

#define UNIT " % of F0"

typedef struct {
    const optmap_findings *f;
    figure_range range;
    double scale;
    size_t width, height; /* of the picture; the map has height - STRIP rows */
    size_t stride, frames;
    canvas strip;
    uint8_t *pixels;
} film;

/* ---- layout ---- */

static void lay_out(film *m)
{
    double longest = (double)(m->f->found->width > m->f->found->height ? m->f->found->width : m->f->found->height);

    m->scale = SIDE / longest >= 1 ? floor(SIDE / longest) : SIDE / longest;
    m->width = (size_t)fmax(round(m->scale * (double)m->f->found->width), LEAST_WIDTH);
    m->height = (size_t)fmax(round(m->scale * (double)m->f->found->height), 1) + STRIP;
    m->stride = (m->f->found->filtered.frames + MOST_FRAMES - 1) / MOST_FRAMES;
    m->stride = m->stride > 0 ? m->stride : 1;
    m->frames = (m->f->found->filtered.frames + m->stride - 1) / m->stride;
}

static void make_palette(uint8_t palette[768])
{
    for (int i = 0; i < COLOURS + GREYS; i++) {
        uint32_t grey = (uint32_t)lround(255.0 * (i - COLOURS) / (GREYS - 1));
        uint32_t colour = i < COLOURS ? canvas_viridis((double)i / (COLOURS - 1)) : grey << 16 | grey << 8 | grey;

        for (int k = 0; k < 3; k++)
            palette[3 * i + k] = (uint8_t)(colour >> (16 - 8 * k));
    }
}

static uint8_t grey_of(unsigned value)
{
    return (uint8_t)(COLOURS + (value * (GREYS - 1) + 127) / 255);
}

/* From a sample of the movie's numbers. */
static bool find_range(film *m)
{
    size_t pixels = m->f->found->height * m->f->found->width, n = pixels * m->f->found->filtered.frames,
           step = n / 1000000 + 1, count = 0;
    float *some = malloc((n / step + 1) * sizeof *some);

    if (!some)
        return false;
    for (size_t i = 0; i < n; i += step)
        some[count++] = m->f->found->filtered.data[i];
    m->range = figure_range_within(some, count, 1);
    free(some);
    return true;
}

/* ---- a frame ---- */

static void draw_values(film *m, size_t frame)
{
    const optmap_findings *f = m->f;
    const float *values = f->found->filtered.data + frame * f->found->height * f->found->width;

    for (size_t j = 0; j < m->height - STRIP; j++)
        for (size_t i = 0; i < m->width; i++) {
            size_t x = (size_t)(((double)i + 0.5) / m->scale), y = (size_t)(((double)j + 0.5) / m->scale);
            float v = x < f->found->width && y < f->found->height ? values[y * f->found->width + x] : NAN;
            double share = fmin(fmax(figure_share(m->range, (double)v), 0), 1);

            m->pixels[j * m->width + i] = x >= f->found->width ? grey_of(255)
                                          : isfinite(v)        ? (uint8_t)lround(share * (COLOURS - 1))
                                                               : grey_of(FIGURE_UNKNOWN & 0xff);
        }
}

static void put_pixel(film *m, long x, long y, uint8_t colour)
{
    if (x >= 0 && y >= 0 && x < (long)m->width && y < (long)(m->height - STRIP))
        m->pixels[(size_t)y * m->width + (size_t)x] = colour;
}

/* Upright where the charge is +1, slanted where it is -1; white with a black edge. */
static void draw_cross(film *m, const penta_singularity *p)
{
    long x = lround(m->scale * (p->x + 0.5)), y = lround(m->scale * (p->y + 0.5));

    for (int pass = 0; pass < 2; pass++)
        for (long k = -CROSS; k <= CROSS; k++)
            for (long w = -1; w <= 1; w++)
                for (int arm = 0; arm < 2; arm++) {
                    long along_x = p->charge > 0 ? (arm ? k : 0) : k;
                    long along_y = p->charge > 0 ? (arm ? 0 : k) : arm ? k : -k;

                    if (pass == 0) {
                        put_pixel(m, x + along_x + (arm ? 0 : w), y + along_y + (arm ? w : 0), grey_of(0));
                    } else if (w == 0) {
                        put_pixel(m, x + along_x, y + along_y, grey_of(255));
                    }
                }
}

/* An end of the colour scale, per cent of F0, with enough decimals to tell both ends apart. */
static void print_end(const film *m, double value, char *text, size_t size)
{
    canvas_put_tick(text, size, 100 * value, canvas_nice_step(100 * (m->range.hi - m->range.lo), 100));
}

/* The columns from .. to - 1 of the colour bar, between the numbers at its ends. */
static void find_bar(const film *m, size_t *from, size_t *to)
{
    char low[40], high[60];

    print_end(m, m->range.lo, low, sizeof low);
    print_end(m, m->range.hi, high, sizeof high - sizeof UNIT);
    strcat(high, UNIT);
    *from = (size_t)(4 + canvas_text_width(LETTERS, low) + 6);
    *to = m->width - (size_t)(4 + canvas_text_width(LETTERS, high) + 6);
    *to = *to > *from + 2 && *to < m->width ? *to : *from + 2;
}

static void put_ends(film *m, size_t from, size_t to)
{
    char text[60];

    print_end(m, m->range.lo, text, sizeof text);
    canvas_text(&m->strip, (double)from - 6, STRIP - 5, LETTERS, 1, FIGURE_INK, text);
    print_end(m, m->range.hi, text, sizeof text - sizeof UNIT);
    strcat(text, UNIT);
    canvas_text(&m->strip, (double)to + 6, STRIP - 5, LETTERS, 0, FIGURE_INK, text);
}

static void draw_strip(film *m, size_t frame)
{
    size_t top = (m->height - STRIP) * m->width, from, to;
    char text[64];

    canvas_fill(&m->strip, 0, 0, (double)m->width, STRIP, 0xffffff);
    snprintf(text, sizeof text, "%.1f ms", 1e3 * (double)frame / m->f->found->filtered.rate);
    canvas_text(&m->strip, 4, 16, LETTERS, 0, FIGURE_INK, text);
    find_bar(m, &from, &to);
    put_ends(m, from, to);
    for (size_t i = 0; i < m->width * STRIP; i++) {
        size_t x = i % m->width, y = i / m->width;
        bool in_bar = x >= from && x < to && y >= STRIP - BAR - 5 && y < STRIP - 5;

        m->pixels[top + i] =
            in_bar ? (uint8_t)((x - from) * (COLOURS - 1) / (to - from - 1)) : grey_of(m->strip.rgb[3 * i]);
    }
}

static bool draw_frames(film *m, apng *file)
{
    const optmap_findings *f = m->f;
    size_t next = 0;

    for (size_t i = 0; i < m->frames; i++) {
        size_t frame = i * m->stride,
               camera = frame * f->found->frames / f->found->filtered.frames; /* rotors are at its rate */

        draw_values(m, frame);
        while (next < f->found->singularity_count && f->found->singularities[next].frame < camera)
            next++;
        for (size_t k = next; k < f->found->singularity_count && f->found->singularities[k].frame == camera; k++)
            draw_cross(m, &f->found->singularities[k]);
        draw_strip(m, frame);
        if (!apng_add(file, m->pixels))
            return false;
    }
    return true;
}

bool optmap_put_movie(FILE *out, const optmap_findings *f)
{
    film m = {.f = f};
    uint8_t palette[768];
    apng file;
    bool ok;

    lay_out(&m);
    make_palette(palette);
    m.pixels = malloc(m.width * m.height);
    ok = m.pixels && canvas_create(m.width, STRIP, &m.strip) && find_range(&m);
    if (ok) {
        file = apng_begin(out, m.width, m.height, palette, m.frames, DELAY);
        ok = draw_frames(&m, &file);
        apng_end(&file);
    }
    free(m.pixels);
    canvas_free(&m.strip);
    return ok;
}

bool optmap_draw_movie(const char *path, const optmap_findings *f, penta_io_error *err)
{
    penta_io_output *output = NULL;

    if (f->found->filtered.frames == 0 || !f->found->filtered.data)
        return penta_io_fail(err, "%s: there is no filtered movie to draw", path);
    if (!penta_io_output_open(path, &output, err))
        return false;
    if (optmap_put_movie(penta_io_output_stream(output), f))
        return penta_io_output_commit(output, err);
    penta_io_output_abort(output);
    return penta_io_fail(err, "%s: out of memory for the animated picture", path);
}
