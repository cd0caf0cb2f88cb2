/* The workloads that this library was built with, in the order of their registration in CMakeLists.txt. */
#include "core/core.h"

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
