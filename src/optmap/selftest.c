/* A known answer on every device. */
#include "optmap/optmap.h"

static penta_status selftest(penta_context *ctx)
{
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

const penta_workload penta_optmap_workload = {"optmap", "cardiac optical mapping: activation maps from camera movies",
                                              penta_optmap_option_table, selftest};
