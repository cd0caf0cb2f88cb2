/* Prepares frames by a recipe before they are correlated. */
#include "autocorr/prepared.h"

#include <stdlib.h>

#include "shared/frames_work.h"
#include "shared/prepare_plan.h"

int prepared_open(prepared *p, const job *j, const char *path)
{
    penta_io_error error = {""};

    *p = (prepared){.wanted = path != NULL};
    if (path && (!penta_io_run_check(path, &error) || !penta_io_recipe_read(path, &p->recipe, &error)))
        return job_fail_io(j, &error);
    p->files[0] = p->recipe.files.dark ? p->recipe.files.dark : p->recipe.files.flat;
    p->files[1] = p->recipe.files.dark ? p->recipe.files.flat : NULL;
    answer_named_input("dark", p->recipe.files.dark);
    answer_named_input("flat", p->recipe.files.flat);
    return CLI_OK;
}

void prepared_close(prepared *p)
{
    prepare_members_close(&p->members);
    penta_io_recipe_free(&p->recipe);
    *p = (prepared){0};
}

static int make_plan(prepared *p, job *j, const frame_list *list, const frame *f)
{
    int code = prepare_members_open(&p->members, j, &p->recipe, &f->image);

    code = code != CLI_OK ? code : prepare_members_look(&p->members, list);
    p->plan = code == CLI_OK ? p->members.plans[0] : NULL;
    return code;
}

/* Arrays that a frame's result goes to; image NULL: out of memory. */
static penta_prepare_result new_result(const prepared *p)
{
    penta_prepare_result r = {0};
    size_t width, height;

    penta_prepare_size(p->plan, &width, &height);
    r.image = malloc(width * height * penta_type_size(penta_prepare_type(p->plan)));
    r.mask = malloc(width * height);
    if (r.image && r.mask)
        return r;
    free(r.image);
    free(r.mask);
    return (penta_prepare_result){0};
}

/* Takes over the arrays. */
static void replace(const prepared *p, frame *f, penta_prepare_result *r)
{
    penta_io_image image = {.type = penta_prepare_type(p->plan), .data = r->image};

    penta_prepare_size(p->plan, &image.width, &image.height);
    penta_io_image_free(&f->image);
    free(f->mask);
    f->image = image;
    f->mask = r->mask;
    r->image = r->mask = NULL;
}

static void take_result(const prepared *p, frame *f, penta_prepare_result *r)
{
    if (r->status != PENTA_PREPARED_OK) {
        prepare_plan_explain(p->plan, r, f);
        return;
    }
    f->places = 1 + r->drift.others;
    replace(p, f, r);
}

static int run_good(prepared *p, const job *j, size_t member, size_t n, frame **frames)
{
    penta_prepare_frame *inputs = calloc(n, sizeof *inputs);
    penta_prepare_result *results = calloc(n, sizeof *results);
    bool ok = inputs && results;
    int code;

    for (size_t i = 0; ok && i < n; i++) {
        inputs[i] = (penta_prepare_frame){.image = frames[i]->image.data, .number = frames[i]->index};
        results[i] = new_result(p);
        ok = results[i].image != NULL;
    }
    code = ok ? prepare_members_run(&p->members, member, n, inputs, results)
              : cli_fail(j->command, CLI_ERROR, "out of memory for %zu prepared frames", n);
    for (size_t i = 0; results && i < n; i++) {
        if (code == CLI_OK)
            take_result(p, frames[i], &results[i]);
        free(results[i].image);
        free(results[i].mask);
    }
    free(inputs);
    free(results);
    return code;
}

int prepared_run(prepared *p, job *j, const frame_list *list, size_t member, size_t n, frame **frames)
{
    frame **good = p->wanted ? calloc(n, sizeof *good) : NULL;
    size_t count = 0;
    int code = CLI_OK;

    if (!p->wanted)
        return CLI_OK;
    if (!good)
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    for (size_t i = 0; code == CLI_OK && i < n; i++) {
        if (!p->plan && !frames[i]->error.text[0])
            code = make_plan(p, j, list, frames[i]);
        if (code == CLI_OK && p->plan && prepare_plan_fits(&p->members.first, frames[i]))
            good[count++] = frames[i];
    }
    if (code == CLI_OK && count > 0)
        code = run_good(p, j, member, count, good);
    free(good);
    return code;
}

/* ---- in the order of the list ---- */

void prepared_accept(prepared *p, const job *j, const frame *f)
{
    if (p->told_ambiguous || f->places < 2)
        return;
    p->told_ambiguous = true;
    job_warn(j,
             "the drift of %s is ambiguous: its pattern is periodic or parts of it have moved apart, and %zu places "
             "fit; penta prepare lists "
             "such frames",
             f->source->name, f->places);
}
