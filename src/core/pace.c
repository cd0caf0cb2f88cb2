/* Long work in pieces of a fraction of a second, so that a caller can stop without waiting for all of it. */
#include "core/internal.h"

enum { BUSY_GROUPS = 4 }; /* work-groups per compute unit of a GPU that keep it busy */

static const double usual_seconds = 0.4;              /* target duration of one piece */
static const double first_cpu = 2e8, first_gpu = 1e9; /* interactions per second and compute unit, until measured */
static const double most_change = 4; /* of the speed, from one piece to the next: the first may include compilation */

static double rate_of(penta_context *ctx, const penta_pace *pace)
{
    double units = (double)penta_context_device(ctx)->compute_units;

    return pace->rate > 0 ? pace->rate : (units < 1 ? 1 : units) * (penta_is_cpu(ctx) ? first_cpu : first_gpu);
}

double penta_pace_share(penta_context *ctx, const penta_pace *pace, double work)
{
    double seconds = ctx->piece_seconds > 0 ? ctx->piece_seconds : usual_seconds;
    double share = work > 0 ? seconds * rate_of(ctx, pace) / work : 1;

    return share < 1 ? share : 1;
}

penta_status penta_pace_begin(penta_context *ctx, penta_pace *pace)
{
    penta_status status = PENTA_OK;

    TRY(penta_finish(ctx));
    pace->since = penta_clock();
cleanup:
    return status;
}

penta_status penta_pace_piece(penta_context *ctx, penta_pace *pace, double work)
{
    penta_status status = PENTA_OK;
    double before = rate_of(ctx, pace), seconds, rate;

    TRY(penta_finish(ctx));
    seconds = penta_clock() - pace->since;
    rate = seconds > 0 ? work / seconds : before;
    pace->rate = rate > most_change * before   ? most_change * before
                 : rate < before / most_change ? before / most_change
                                               : rate;
    pace->since += seconds;
    TRY(penta_ask_progress(ctx));
cleanup:
    return status;
}

/* Of the first dimension, work-groups of a piece at least. Fewer leave a GPU idle, and as the speed that is measured is
 * then that of a part of it, all pieces would have as few: so it was where groups meet 10^7 bodies each. */
static size_t least_units(const penta_context *ctx, const penta_grid *grid)
{
    size_t busy = BUSY_GROUPS * (size_t)ctx->info.compute_units, groups = 1;

    if (penta_is_cpu(ctx) || ctx->piece_seconds > 0)
        return 1;
    for (unsigned i = 1; i < grid->dims; i++)
        groups *= grid->local[i] ? grid->global[i] / grid->local[i] : grid->global[i];
    return busy > groups && groups > 0 ? (busy + groups - 1) / groups : 1;
}

penta_status penta_launch_paced(penta_kernel *kernel, penta_grid grid, double work, penta_pace *pace,
                                const penta_arg *args, size_t count)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = kernel->ctx;
    size_t unit = grid.local[0] ? grid.local[0] : 1, units = grid.global[0] / unit, least = least_units(ctx, &grid);

    if (units < 2 || penta_pace_share(ctx, pace, work) >= 1)
        return penta_launch(kernel, grid, args, count);
    TRY(penta_pace_begin(ctx, pace));
    for (size_t first = 0; first < units;) {
        double wanted = penta_pace_share(ctx, pace, work) * (double)units;
        size_t piece = wanted < (double)least ? least : (size_t)wanted;
        penta_grid part = grid;

        piece = piece < units - first ? piece : units - first;
        part.offset = grid.offset + first * unit;
        part.global[0] = piece * unit;
        TRY(penta_launch(kernel, part, args, count));
        TRY(penta_pace_piece(ctx, pace, work * (double)piece / (double)units));
        first += piece;
    }
cleanup:
    return status;
}
