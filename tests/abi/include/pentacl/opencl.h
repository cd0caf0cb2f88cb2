/* Interoperation with a host program's own OpenCL objects. The only public header that needs the OpenCL headers. */
#ifndef PENTACL_OPENCL_H
#define PENTACL_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <pentacl/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A pentacl context on an existing OpenCL context and one of its devices (the context is retained; a sub-device must
 * outlive it). */
PENTA_API penta_status penta_context_from_opencl(cl_context context, cl_device_id device, penta_context **out);

/** The OpenCL objects of a context; borrowed. */
PENTA_API cl_context penta_opencl_context(const penta_context *ctx);
PENTA_API cl_device_id penta_opencl_device(const penta_context *ctx);
PENTA_API cl_command_queue penta_opencl_queue(const penta_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
