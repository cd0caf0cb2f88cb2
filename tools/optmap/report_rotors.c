/* Rotors in the report: the longest-lived ones, and where they went. */
#include <math.h>
#include <stdlib.h>

#include "figures/figure.h"
#include "optmap/maps.h"
#include "optmap/report_parts.h"

enum { MOST_ROTORS = 20, SIDE = 280, FOOT = 28 /* px */ };

static int by_life(const void *a, const void *b)
{
    const penta_rotor *x = *(const penta_rotor *const *)a, *y = *(const penta_rotor *const *)b;
    size_t p = x->last - x->first, q = y->last - y->first;

    return p != q ? (p < q) - (p > q) : (x->id > y->id) - (x->id < y->id);
}

static void put_table(FILE *out, const optmap_findings *f, const penta_rotor *const *rotors, size_t count)
{
    double frame = 1e3 / f->found->frame_rate_hz;

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
    if (count < f->found->rotor_count)
        fprintf(out, "<p class=\"note\">The %zu that live longest of %zu.</p>\n", count, f->found->rotor_count);
}

/* The path of a rotor, with a disc where it begins. */
static void add_path(figure *fig, figure_panel *panel, const optmap_findings *f, const penta_rotor *r)
{
    uint32_t colour = r->charge > 0 ? FIGURE_VERMILLION : FIGURE_BLUE;
    figure_mark *begin =
        figure_add_mark(fig, panel, (figure_mark){.kind = FIGURE_DISCS, .colour = colour, .radius = 3});
    figure_mark *path = figure_add_mark(fig, panel, (figure_mark){.kind = FIGURE_LINE, .colour = colour, .width = 1.2});

    for (size_t i = 0; i < f->found->singularity_count; i++) {
        const figure_point at = {f->found->singularities[i].x, f->found->singularities[i].y, 0, 0};

        if (f->found->singularities[i].id != r->id)
            continue;
        if (begin->count == 0)
            figure_add_point(fig, begin, at);
        figure_add_point(fig, path, at);
    }
}

static bool put_paths(FILE *out, const optmap_findings *f, const penta_rotor *const *rotors, size_t count)
{
    double scale = (double)SIDE / (double)(f->found->width > f->found->height ? f->found->width : f->found->height);
    double width = scale * (double)f->found->width, height = scale * (double)f->found->height;
    figure fig;
    figure_panel *panel;
    char text[40];
    bool ok;

    figure_open(&fig, fmax(width, 90) + 2, height + FOOT);
    fig.letters = 8.6;
    panel =
        figure_add_panel(&fig, (figure_panel){.box = {1, 1, width + 1, height + 1},
                                              .x.range = {-0.5, (double)f->found->width - 0.5},
                                              .y = {.range = {-0.5, (double)f->found->height - 0.5}, .downwards = true},
                                              .frame = FIGURE_FRAME_WHOLE});
    if (optmap_scale_length(f->found, 0.4 * (double)f->found->width, &panel->scale, text, sizeof text))
        panel->scale_label = figure_text(&fig, "%s", text);
    for (size_t i = 0; i < count; i++)
        add_path(&fig, panel, f, rotors[i]);
    fputs("<figure>", out);
    ok = figure_svg(&fig, "Paths of rotors", out);
    fputs("<figcaption>Their paths over the frame, discs where they begin: blue of charge &#8722;1, orange of "
          "+1.</figcaption></figure>\n",
          out);
    figure_close(&fig);
    return ok;
}

/* No rotor in the pixels whose signal was good enough; elsewhere nothing is known. */
static void put_nothing(FILE *out, const optmap_findings *f)
{
    if (f->found->phase_pixels == 0)
        fputs("<p>Rotors could not be looked for: in no pixel was the signal good enough for a phase.</p>\n", out);
    else
        fprintf(out,
                "<p>No rotor was found where one could be: the signal was good enough for a phase, in at least half of "
                "the frames, in %zu of %zu valid pixels.</p>\n",
                f->found->phase_pixels, f->found->result.valid_pixels);
}

bool optmap_report_rotors(FILE *out, const optmap_findings *f)
{
    size_t shown = f->found->rotor_count < MOST_ROTORS ? f->found->rotor_count : MOST_ROTORS;
    const penta_rotor **sorted;
    bool ok;

    fputs("<h2>Rotors</h2>\n", out);
    if (f->found->rotor_count == 0) {
        put_nothing(out, f);
        return true;
    }
    sorted = malloc(f->found->rotor_count * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < f->found->rotor_count; i++)
        sorted[i] = &f->found->rotors[i];
    qsort(sorted, f->found->rotor_count, sizeof *sorted, by_life);
    put_table(out, f, sorted, shown);
    ok = put_paths(out, f, sorted, shown);
    free(sorted);
    return ok;
}
