/* Explains in words why a frame is not part of its series. */
#include <math.h>
#include <stdio.h>

#include "prepare/plan.h"

const char *penta_prepared_name(enum penta_prepared status)
{
    static const char *const names[] = {"ok", "dust", "lost", "blank"};

    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "?";
}

const char *penta_prepare_pass_name(enum penta_prepare_pass pass)
{
    static const char *const names[] = {"illumination", "drift"};

    return (unsigned)pass < sizeof names / sizeof *names ? names[pass] : "?";
}

static void explain_lost(const penta_prepare *plan, double score, char *text, size_t size)
{
    if (score <= -1)
        snprintf(text, size, "its shift cannot be found: no place where it may lie fits clearly better than others");
    else if (isfinite(score))
        penta_snprintf(text, size,
                       "its shift cannot be found: it is like no frame before it (score %.4g, `min_score` %g)", score,
                       plan->settings.o.min_score);
    else
        snprintf(text, size, "its shift cannot be found: it is like no frame before it");
}

void penta_prepare_explain(const penta_prepare *plan, const penta_prepare_result *result, char *text, size_t size)
{
    double pixels = (double)plan->shape.width * (double)plan->shape.height;

    switch (result->status) {
    case PENTA_PREPARED_DUST:
        penta_snprintf(text, size, "%.1f %% of it is dust or not a number, more than `dust_most` %g allows",
                       100 * (double)result->dust_pixels / pixels, plan->settings.o.dust_most);
        break;
    case PENTA_PREPARED_BLANK:
        snprintf(text, size, "there is nothing in it to register: all its pixels are alike%s",
                 result->dust_pixels > 0 ? ", dust aside" : "");
        break;
    case PENTA_PREPARED_LOST:
        explain_lost(plan, result->drift.score, text, size);
        break;
    default:
        snprintf(text, size, "%s", "");
    }
}
