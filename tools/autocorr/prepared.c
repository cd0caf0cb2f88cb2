/* Prepares frames by a recipe before they are correlated. */
#include "autocorr/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "shared/frames_work.h"
#include "shared/prepare_plan.h"
#include "shared/prepare_ranks.h"

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

/* For frames like these. */
static int open_plan(prepared *p, job *j, const frame_list *list, penta_io_image like)
{
    const penta_prepare_options *o = &p->recipe.options;
    int code;

    p->first = like;
    p->first.data = NULL;
    p->frames = calloc(list->count, sizeof *p->frames);
    if (!p->frames)
        return cli_fail(j->command, CLI_ERROR, "out of memory for %zu frames", list->count);
    code = prepare_plan_open(j, j->ctx, o, p->recipe.files.dark, p->recipe.files.flat, &p->first, &p->plan);
    return code != CLI_OK ? code : prepare_members_open(&p->members, j, &p->recipe, &p->first, p->plan);
}

static int make_plan(prepared *p, job *j, const frame_list *list, const frame *f)
{
    int code = open_plan(p, j, list, f->image);

    return code != CLI_OK ? code : prepare_plan_look(j, &p->recipe.options, &p->first, list, p->plan);
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
    p->frames[f->index] =
        (prepared_frame){true, r->status == PENTA_PREPARED_OK, penta_prepare_stands(p->plan, r), 1 + r->drift.others};
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
        if (code == CLI_OK && p->plan && prepare_plan_fits(&p->first, frames[i]))
            good[count++] = frames[i];
    }
    if (code == CLI_OK && count > 0)
        code = run_good(p, j, member, count, good);
    free(good);
    return code;
}

/* ---- in the order of the list ---- */

static void note_ambiguous(prepared *p, const job *j, const frame *f)
{
    const prepared_frame *of = &p->frames[f->index];

    if (p->told_ambiguous || !of->ok || of->places == 1)
        return;
    p->told_ambiguous = true;
    job_warn(j,
             "the drift of %s is ambiguous: its pattern is periodic or parts of it have moved apart, and %zu places "
             "fit; penta prepare lists "
             "such frames",
             f->source->name, of->places);
}

void prepared_accept(prepared *p, const job *j, const frame *f)
{
    if (!p->frames || !p->frames[f->index].ran)
        return;
    note_ambiguous(p, j, f);
    if (p->frames[f->index].ok)
        prepare_members_accept(&p->members, f->index);
}

bool prepared_can_share(const prepared *p)
{
    return !p->wanted || p->members.begun;
}

int prepared_share(prepared *p, const frame_list *list, bool *ready)
{
    return prepare_members_share(&p->members, list, ready);
}

bool prepared_stands(const prepared *p, const frame *f)
{
    return !p->frames || !p->frames[f->index].ran || p->frames[f->index].stands;
}

int prepared_resume(prepared *p, const frame_list *list)
{
    return prepare_members_resume(&p->members, list);
}

bool prepared_save(prepared *p)
{
    return prepare_members_save(&p->members);
}

bool prepared_looks(const prepared *p)
{
    return prepare_plan_looks(&p->recipe.options);
}

/* ---- of several ranks ---- */

void prepared_pack_plan(const prepared *p, FILE *out)
{
    prepare_ranks_pack(&p->members, out);
}

int prepared_unpack_plan(prepared *p, job *j, const frame_list *list, parcel_reader *r)
{
    bool fresh = !p->plan;
    prepare_told told;
    int code = CLI_OK;

    if (!prepare_ranks_unpack(r, &told))
        code = cli_fail(j->command, CLI_ERROR, "out of memory for the series");
    if (code == CLI_OK && fresh)
        code = open_plan(p, j, list, told.first);
    code = code != CLI_OK ? code : prepare_ranks_load(&p->members, fresh, &told);
    prepare_ranks_free(&told);
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
