/* Ranges, ticks, colours, and how wide letters are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/pen.h"

/* ---- ranges ---- */

figure_range figure_range_none(void)
{
    return (figure_range){INFINITY, -INFINITY};
}

bool figure_range_is_none(figure_range range)
{
    return !(range.lo <= range.hi);
}

void figure_range_add(figure_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->lo = fmin(range->lo, value);
    range->hi = fmax(range->hi, value);
}

/* The number of rank `rank` of values first .. last, which get another order: none before it is greater, none behind it
 * less. */
static float select_rank(float *values, ptrdiff_t first, ptrdiff_t last, ptrdiff_t rank)
{
    while (first < last) {
        float pivot = values[first + (last - first) / 2];
        ptrdiff_t i = first, j = last;

        while (i <= j) {
            while (values[i] < pivot)
                i++;
            while (pivot < values[j])
                j--;
            if (i <= j) {
                float other = values[i];

                values[i++] = values[j];
                values[j--] = other;
            }
        }
        if (rank > j && rank < i)
            break;
        first = rank >= i ? i : first;
        last = rank <= j ? j : last;
    }
    return values[rank];
}

figure_range figure_range_within(float *values, size_t n, size_t percent)
{
    size_t known = 0, cut;
    float low;

    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            values[known++] = values[i];
    if (known == 0)
        return figure_range_none();
    cut = (known - 1) * percent / 100;
    low = select_rank(values, 0, (ptrdiff_t)known - 1, (ptrdiff_t)cut);
    return (figure_range){(double)low,
                          (double)select_rank(values, 0, (ptrdiff_t)known - 1, (ptrdiff_t)(known - 1 - cut))};
}

figure_range figure_range_pad(figure_range range, double below, double above)
{
    double width = range.hi - range.lo, least;

    if (figure_range_is_none(range))
        return (figure_range){0, 1};
    least = fmax(fabs(range.lo), fabs(range.hi)) * 1e-9; /* below this the ticks would all read the same */
    if (!(width > least)) {
        width = least > 0 ? 0.2 * fmax(fabs(range.lo), fabs(range.hi)) : 1;
        return (figure_range){range.lo - width / 2, range.hi + width / 2};
    }
    return (figure_range){range.lo - below * width, range.hi + above * width};
}

double figure_share(figure_range range, double value)
{
    return range.hi > range.lo ? (value - range.lo) / (range.hi - range.lo) : 0.5;
}

/* ---- ticks ---- */

double figure_nice_step(double span, int most)
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

void figure_put_tick(char *text, size_t size, double value, double step)
{
    double decimals = -floor(log10(step) + 1e-9);

    if (fabs(value) < 1e-9 * step)
        value = 0;
    if (fabs(value) >= 1e6 || decimals > 5)
        snprintf(text, size, "%.*g", (int)fmax(log10(fabs(value) / step + 1) + 2, 6), value);
    else
        snprintf(text, size, "%.*f", decimals > 0 ? (int)decimals : 0, value);
}

double figure_tick_step(figure_range range, int most)
{
    double step = figure_nice_step(range.hi - range.lo, most);

    for (int n = most + 1; n <= 4 * most && floor(range.hi / step) - ceil(range.lo / step) < 1; n++)
        step = figure_nice_step(range.hi - range.lo, n);
    return step;
}

/* ---- colours ---- */

/* Linear between ten colours of the palette. */
uint32_t figure_viridis(double share)
{
    static const uint32_t table[] = {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e,
                                     0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725};
    enum { LAST = sizeof table / sizeof *table - 1 };
    double at = fmin(fmax(share, 0), 1) * LAST;
    int i = at < LAST ? (int)at : LAST - 1;
    uint32_t colour = 0;

    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = table[i] >> shift & 0xff, to = table[i + 1] >> shift & 0xff;

        colour = colour << 8 | (uint32_t)(from + (at - i) * (to - from) + 0.5);
    }
    return colour;
}

uint32_t figure_pixel(const figure_pen *pen, const figure_image *image, figure_range colours, size_t i)
{
    double share;

    if (image->rgb)
        return (uint32_t)image->rgb[3 * i] << 16 | (uint32_t)image->rgb[3 * i + 1] << 8 | image->rgb[3 * i + 2];
    if (!isfinite(image->values[i]))
        return FIGURE_UNKNOWN;
    share = fmin(fmax(figure_share(colours, (double)image->values[i]), 0), 1);
    return figure_viridis(pen->shades > 1 ? round(share * (pen->shades - 1)) / (pen->shades - 1) : share);
}

/* ---- letters ---- */

bool figure_next_run(const char **text, bool plain, figure_run *run)
{
    const char *at = *text;

    if (!*at)
        return false;
    run->level = 0;
    if (!plain && (at[0] == '_' || at[0] == '^') && at[1] == '{' && strchr(at, '}')) {
        *run = (figure_run){at + 2, strchr(at, '}'), at[0] == '_' ? -1 : 1};
        *text = run->end + 1;
        return true;
    }
    run->at = at++;
    while (*at && (plain || !((at[0] == '_' || at[0] == '^') && at[1] == '{')))
        at++;
    *text = run->end = at;
    return true;
}

/* The font's advance widths, of ASCII in hundredths of its size; the others are about as wide as digits. */
static double letter_width(const char *letter)
{
    static const unsigned char widths[] = {32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
                                           64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63,
                                           58, 77, 75, 29, 29, 66, 56, 86, 75, 79, 60, 79, 69, 63,  61, 73, 68, 99, 69,
                                           61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35,  63, 63, 28, 28, 58,
                                           28, 97, 63, 61, 63, 63, 41, 52, 39, 63, 59, 82, 59, 59,  52, 64, 34, 64, 84};
    const size_t code = (size_t)((unsigned char)*letter - ' ');

    if (strncmp(letter, "±", 2) == 0 || strncmp(letter, "×", 2) == 0)
        return 0.84;
    return code < sizeof widths ? widths[code] / 100.0 : 0.64;
}

double figure_text_width(double size, bool plain, const char *text)
{
    double width = 0;

    for (figure_run run; figure_next_run(&text, plain, &run);)
        for (const char *at = run.at; at<run.end; at += utf8_bytes(at)> 0 ? utf8_bytes(at) : 1)
            width += letter_width(at) * (run.level ? FIGURE_SMALLER : 1);
    return width * size / FIGURE_CAPITALS;
}
