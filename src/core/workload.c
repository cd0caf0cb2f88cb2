/* The workloads that this library was built with, in their order in CMakeLists.txt. */
#include "core/internal.h"

#define PENTACL_WORKLOAD(name) extern const penta_workload penta_##name##_workload;
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD

static const penta_workload *const workloads[] = {
#define PENTACL_WORKLOAD(name) &penta_##name##_workload,
#include "pentacl_workloads.def"
#undef PENTACL_WORKLOAD
};

const penta_workload *penta_workload_at(size_t i)
{
    return i < sizeof workloads / sizeof *workloads ? workloads[i] : NULL;
}

const char *penta_workload_name(const penta_workload *workload)
{
    return workload->name;
}

const char *penta_workload_summary(const penta_workload *workload)
{
    return workload->summary;
}

const penta_option *penta_workload_table(const penta_workload *workload, size_t i, const char **name, size_t *size)
{
    const penta_workload_options *table = &workload->tables[i < PENTA_WORKLOAD_TABLES ? i : PENTA_WORKLOAD_TABLES];

    if (name)
        *name = table->name;
    if (size)
        *size = table->size;
    return table->name ? table->rows() : NULL;
}

const penta_preset *penta_workload_presets(const penta_workload *workload)
{
    return workload->presets ? workload->presets() : NULL;
}

penta_status penta_workload_selftest(const penta_workload *workload, penta_context *ctx)
{
    return workload->selftest(ctx);
}

__attribute__((constructor)) static void offer(void)
{
    penta_trust_offer(penta_workload_at);
}
