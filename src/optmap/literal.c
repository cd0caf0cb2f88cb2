/* Shared by the parts of engine `literal`. */
#include "optmap/literal.h"

#include <stdio.h>

void literal_defines(const literal_state *s, char *out, size_t size)
{
    const penta_optmap_options *o = s->shape.options;

    snprintf(out, size, "-DWINDOW=%d -DINTERP=%d%s", o->window, o->interp,
             o->border == PENTA_OPTMAP_SHRINK ? " -DSHRINK" : "");
}

penta_status literal_report(literal_state *s, const optmap_traces *band, double done)
{
    penta_status status = PENTA_OK;
    double rows = (double)band->from + done * (double)(band->to - band->from);

    TRY(penta_finish(s->resources.ctx));
    TRY(penta_report_progress(s->resources.ctx, rows, (double)s->shape.height));
cleanup:
    return status;
}
