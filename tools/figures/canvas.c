#include "figures/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/font.h"

static const double unit_share = 1 / 6.0,
                    gap = 1.7; /* a unit of the font as a share of the capitals' height; units between letters */

bool canvas_create(size_t width, size_t height, canvas *out)
{
    *out = (canvas){width, height, NULL};
    if (width == 0 || height > SIZE_MAX / 3 / width)
        return false;
    out->rgb = malloc(3 * width * height);
    if (out->rgb)
        memset(out->rgb, 255, 3 * width * height);
    return out->rgb != NULL;
}

void canvas_free(canvas *c)
{
    free(c->rgb);
    *c = (canvas){0};
}

/* ---- pixels ---- */

static void blend(canvas *c, long x, long y, double share, uint32_t colour)
{
    uint8_t *at = c->rgb + 3 * ((size_t)y * c->width + (size_t)x);

    for (int i = 0; i < 3; i++) {
        double to = colour >> (16 - 8 * i) & 0xff;

        at[i] = (uint8_t)lround(at[i] + share * (to - at[i]));
    }
}

static long clamp(double v, size_t limit)
{
    return v < 0 ? 0 : v > (double)limit ? (long)limit : (long)v;
}

void canvas_fill(canvas *c, double x, double y, double width, double height, uint32_t colour)
{
    long x1 = clamp(floor(x + width + 0.5), c->width), y1 = clamp(floor(y + height + 0.5), c->height);

    for (long j = clamp(floor(y + 0.5), c->height); j < y1; j++)
        for (long i = clamp(floor(x + 0.5), c->width); i < x1; i++)
            blend(c, i, j, 1, colour);
}

/* A pixel's coverage falls linearly over one pixel at the edge of the line. Straight ends reach a little further, so
 * that bends have no gaps; the ends are tested a little beside pixel centres, as joints often lie exactly on those. */
static void draw_stroke(canvas *c, double x0, double y0, double x1, double y1, double width, bool round,
                        uint32_t colour)
{
    const double more = 0.12, beside = 0.2; /* px */
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy, reach = width / 2 + 0.5;
    long right = clamp(ceil(fmax(x0, x1) + reach), c->width), below = clamp(ceil(fmax(y0, y1) + reach), c->height);

    for (long y = clamp(floor(fmin(y0, y1) - reach), c->height); y < below; y++)
        for (long x = clamp(floor(fmin(x0, x1) - reach), c->width); x < right; x++) {
            double px = (double)x + 0.5 - x0, py = (double)y + 0.5 - y0;
            double along = square > 0 ? (px * dx + py * dy) / square : 0, t = fmin(fmax(along, 0), 1);
            double share = reach - hypot(px - t * dx, py - t * dy);
            double over = fabs(along + (square > 0 ? beside * (dx + dy) / square : 0) - 0.5) - 0.5;

            if (share > 0 && (round || over * sqrt(square) < more))
                blend(c, x, y, fmin(share, 1) * fmin(width, 1), colour);
        }
}

void canvas_line(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour)
{
    draw_stroke(c, x0, y0, x1, y1, width, true, colour);
}

void canvas_piece(canvas *c, double x0, double y0, double x1, double y1, double width, uint32_t colour)
{
    draw_stroke(c, x0, y0, x1, y1, width, false, colour);
}

/* ---- text ---- */

static void draw_letter(canvas *c, double x, double y, double unit, uint32_t colour, const char *strokes)
{
    double thickness = fmax(1.1, 0.7 * unit);

    for (const char *at = strokes; *at; at += 2) {
        if (*at == ' ')
            at++;
        if (at[2] && at[2] != ' ')
            canvas_line(c, x + unit * (at[0] - '0'), y + unit * (at[1] - '6'), x + unit * (at[2] - '0'),
                        y + unit * (at[3] - '6'), thickness, colour);
    }
}

double canvas_text_width(double size, const char *text)
{
    double units = 0;
    int width;

    while (*text) {
        plot_next_letter(&text, &width);
        units += width + gap;
    }
    return units > 0 ? (units - gap) * size * unit_share : 0;
}

void canvas_text(canvas *c, double x, double y, double size, double align, uint32_t colour, const char *text)
{
    double unit = size * unit_share;

    x -= align * canvas_text_width(size, text);
    while (*text) {
        int width;
        const char *strokes = plot_next_letter(&text, &width);

        draw_letter(c, x, y, unit, colour, strokes);
        x += unit * (width + gap);
    }
}

/* ---- axes ---- */

double canvas_nice_step(double span, int most)
{
    double least = span / most, power;

    if (!(least > 0) || !isfinite(least))
        return 1;
    power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++) {
        double step = power * (i == 0 ? 1 : i == 1 ? 2 : 5);

        if (step >= least * (1 - 1e-9))
            return step;
    }
    return 10 * power;
}

void canvas_put_tick(char *text, size_t size, double value, double step)
{
    double decimals = -floor(log10(step) + 1e-9);

    if (fabs(value) < 1e-9 * step)
        value = 0;
    if (fabs(value) >= 1e6 || decimals > 5)
        snprintf(text, size, "%.6g", value);
    else
        snprintf(text, size, "%.*f", decimals > 0 ? (int)decimals : 0, value);
}

/* Linear between ten colours of the palette. */
uint32_t canvas_viridis(double share)
{
    static const uint32_t table[] = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                     0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
    enum { LAST = sizeof table / sizeof *table - 1 };
    double at = fmin(fmax(share, 0), 1) * LAST;
    int i = at < LAST ? (int)at : LAST - 1;
    uint32_t colour = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = table[i] >> shift & 0xff, to = table[i + 1] >> shift & 0xff;

        colour = colour << 8 | (uint32_t)lround(from + (at - i) * (to - from));
    }
    return colour;
}
