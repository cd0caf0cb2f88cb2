/*
 * Which pixels are tissue. Bad ones first: each is compared with its neighbours, of which a few may be bad too. Then
 * the background: the light falls into two classes (Otsu, IEEE Trans. SMC 9 (1979) 62, of its logarithm) of which the
 * darker one has no signal or hardly any light; where light tells nothing, a region without a signal. A signal is a
 * trace that resembles itself a few frames later, as noise does not, whatever its amplitude.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "optmap/survey.h"

/* Of F / mean beside the neighbours': a pixel jumps whose spread is above so many times the third largest of theirs;
 * less is enough where what it does lasts. A part of the signal's own spread is no reason. */
static const double odd_spread = 2.5, odd_lasting = 1.5, lasting = 0.4, odd_least = 0.5;
/* Light beside the median of the neighbourhood: the logarithm of what no texture does. */
static const double odd_light = 0.8;
static const double least_memory = 0.12; /* of a signal, mean over a neighbourhood */
static const double dark = 0.2;          /* of the tissue's median light: no tissue even where there is a signal */
static const double apart = 0.55;        /* the darker class's median over the brighter one's, at most */

typedef struct {
    survey *s;
    double *light;   /* pixels: of the 3 x 3 median, no bad ones */
    double *signal;  /* pixels: memory, mean over 5 x 5 pixels that are not bad */
    double *scratch; /* pixels */
    uint8_t *tissue; /* pixels */
    size_t *stack;   /* pixels */
} mask;

/* ---- neighbourhoods ---- */

/* Values of a map within `reach` px of pixel i, bad pixels left out, the pixel itself too where `others`. */
static size_t gather(const survey *s, const float *map, size_t i, size_t reach, bool others, double *out)
{
    size_t x = i % s->width, y = i / s->width, count = 0;

    for (size_t v = y > reach ? y - reach : 0; v <= y + reach && v < s->height; v++)
        for (size_t u = x > reach ? x - reach : 0; u <= x + reach && u < s->width; u++) {
            size_t k = v * s->width + u;

            if ((!others || k != i) && s->out->kind[k] == PENTA_SURVEY_TISSUE)
                out[count++] = (double)map[k];
        }
    return count;
}

/* ---- bad pixels ---- */

static void mark(const survey *s, uint8_t *marks, size_t i, int kind)
{
    if (s->out->kind[i] == PENTA_SURVEY_TISSUE)
        marks[i] = (uint8_t)kind;
}

/* Constant among pixels that change, or of quite another light. */
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
        /* darker or brighter than all but one of its neighbours, and by far */
        optmap_rank(values, count, 0);
        if (light <= 0
                ? values[1] > 0 && values[count / 2] > 0
                : values[1] > 0 && (light < values[1] * exp(-odd_light) || light > values[count - 2] * exp(odd_light)))
            mark(s, marks, i, PENTA_SURVEY_STUCK);
    }
}

/* The third largest: two of eight may be bad themselves. */
static double third_largest(double *values, size_t count)
{
    optmap_rank(values, count, 0);
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
    /* Stuck pixels first: they are not among the neighbours of the others then. */
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

/* The level between two classes of log light for which the variance between them is largest. */
static double otsu(const mask *m)
{
    enum { BINS = 256 };
    double most = -INFINITY, least, histogram[BINS] = {0}, total = 0, all = 0, below = 0, sum = 0, best = -1;
    size_t n = m->s->pixels;
    int at = 0;

    memcpy(m->scratch, m->light, n * sizeof *m->scratch);
    most = log(fmax(optmap_rank(m->scratch, n, n - 1 - n / 100), 1e-300));
    least = most - log(1000); /* what is darker is as dark as that */
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

/* Of the pixels that are above a level (or not): how many, their median light, the share of them with a signal. */
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

/* The level and the classes about it; whether the darker one is background. */
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

/* Pixels of the same value as i's that hang together with it (4 neighbours, of tissue 8), all put to `to`. */
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

/* Background that the frame's edge does not reach is a hole. */
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

/* Regions of less than a hundredth of the largest are none. */
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

/* By a pixel's own light; that of the median about it would round the border off. Stuck ones go with it. */
static void by_light(const mask *m, double level, const class *brighter)
{
    for (size_t i = 0; i < m->s->pixels; i++) {
        double light = m->s->out->kind[i] == PENTA_SURVEY_STUCK ? m->light[i] : (double)m->s->light[i];

        m->tissue[i] = light > level || (m->signal[i] > fmax(least_memory, 0.5) && light > 0.5 * brighter->light);
    }
}

/* By the signal alone; false where nearly all have one, or hardly any. */
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
        /* a mean over pixels on both sides of the border is half of it there */
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
            m->s->out->kind[i] = PENTA_SURVEY_BACKGROUND; /* bad ones in it too: they are nobody's loss */
}

/* The trace of pixel i over its mean less the median of those of tissue about it, which are not bad: its spread over
 * theirs, or 0 where there are fewer than 3. trace: frames. */
static double oddness_in_tissue(const survey *s, size_t i, double *trace)
{
    size_t x = i % s->width, y = i / s->width, list[24], count = 0;
    double values[24];
    float odd, memory;

    for (size_t v = y > 2 ? y - 2 : 0; v <= y + 2 && v < s->height; v++)
        for (size_t u = x > 2 ? x - 2 : 0; u <= x + 2 && u < s->width; u++)
            if (s->out->kind[v * s->width + u] == PENTA_SURVEY_TISSUE && s->mean[v * s->width + u] != 0)
                list[count++] = v * s->width + u;
    if (count < 3)
        return 0;
    for (size_t n = 0; n < s->frames; n++) {
        for (size_t k = 0; k < count; k++)
            values[k] = survey_value(s, n, list[k]) / (double)s->mean[list[k]];
        trace[n] = survey_value(s, n, i) / (double)s->mean[i] - optmap_median(values, count);
    }
    survey_take_cubic(s, trace);
    survey_spread(trace, s->frames, &odd, &memory);
    for (size_t k = 0; k < count; k++)
        values[k] = (double)s->spread[list[k]];
    return (double)odd / optmap_median(values, count);
}

/* Neighbours of pixels at the border may be background for the most part: those are looked at again beside tissue. */
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

/* Motion makes pixels at the border differ from those beside them, many at a time: they are not bad. */
static penta_status pardon_border(survey *s)
{
    penta_status status = PENTA_OK;
    uint8_t *pardoned = NULL;

    TRY(penta_calloc(s->ctx, s->pixels, 1, &pardoned));
    for (size_t i = 0; i < s->pixels; i++) {
        size_t x = i % s->width, y = i / s->width, alike = 0;
        bool border = false;

        for (size_t v = y > 2 ? y - 2 : 0; v <= y + 2 && v < s->height; v++)
            for (size_t u = x > 2 ? x - 2 : 0; u <= x + 2 && u < s->width; u++) {
                size_t k = v * s->width + u;

                border = border || s->out->kind[k] == PENTA_SURVEY_BACKGROUND || s->out->kind[k] == PENTA_SURVEY_MASKED;
                alike += k != i && s->out->kind[k] != PENTA_SURVEY_BACKGROUND &&
                         s->out->kind[k] != PENTA_SURVEY_MASKED && (double)s->odd[k] > 0.4 * (double)s->odd[i];
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
