/* Prepares frames by a recipe before they are correlated. */
#include "autocorr/prepared.h"

#include <stdlib.h>
#include <string.h>

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
    free(p->frames);
    penta_io_recipe_free(&p->recipe);
    *p = (prepared){0};
}

static int keep_frames(prepared *p, const job *j, const frame_list *list)
{
    p->frames = calloc(list->count, sizeof *p->frames);
    return p->frames ? CLI_OK : cli_fail(j->command, CLI_ERROR, "out of memory for %zu frames", list->count);
}

static int make_plan(prepared *p, job *j, const frame_list *list, const frame *f)
{
    int code = keep_frames(p, j, list);

    code = code != CLI_OK ? code : prepare_members_open(&p->members, j, &p->recipe, &f->image);
    if (code != CLI_OK)
        return code;
    p->plan = p->members.plans[0];
    return prepare_members_look(&p->members, list);
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

static penta_status run_plan(const prepared *p, penta_prepare *plan, size_t n, frame **frames,
                             penta_prepare_frame *inputs, penta_prepare_result *results)
{
    for (size_t i = 0; i < n; i++) {
        inputs[i] = (penta_prepare_frame){.image = frames[i]->image.data, .number = frames[i]->index};
        results[i] = new_result(p);
        if (!results[i].image)
            return PENTA_MEMORY;
    }
    return penta_prepare_run(plan, n, inputs, results);
}

static void take_result(prepared *p, frame *f, penta_prepare_result *r)
{
    p->frames[f->index] = (prepared_frame){r->status == PENTA_PREPARED_OK, 1 + r->drift.others};
    if (r->status == PENTA_PREPARED_OK)
        replace(p, f, r);
    else
        prepare_plan_explain(p->plan, r, f);
}

static int run_good(prepared *p, const job *j, size_t member, size_t n, frame **frames)
{
    penta_prepare *plan;
    int code = prepare_members_plan(&p->members, member, &plan);
    penta_prepare_frame *inputs = calloc(n, sizeof *inputs);
    penta_prepare_result *results = calloc(n, sizeof *results);
    penta_status status = PENTA_MEMORY;

    if (code == CLI_OK && inputs && results)
        status = run_plan(p, plan, n, frames, inputs, results);
    for (size_t i = 0; results && i < n; i++) {
        if (status == PENTA_OK)
            take_result(p, frames[i], &results[i]);
        free(results[i].image);
        free(results[i].mask);
    }
    free(inputs);
    free(results);
    if (code != CLI_OK || status == PENTA_OK)
        return code;
    return cli_fail_library(j->command, j->contexts[member], j->common.verbose);
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
    const prepared_frame *of = p->frames ? &p->frames[f->index] : NULL;

    if (!of || p->told_ambiguous || !of->ok || of->places == 1)
        return;
    p->told_ambiguous = true;
    job_warn(j,
             "the drift of %s is ambiguous: its pattern is periodic or parts of it have moved apart, and %zu places "
             "fit; penta prepare lists "
             "such frames",
             f->source->name, of->places);
}

/* ---- of several ranks ---- */

int prepared_unpack_plan(prepared *p, job *j, const frame_list *list, parcel_reader *r)
{
    int code = keep_frames(p, j, list);

    code = code != CLI_OK ? code : prepare_members_unpack(&p->members, j, &p->recipe, r);
    p->plan = code == CLI_OK ? p->members.plans[0] : NULL;
    return code;
}

_Static_assert(sizeof(prepared_frame) <= FRAMES_NOTE, "a note has room for what became of a frame");

void prepared_pack_note(const prepared *p, size_t index, void *note)
{
    if (p->frames)
        memcpy(note, &p->frames[index], sizeof *p->frames);
}

void prepared_unpack_note(prepared *p, size_t index, const void *note)
{
    if (p->frames)
        memcpy(&p->frames[index], note, sizeof *p->frames);
}
