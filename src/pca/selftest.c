/* to be written */
#include "pca/pca.h"

static penta_status selftest(penta_context *ctx)
{
    (void)ctx;
    return PENTA_OK;
}

const penta_workload penta_pca_workload = {"pca", "principal components of hyperspectral cubes", penta_pca_option_table,
                                           selftest};
