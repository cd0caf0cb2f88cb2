/* The files of a scaling benchmark: report.json, the same as a page, and the picture. */
#include "scaling.h"

#include <stdio.h>
#include <string.h>

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>

#include "figures/figure.h"
#include "report/page.h"
#include "report/report.h"
#include "shared/json.h"

/* ---- the page ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void put_members(json_t *page, const json_t *members)
{
    json_t *rows = page_table(page, "member|<host|<device|<part|compute units");
    const json_t *one;
    size_t i;

    json_array_foreach(members, i, one)
    {
        double parts = number(one, "parts");
        json_t *part = parts > 1 ? json_sprintf("%g of %g", number(one, "part") + 1, parts) : json_string("whole");

        json_array_append_new(rows, json_pack("[o, O, o, o, o]", json_sprintf("%g", number(one, "rank")),
                                              json_object_get(one, "host"),
                                              json_sprintf("%g: %s", number(one, "index"), text_of(one, "device")),
                                              part, json_sprintf("%g", number(one, "compute_units"))));
    }
}

/* Of the members, s. */
static double mean_of_kernels(const json_t *row)
{
    const json_t *kernels = json_object_get(row, "kernel_seconds"), *one;
    double sum = 0;
    size_t i;

    json_array_foreach(kernels, i, one) sum += json_number_value(one);
    return sum / (double)json_array_size(kernels);
}

/* "1.000 0.998" */
static json_t *balance(const json_t *row)
{
    const json_t *kernels = json_object_get(row, "kernel_seconds"), *one;
    double mean = mean_of_kernels(row);
    char text[512] = "";
    size_t i;

    json_array_foreach(kernels, i, one) snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.3f",
                                                 i > 0 ? " " : "", json_number_value(one) / mean);
    return json_text(text);
}

static void put_case(json_t *page, const json_t *one)
{
    const json_t *wanted = json_object_get(one, "wanted"), *row;
    char text[256];
    json_t *rows;
    size_t i;

    snprintf(text, sizeof text, "%s %s", text_of(one, "workload"), text_of(one, "case"));
    page_heading(page, 3, text);
    if (json_is_number(wanted))
        page_text(page, "%s, %s scaling; wanted with two members: %g %%.", text_of(one, "what"), text_of(one, "kind"),
                  100 * json_number_value(wanted));
    else
        page_text(page, "%s, %s scaling.", text_of(one, "what"), text_of(one, "kind"));
    rows = page_table(
        page, "members|runs|median, ms|least, ms|most, ms|efficiency|kernels, ms|of each member over their mean");
    json_array_foreach(json_object_get(one, "rows"), i, row) json_array_append_new(
        rows, json_pack("[o, o, o, o, o, o, o, o]", json_sprintf("%g", number(row, "members")),
                        json_sprintf("%g", number(row, "runs")), page_number(number(row, "median_ms")),
                        page_number(number(row, "min_ms")), page_number(number(row, "max_ms")),
                        page_share(number(row, "efficiency")), page_number(1e3 * mean_of_kernels(row)), balance(row)));
}

static json_t *make_page(const json_t *report)
{
    json_t *page = json_array();
    const json_t *one;
    size_t i;

    page_heading(page, 1, "penta bench --scaling");
    page_text(page, "%s; %s; penta %s.", text_of(report, "machine"), text_of(report, "date"), text_of(report, "penta"));
    put_members(page, json_object_get(report, "members"));
    page_image(page, "scaling.png", "Efficiency over the number of members");
    page_text(page, "Strong: the same input for any number of members N, efficiency t(1) / (N t(N)). Weak: each member "
                    "brings as much input as one has alone, t(1) / t(N). Times are by the host's clock, of the whole "
                    "run once contexts, plans and kernels are there, from and to host memory. The results of all "
                    "numbers of members were the same bytes.");
    page_heading(page, 2, "Cases");
    json_array_foreach(json_object_get(report, "scaling"), i, one) put_case(page, one);
    return page;
}

/* ---- the files ---- */

static bool write_picture(const char *directory, const json_t *report, penta_io_error *error)
{
    char path[4096];

    if (!figures_ready(error)) {
        fprintf(stderr, "penta bench: note: %s\n", error->text);
        return true;
    }
    snprintf(path, sizeof path, "%s/scaling.png", directory);
    return scaling_picture(report, path, error);
}

int scaling_write(const char *directory, const json_t *report)
{
    penta_io_error error = {""};
    penta_io_run *run = NULL;
    json_t *page = make_page(report);
    bool told = false; /* what failed */
    bool good = penta_io_make_directory(directory, &error) && penta_io_run_open(directory, "bench", &run, &error);

    if (good) {
        told = !(bench_write_json(directory, "report", report) &&
                 bench_write_page(directory, "report", "penta bench --scaling", page));
        good = !told && write_picture(directory, report, &error) && penta_io_run_commit(run, &error);
    }
    penta_io_run_close(run);
    json_decref(page);
    return good ? CLI_OK : told ? CLI_ERROR : cli_fail("bench", CLI_ERROR, "%s", error.text);
}
