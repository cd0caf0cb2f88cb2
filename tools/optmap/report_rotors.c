/* Rotors in the report: the longest-lived ones, and where they went. */
#include <math.h>
#include <stdlib.h>

#include "optmap/report_html.h"

enum { MOST_ROTORS = 20, SIDE = 280, FOOT = 24 };

static const uint32_t positive = 0xd55e00, negative = 0x0072b2;

static int by_life(const void *a, const void *b)
{
    const penta_rotor *x = *(const penta_rotor *const *)a, *y = *(const penta_rotor *const *)b;
    size_t p = x->last - x->first, q = y->last - y->first;

    return p != q ? (p < q) - (p > q) : (x->id > y->id) - (x->id < y->id);
}

static void put_table(FILE *out, const optmap_findings *f, const penta_rotor *const *rotors, size_t count)
{
    double frame = 1e3 / f->rate;

    fputs("<table><tr><th>id</th><th>charge</th><th>first, ms</th><th>last, ms</th><th>life, ms</th><th>turns</th>"
          "<th>path, px</th></tr>\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const penta_rotor *r = rotors[i];

        fprintf(out,
                "<tr><td>%d</td><td>%s</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.1f</td></tr>\n",
                r->id, r->charge > 0 ? "+1" : "&#8722;1", frame * (double)r->first, frame * (double)r->last,
                frame * (double)(r->last - r->first + 1), r->turns, r->length);
    }
    fputs("</table>\n", out);
    if (count < f->rotor_count)
        fprintf(out, "<p class=\"note\">The %zu that live longest of %zu.</p>\n", count, f->rotor_count);
}

/* Of one rotor; a circle where it begins. */
static void put_path(FILE *out, const optmap_findings *f, const penta_rotor *r, double scale)
{
    uint32_t colour = r->charge > 0 ? positive : negative;
    bool begun = false;

    for (size_t i = 0; i < f->singularity_count; i++) {
        const penta_singularity *p = &f->singularities[i];
        double x = scale * (p->x + 0.5), y = scale * (p->y + 0.5);

        if (p->id != r->id)
            continue;
        if (!begun)
            fprintf(out,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#%06x\"/>"
                    "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.2\" points=\"",
                    x, y, (unsigned)colour, (unsigned)colour);
        begun = true;
        fprintf(out, "%.1f,%.1f ", x, y);
    }
    if (begun)
        fputs("\"/>\n", out);
}

static void put_paths(FILE *out, const optmap_findings *f, const penta_rotor *const *rotors, size_t count)
{
    double scale = (double)SIDE / (double)(f->width > f->height ? f->width : f->height);
    double width = scale * (double)f->width, height = scale * (double)f->height, length;
    char text[40];
    bool sized = optmap_scale_length(f, 0.4 * (double)f->width, &length, text, sizeof text);

    fprintf(out,
            "<figure><svg width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.1f %.1f\" role=\"img\" font-size=\"12\" "
            "font-family=\"sans-serif\">\n"
            "<title>Paths of rotors</title>\n<rect width=\"%.1f\" height=\"%.1f\" fill=\"#f4f4f4\" "
            "stroke=\"#8c8c8c\"/>\n",
            fmax(width, 90), height + (sized ? FOOT : 0), fmax(width, 90), height + (sized ? FOOT : 0), width, height);
    for (size_t i = 0; i < count; i++)
        put_path(out, f, rotors[i], scale);
    if (sized)
        fprintf(out, "<rect y=\"%.1f\" width=\"%.2f\" height=\"3\"/><text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                height + 10, length * scale, length * scale + 7, height + 16, text);
    fputs("</svg><figcaption>Their paths over the frame, circles where they begin: blue of charge &#8722;1, orange of "
          "+1.</figcaption></figure>\n",
          out);
}

/* None among those pixels whose signal was good enough: elsewhere there may have been any. */
static void put_nothing(FILE *out, const optmap_findings *f)
{
    if (f->phase_pixels == 0)
        fputs("<p>Rotors could not be looked for: in no pixel was the signal good enough for a phase.</p>\n", out);
    else
        fprintf(out,
                "<p>No rotor was found where one could be: the signal was good enough for a phase, in at least half of "
                "the frames, in %zu of %zu valid pixels.</p>\n",
                f->phase_pixels, f->valid_pixels);
}

bool optmap_html_rotors(FILE *out, const optmap_findings *f)
{
    size_t shown = f->rotor_count < MOST_ROTORS ? f->rotor_count : MOST_ROTORS;
    const penta_rotor **sorted;

    fputs("<h2>Rotors</h2>\n", out);
    if (f->rotor_count == 0) {
        put_nothing(out, f);
        return true;
    }
    sorted = malloc(f->rotor_count * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < f->rotor_count; i++)
        sorted[i] = &f->rotors[i];
    qsort(sorted, f->rotor_count, sizeof *sorted, by_life);
    put_table(out, f, sorted, shown);
    put_paths(out, f, sorted, shown);
    free(sorted);
    return true;
}
