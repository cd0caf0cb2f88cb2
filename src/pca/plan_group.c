/* The part of a member of a group: which pixels of the cube are its own, in which rows they are. */
#include <stdlib.h>

#include "pca/plan.h"

/* What all members must agree upon, but for the capacity. */
typedef struct {
    uint64_t bands, rows, cols, kind, type, capacity;
} terms;

static penta_status agree(penta_pca *plan, penta_group *group, const terms *mine, size_t *capacity)
{
    penta_status status = PENTA_OK;
    terms *all = NULL;

    TRY(penta_group_gather(group, mine, sizeof *mine, (void **)&all, NULL));
    *capacity = (size_t)mine->capacity;
    for (size_t i = 0; i < penta_group_size(group); i++) {
        const terms *t = &all[i];

        if (t->bands != mine->bands || t->rows != mine->rows || t->cols != mine->cols || t->kind != mine->kind ||
            t->type != mine->type) {
            status = penta_fail(NULL, PENTA_INVALID, "members %zu and %zu of the group have different cubes or kinds",
                                penta_group_rank(group), i);
            goto cleanup;
        }
        if (t->capacity < *capacity)
            *capacity = (size_t)t->capacity;
    }
cleanup:
    free(all);
    return penta_explain(plan->resources.ctx, status);
}

/* Sums of integers do not depend on who makes which, so rows are divided; others are of whole slabs. */
static penta_pca_part part_of(const penta_pca *plan, penta_group *group, size_t rows, size_t cols, penta_type type)
{
    penta_pca_part part = {0};
    uint64_t pixels = (uint64_t)rows * cols, end;
    size_t rank = penta_group_rank(group), first, count;

    if (pca_is_exact(type) && plan->options.kind != PENTA_PCA_MNF) {
        penta_group_slice(group, rank, rows, &part.first_row, &part.rows);
        part.first = (uint64_t)part.first_row * cols;
        part.pixels = (uint64_t)part.rows * cols;
        return part;
    }
    penta_group_slice(group, rank, (size_t)((pixels + plan->capacity - 1) / plan->capacity), &first, &count);
    part.first = (uint64_t)first * plan->capacity;
    end = part.first + (uint64_t)count * plan->capacity;
    part.pixels = count == 0 ? 0 : (end < pixels ? end : pixels) - part.first;
    part.first_row = (size_t)(part.first / cols);
    part.rows = count == 0 ? 0 : (size_t)((part.first + part.pixels + cols - 1) / cols) - part.first_row;
    return part;
}

penta_status penta_pca_join(penta_pca *plan, penta_group *group, size_t rows, size_t cols, penta_type type,
                            penta_pca_part *part)
{
    penta_status status = PENTA_OK;
    const terms mine = {plan->bands, rows, cols, (uint64_t)plan->options.kind, (uint64_t)type, plan->capacity};
    penta_context *ctx = plan->resources.ctx;
    size_t bytes;

    *part = (penta_pca_part){0};
    if (plan->begun)
        return penta_fail(ctx, PENTA_INVALID, "a plan joins a group before its first rows, or after penta_pca_reset");
    if (rows == 0 || cols == 0)
        return penta_fail(ctx, PENTA_INVALID, "a cube of %zu rows x %zu columns has nothing to divide", rows, cols);
    TRY(penta_size(ctx, rows, cols, 1, &bytes));
    TRY(agree(plan, group, &mine, &plan->capacity));
    pca_plan_drop_streams(plan);
    plan->group = group;
    plan->cols = cols;
    plan->type = type;
    plan->part = *part = part_of(plan, group, rows, cols, type);
cleanup:
    return status;
}

penta_status pca_plan_check_part(const penta_pca *plan, const penta_cube_rows *rows)
{
    penta_context *ctx = plan->resources.ctx;

    if (rows->rows > 0 && (rows->cols != plan->cols || rows->type != plan->type))
        return penta_fail(ctx, PENTA_INVALID, "rows of %zu pixels of type %s: the group has rows of %zu of type %s",
                          rows->cols, penta_type_name(rows->type), plan->cols, penta_type_name(plan->type));
    if (plan->collected || rows->rows > plan->part.rows - plan->rows)
        return penta_fail(ctx, PENTA_INVALID, "%zu rows more than the %zu of this member of the group",
                          rows->rows - (plan->part.rows - plan->rows), plan->part.rows);
    return PENTA_OK;
}

void pca_plan_own_pixels(const penta_pca *plan, const penta_cube_rows *rows, size_t *first, size_t *pixels)
{
    uint64_t start = (uint64_t)(plan->part.first_row + plan->rows) * plan->cols;
    uint64_t end = start + (uint64_t)rows->rows * plan->cols, stop = plan->part.first + plan->part.pixels;

    *first = start < plan->part.first ? (size_t)(plan->part.first - start) : 0;
    *pixels = (size_t)((end < stop ? end : stop) - start) - *first;
}
