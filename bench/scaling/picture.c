/* The picture of a scaling benchmark: efficiency over the number of members, a line for each case. */
#include "scaling.h"

#include <math.h>

#include "figures/figure.h"
#include "report/report.h"

enum { WIDTH = 900, HEIGHT = 620 };

/* Told apart by colour-blind readers, too; more cases than these have discs of another size. */
static const uint32_t colours[] = {FIGURE_BLUE, FIGURE_VERMILLION, FIGURE_GREEN, 0xe69f00u,
                                   0x56b4e9u,   0xcc79a7u,         FIGURE_INK,   FIGURE_GREY};

enum { COLOURS = sizeof colours / sizeof *colours };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* A dashed line at so many per cent, once each. */
static void add_level(figure *f, figure_panel *panel, double percent, bool *drawn)
{
    figure_mark *line;

    if (!(percent > 0 && percent <= 100) || drawn[(int)percent])
        return;
    drawn[(int)percent] = true;
    line = figure_add_mark(f, panel,
                           (figure_mark){.kind = FIGURE_LINE, .colour = FIGURE_GREY, .width = 1.2, .dashed = true});
    figure_add_point(f, line, (figure_point){.x = panel->x.range.lo, .y = percent});
    figure_add_point(f, line, (figure_point){.x = panel->x.range.hi, .y = percent});
}

static const char *label_of(figure *f, const json_t *one)
{
    double wanted = bench_number(one, "wanted");

    return isfinite(wanted)
               ? figure_text(f, "%s %s, %s, %g %% wanted", text_of(one, "workload"), text_of(one, "case"),
                             text_of(one, "kind"), 100 * wanted)
               : figure_text(f, "%s %s, %s", text_of(one, "workload"), text_of(one, "case"), text_of(one, "kind"));
}

static void add_points(figure *f, figure_mark *mark, const json_t *one)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(one, "rows"), i, row) figure_add_point(
        f, mark, (figure_point){.x = bench_number(row, "members"), .y = 100 * bench_number(row, "efficiency")});
}

static void add_case(figure *f, figure_panel *panel, const json_t *one, size_t i)
{
    figure_mark style = {.kind = FIGURE_LINE, .colour = colours[i % COLOURS], .width = 2};

    add_points(f, figure_add_mark(f, panel, style), one);
    style.kind = FIGURE_DISCS;
    style.radius = i < COLOURS ? 4.4 : 2.8;
    style.label = label_of(f, one);
    add_points(f, figure_add_mark(f, panel, style), one);
}

/* Of all cases; percent from 0. */
static void find_ranges(const json_t *cases, figure_range *members, figure_range *percent)
{
    const json_t *one, *row;
    size_t i, k;

    json_array_foreach(cases, i, one) json_array_foreach(json_object_get(one, "rows"), k, row)
    {
        figure_range_add(members, bench_number(row, "members"));
        figure_range_add(percent, 100 * bench_number(row, "efficiency"));
    }
    figure_range_add(members, 2);
    *members = (figure_range){1 - 0.03 * (members->hi - 1), 1 + 1.03 * (members->hi - 1)};
    percent->hi *= 1.05;
}

static void describe(figure *f, const json_t *report)
{
    const json_t *cases = json_object_get(report, "scaling"), *one;
    figure_range members = {1, 1}, percent = {0, 100};
    bool drawn[101] = {false};
    figure_panel *panel;
    size_t i;

    find_ranges(cases, &members, &percent);
    panel = figure_add_panel(
        f, (figure_panel){.box = {NAN, NAN, NAN, NAN},
                          .title = text_of(json_array_get(json_object_get(report, "members"), 0), "device"),
                          .x = {.label = "members", .range = members, .step = 1, .ticks = true},
                          .y = {.label = "efficiency (%)", .range = percent, .ticks = true},
                          .grid = true,
                          .legend = FIGURE_LEGEND_BELOW});
    if (members.hi > 17)
        panel->x.step = 0;
    add_level(f, panel, 100, drawn);
    json_array_foreach(cases, i, one)
    {
        add_level(f, panel, 100 * bench_number(one, "wanted"), drawn);
        add_case(f, panel, one, i);
    }
}

bool scaling_picture(const json_t *report, const char *directory, penta_io_error *error)
{
    char path[4096];
    figure f;
    bool good;

    if (!figures_ready(error)) {
        fprintf(stderr, "penta bench: note: %s\n", error->text);
        return true;
    }
    snprintf(path, sizeof path, "%s/scaling.png", directory);
    figure_open(&f, WIDTH, HEIGHT);
    describe(&f, report);
    good = figure_png(&f, path, error);
    figure_close(&f);
    return good;
}
