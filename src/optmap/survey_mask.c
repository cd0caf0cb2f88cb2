/*
 * Decides which pixels are tissue. First, bad pixels: each pixel is compared with its neighbours, of which a few may be
 * bad too. Then, background: the light is split into two classes (Otsu, IEEE Trans. SMC 9 (1979) 62, of its logarithm),
 * of which the darker one must have no signal or hardly any light. If light does not separate them, background is a
 * region without a signal. A trace has a signal if it correlates with itself a few frames later, which noise does not,
 * whatever its amplitude.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/survey.h"

/* A pixel of F / mean minus the neighbours' is bad if its spread exceeds odd_spread times their third largest spread,
 * or odd_lasting times if the deviation lasts (memory above `lasting`), and odd_least times the signal's own spread. */
static const double odd_spread = 2.5, odd_lasting = 1.5, lasting = 0.4, odd_least = 0.5;
/* A pixel's log light differs from the median of its neighbourhood by more than this only if it is bad. */
static const double odd_light = 0.8;
static const double least_memory = 0.12; /* least memory of a signal, mean over a neighbourhood */
static const double dark = 0.2;   /* of the tissue's median light: darker pixels are no tissue even with a signal */
static const double apart = 0.55; /* largest ratio of the darker class's median to the brighter one's */

typedef struct {
    survey *s;
    double *light;   /* per pixel: 3 x 3 median without bad pixels */
    double *signal;  /* per pixel: memory, mean over 5 x 5 pixels that are not bad */
    double *scratch; /* pixels */
    uint8_t *tissue; /* pixels */
    size_t *stack;   /* pixels */
} mask;

/* ---- neighbourhoods ---- */

/* Pixels within 2 px of another one, by rows. */
typedef struct {
    size_t count, at[25];
} vicinity;

/* Pixels within `reach` (1, 2) px of pixel i, with pixel i unless `others`. */
static vicinity around(const survey *s, size_t i, size_t reach, bool others)
{
    size_t x = i % s->width, y = i / s->width;
    vicinity list;

    list.count = 0;
    for (size_t v = y > reach ? y - reach : 0; v <= y + reach && v < s->height; v++)
        for (size_t u = x > reach ? x - reach : 0; u <= x + reach && u < s->width; u++)
            if (!others || v != y || u != x)
                list.at[list.count++] = v * s->width + u;
    return list;
}

/* Gathers values of a map there, without bad pixels; returns how many. */
static size_t gather(const survey *s, const float *map, size_t i, size_t reach, bool others, double *out)
{
    const vicinity near = around(s, i, reach, others);
    size_t count = 0;

    for (size_t k = 0; k < near.count; k++)
        if (s->out->kind[near.at[k]] == PENTA_SURVEY_TISSUE)
            out[count++] = (double)map[near.at[k]];
    return count;
}

/* ---- bad pixels ---- */

static void mark(const survey *s, uint8_t *marks, size_t i, int kind)
{
    if (s->out->kind[i] == PENTA_SURVEY_TISSUE)
        marks[i] = (uint8_t)kind;
}

/* Marks stuck pixels: constant among pixels that change, or of very different light. */
static void find_stuck(const survey *s, uint8_t *marks)
{
    double values[24];

    for (size_t i = 0; i < s->pixels; i++) {
        size_t count = gather(s, s->spread, i, 1, true, values), moving = 0;
        double light;

        for (size_t k = 0; k < count; k++)
            moving += values[k] > 0;
        if (!(s->spread[i] > 0)) {
            if (moving >= 3 && 4 * moving >= 3 * count)
                mark(s, marks, i, PENTA_SURVEY_STUCK);
            continue;
        }
        count = gather(s, s->light, i, 1, true, values);
        if (count < 5)
            continue;
        light = (double)s->light[i];
        /* much darker or brighter than all but one of its neighbours */
        optmap_sort_few(values, count);
        if (light <= 0
                ? values[1] > 0 && values[count / 2] > 0
                : values[1] > 0 && (light < values[1] * exp(-odd_light) || light > values[count - 2] * exp(odd_light)))
            mark(s, marks, i, PENTA_SURVEY_STUCK);
    }
}

/* The third largest value: two of eight neighbours may be bad themselves. */
static double third_largest(double *values, size_t count)
{
    optmap_sort_few(values, count);
    return count >= 3 ? values[count - 3] : values[0];
}

static void find_jumping(const survey *s, uint8_t *marks)
{
    double values[24];

    for (size_t i = 0; i < s->pixels; i++) {
        size_t count = gather(s, s->odd, i, 1, true, values);
        double usual, spread, odd = (double)s->odd[i];

        if (count < 3 || !(s->spread[i] > 0))
            continue;
        usual = third_largest(values, count);
        count = gather(s, s->spread, i, 2, true, values);
        spread = optmap_median(values, count);
        if (odd > odd_least * spread &&
            (odd > odd_spread * usual || (odd > odd_lasting * usual && (double)s->odd_memory[i] > lasting)))
            mark(s, marks, i, PENTA_SURVEY_JUMPING);
    }
}

static penta_status find_bad(survey *s)
{
    penta_status status = PENTA_OK;
    uint8_t *marks = NULL;

    TRY(penta_calloc(s->ctx, s->pixels, 1, &marks));
    /* Stuck pixels first, so that they are not among the neighbours of the others. */
    for (int pass = 0; pass < 2; pass++) {
        memset(marks, 0, s->pixels);
        (pass == 0 ? find_stuck : find_jumping)(s, marks);
        for (size_t i = 0; i < s->pixels; i++)
            if (marks[i])
                s->out->kind[i] = marks[i];
    }
cleanup:
    free(marks);
    return status;
}

/* ---- light ---- */

static void smooth(const mask *m)
{
    const survey *s = m->s;
    double values[25];

    for (size_t i = 0; i < s->pixels; i++) {
        size_t count = gather(s, s->light, i, 1, false, values);

        m->light[i] = count ? optmap_median(values, count) : (double)s->light[i];
        count = gather(s, s->memory, i, 2, false, values);
        m->signal[i] = 0;
        for (size_t k = 0; k < count; k++)
            m->signal[i] += values[k] / (double)count;
    }
}

/* The level that maximises the variance between two classes of log light. */
static double otsu(const mask *m)
{
    enum { BINS = 256 };
    double most = -INFINITY, least, histogram[BINS] = {0}, total = 0, all = 0, below = 0, sum = 0, best = -1;
    size_t n = m->s->pixels;
    int at = 0;

    memcpy(m->scratch, m->light, n * sizeof *m->scratch);
    most = log(fmax(optmap_rank(m->scratch, n, n - 1 - n / 100), 1e-300));
    least = most - log(1000); /* darker pixels count as this dark */
    for (size_t i = 0; i < n; i++) {
        double place = (log(fmax(m->light[i], 1e-300)) - least) / (most - least) * (BINS - 1);

        histogram[(int)fmin(fmax(place, 0), BINS - 1)]++;
    }
    for (int i = 0; i < BINS; i++) {
        total += histogram[i];
        all += i * histogram[i];
    }
    for (int i = 0; i + 1 < BINS; i++) {
        double between;

        below += histogram[i];
        sum += i * histogram[i];
        if (below == 0 || below == total)
            continue;
        between = below * (total - below) * pow(sum / below - (all - sum) / (total - below), 2);
        at = between > best ? i : at;
        best = fmax(best, between);
    }
    return exp(least + (at + 1.0) / (BINS - 1) * (most - least));
}

/* A class of pixels, above a level or not: count, median light, share with a signal. */
typedef struct {
    size_t count;
    double light, signals;
} class;

static class look_at(const mask *m, double level, bool above)
{
    class c = {0};

    for (size_t i = 0; i < m->s->pixels; i++)
        if ((m->light[i] > level) == above) {
            m->scratch[c.count++] = m->light[i];
            c.signals += m->signal[i] > least_memory;
        }
    c.light = optmap_median(m->scratch, c.count);
    c.signals = c.count ? c.signals / (double)c.count : 0;
    return c;
}

/* Finds the level and the classes on both sides; returns whether the darker one is background. */
static bool splits_by_light(const mask *m, double *level, class *darker, class *brighter)
{
    *level = otsu(m);
    *darker = look_at(m, *level, false);
    *brighter = look_at(m, *level, true);
    if (darker->count == 0 || brighter->count == 0 || !(darker->light < apart * brighter->light))
        return false;
    if (darker->light >= dark * brighter->light && darker->signals > 0.5)
        return false;
    return true;
}

/* ---- regions ---- */

/* Sets the connected region of pixels with the value of i (4 neighbours; 8 for tissue) to `to`; returns its size. */
static size_t flood(const mask *m, size_t i, uint8_t from, uint8_t to)
{
    const survey *s = m->s;
    size_t count = 0, waiting = 0;

    m->tissue[i] = to;
    m->stack[waiting++] = i;
    while (waiting > 0) {
        size_t at = m->stack[--waiting], x = at % s->width, y = at / s->width;

        count++;
        for (int k = 0; k < 4; k++) {
            size_t u = k == 0 ? x - 1 : k == 1 ? x + 1 : x, v = k == 2 ? y - 1 : k == 3 ? y + 1 : y;

            if (u < s->width && v < s->height && m->tissue[v * s->width + u] == from) {
                m->tissue[v * s->width + u] = to;
                m->stack[waiting++] = v * s->width + u;
            }
        }
    }
    return count;
}

/* Fills holes: background not connected to the frame's edge. */
static void fill_holes(const mask *m)
{
    const survey *s = m->s;

    for (size_t i = 0; i < s->pixels; i++) {
        size_t x = i % s->width, y = i / s->width;

        if ((x == 0 || y == 0 || x + 1 == s->width || y + 1 == s->height) && m->tissue[i] == 0)
            flood(m, i, 0, 2);
    }
    for (size_t i = 0; i < s->pixels; i++)
        m->tissue[i] = m->tissue[i] != 2;
}

/* Drops regions smaller than a hundredth of the largest. */
static void drop_specks(const mask *m)
{
    const survey *s = m->s;
    size_t largest = 0;

    for (size_t i = 0; i < s->pixels; i++)
        if (m->tissue[i] == 1) {
            size_t size = flood(m, i, 1, 2);

            largest = size > largest ? size : largest;
        }
    for (size_t i = 0; i < s->pixels; i++)
        if (m->tissue[i] == 2 && flood(m, i, 2, 3) * 100 < largest)
            flood(m, i, 3, 0);
    for (size_t i = 0; i < s->pixels; i++)
        m->tissue[i] = m->tissue[i] == 3;
}

/* ---- the mask ---- */

/* Mask by a pixel's own light, because the median around it would round off the border. Stuck pixels are included. */
static void by_light(const mask *m, double level, const class *brighter)
{
    for (size_t i = 0; i < m->s->pixels; i++) {
        double light = m->s->out->kind[i] == PENTA_SURVEY_STUCK ? m->light[i] : (double)m->s->light[i];

        m->tissue[i] = light > level || (m->signal[i] > fmax(least_memory, 0.5) && light > 0.5 * brighter->light);
    }
}

/* Mask by the signal alone; false if nearly all pixels have one, or hardly any. */
static bool by_signal(const mask *m)
{
    size_t count = 0;
    double usual;

    for (size_t i = 0; i < m->s->pixels; i++)
        if (m->signal[i] > least_memory)
            m->scratch[count++] = m->signal[i];
    usual = optmap_median(m->scratch, count);
    count = 0;
    for (size_t i = 0; i < m->s->pixels; i++) {
        /* a mean over pixels on both sides of the border is half of the signal */
        m->tissue[i] = m->signal[i] > fmax(least_memory, 0.5 * usual);
        count += m->tissue[i];
    }
    return 20 * count > m->s->pixels && 20 * count < 19 * m->s->pixels;
}

static void find_tissue(const mask *m)
{
    class darker, brighter;
    double level;
    bool light = splits_by_light(m, &level, &darker, &brighter);

    if (light)
        by_light(m, level, &brighter);
    m->s->out->found = light || by_signal(m);
    if (!m->s->out->found)
        return;
    drop_specks(m);
    fill_holes(m);
    for (size_t i = 0; i < m->s->pixels; i++)
        if (!m->tissue[i])
            m->s->out->kind[i] = PENTA_SURVEY_BACKGROUND; /* also bad pixels: those in the background do not count */
}

/* Spread of the trace of pixel i / mean minus the median of the good tissue around it, divided by their spread; 0 if
 * there are fewer than 3. trace: frames. */
static double oddness_in_tissue(const survey *s, size_t i, double *trace)
{
    const vicinity near = around(s, i, 2, false);
    size_t list[25], count = 0;
    double values[25];
    double odd;

    for (size_t k = 0; k < near.count; k++)
        if (s->out->kind[near.at[k]] == PENTA_SURVEY_TISSUE && s->mean[near.at[k]] != 0)
            list[count++] = near.at[k];
    if (count < 3)
        return 0;
    for (size_t n = 0; n < s->frames; n++) {
        for (size_t k = 0; k < count; k++)
            values[k] = survey_value(s, n, list[k]) / (double)s->mean[list[k]];
        trace[n] = survey_value(s, n, i) / (double)s->mean[i] - optmap_median(values, count);
    }
    survey_take_cubic(s, trace);
    odd = survey_spread(trace, s->frames);
    for (size_t k = 0; k < count; k++)
        values[k] = (double)s->spread[list[k]];
    return odd / optmap_median(values, count);
}

/* Checks bad pixels at the border again, only against tissue, because most of their neighbours may be background. */
static penta_status look_again(survey *s)
{
    penta_status status = PENTA_OK;
    double *trace = NULL, values[24];

    TRY(penta_calloc(s->ctx, s->frames, sizeof *trace, &trace));
    for (size_t i = 0; i < s->pixels; i++)
        if (s->out->kind[i] == PENTA_SURVEY_JUMPING && gather(s, s->mean, i, 1, true, values) < 8 &&
            oddness_in_tissue(s, i, trace) < 2 * odd_least)
            s->out->kind[i] = PENTA_SURVEY_TISSUE;
cleanup:
    free(trace);
    return status;
}

/* Unmarks bad pixels at the border if there are many: motion makes them differ from their neighbours. */
static penta_status pardon_border(survey *s)
{
    penta_status status = PENTA_OK;
    uint8_t *pardoned = NULL;

    TRY(penta_calloc(s->ctx, s->pixels, 1, &pardoned));
    for (size_t i = 0; i < s->pixels; i++) {
        const vicinity near = around(s, i, 2, false);
        size_t alike = 0;
        bool border = false;

        for (size_t k = 0; k < near.count; k++) {
            size_t at = near.at[k];
            bool outside = s->out->kind[at] == PENTA_SURVEY_BACKGROUND || s->out->kind[at] == PENTA_SURVEY_MASKED;

            border = border || outside;
            alike += at != i && !outside && (double)s->odd[at] > 0.4 * (double)s->odd[i];
        }
        pardoned[i] = border && alike > 2 && s->out->kind[i] == PENTA_SURVEY_JUMPING;
    }
    for (size_t i = 0; i < s->pixels; i++)
        if (pardoned[i])
            s->out->kind[i] = PENTA_SURVEY_TISSUE;
cleanup:
    free(pardoned);
    return status;
}

static penta_status separate(survey *s)
{
    penta_status status = PENTA_OK;
    mask m = {.s = s};

    TRY(penta_calloc(s->ctx, 3 * s->pixels, sizeof *m.light, &m.light));
    TRY(penta_calloc(s->ctx, s->pixels, sizeof *m.stack, &m.stack));
    TRY(penta_calloc(s->ctx, s->pixels, 1, &m.tissue));
    m.signal = m.light + s->pixels;
    m.scratch = m.signal + s->pixels;
    smooth(&m);
    find_tissue(&m);
cleanup:
    free(m.light);
    free(m.stack);
    free(m.tissue);
    return status;
}

penta_status survey_classify(survey *s)
{
    penta_status status = PENTA_OK;

    if (s->movie->mask)
        for (size_t i = 0; i < s->pixels; i++)
            s->out->kind[i] = s->movie->mask[i] ? PENTA_SURVEY_TISSUE : PENTA_SURVEY_MASKED;
    TRY(find_bad(s));
    if (!s->movie->mask)
        TRY(separate(s));
    TRY(pardon_border(s));
    TRY(look_again(s));
    for (size_t i = 0; i < s->pixels; i++)
        s->out->counts[s->out->kind[i]]++;
cleanup:
    return status;
}
