/* Known answers of the prepare workload. */
#include "prepare/prepare.h"

static penta_status selftest(penta_context *ctx)
{
    return penta_fail(ctx, PENTA_UNSUPPORTED, "the known answers of prepare: to be written");
}

const penta_workload penta_prepare_workload = {"prepare", "raw photographs in, a clean registered series out",
                                               penta_prepare_option_table, selftest};
