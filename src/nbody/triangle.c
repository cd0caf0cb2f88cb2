/* Launches of CPU forms over the triangle of pairs of blocks, each a fraction of a second long. */
#include "nbody/triangle.h"

/*
 * Launches the columns of one turn, a few at a time. All sets have the same number of blocks in each, except at the
 * diagonal. work: interactions of a column.
 */
static penta_status launch_turn(penta_context *ctx, penta_pace *pace, const nbody_triangle *t, int turn, double work)
{
    penta_status status = PENTA_OK;
    int begin = turn * t->sets;

    while (begin < t->blocks) {
        int left = t->blocks - begin, columns = (int)(penta_pace_share(ctx, pace, work * left) * left);

        columns = columns < 1 ? 1 : columns;
        TRY(t->launch(t->state, turn, turn, begin, begin + columns));
        TRY(penta_pace_piece(ctx, pace, work * columns));
        begin += columns;
    }
cleanup:
    return status;
}

penta_status nbody_triangle_launch(penta_context *ctx, penta_pace *pace, const nbody_triangle *t)
{
    penta_status status = PENTA_OK;
    double side = (double)t->block, all = side * side * t->blocks * t->blocks;
    int turns = (t->blocks + t->sets - 1) / t->sets;

    if (penta_pace_share(ctx, pace, all) >= 1)
        return t->launch(t->state, 0, turns - 1, 0, t->blocks);
    TRY(penta_pace_begin(ctx, pace));
    for (int turn = 0; turn < turns; turn++)
        TRY(launch_turn(ctx, pace, t, turn, 2 * side * side * t->sets));
cleanup:
    return status;
}
