/* Interoperation with a host program's own OpenCL objects. The only public header that needs the OpenCL headers. */
#ifndef PENTACL_OPENCL_H
#define PENTACL_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <pentacl/context.h>

PENTA_BEGIN_DECLS

/** A pentacl context on an existing OpenCL context and one of its devices (the context is retained; a sub-device must
 * outlive it). */
PENTA_API penta_status penta_context_from_opencl(cl_context context, cl_device_id device, penta_context **out);

/** The OpenCL objects of a context; borrowed. The queue is the one that kernels run on, and stays it until
 * penta_opencl_use_queue; the context's own has CL_QUEUE_PROFILING_ENABLE. */
PENTA_API cl_context penta_opencl_context(const penta_context *ctx);
PENTA_API cl_device_id penta_opencl_device(const penta_context *ctx);
PENTA_API cl_command_queue penta_opencl_queue(const penta_context *ctx);

/*
 * Arrays in device memory. An address from penta_opencl_array stands for a part of a cl_mem wherever a call of the
 * library takes an array of data, input or output; docs/embedding.md lists the calls that use it in place, without a
 * copy. It also works as the start of an array: address + n is byte n. The host cannot read or write there: the address
 * space is reserved, but has no memory.
 *
 * Calls only enqueue what reads and writes such arrays, after everything that was enqueued on the context before, and
 * do not wait for it, unless they return something in host memory as well. Inputs must not overlap outputs.
 */

/**
 * The address of `bytes` bytes of memory, a buffer of the same OpenCL context, from byte `offset` on. The memory is
 * retained. Any number of addresses may stand for the same memory. Errors: PENTA_INVALID (no buffer, one of another
 * OpenCL context, the part lies outside it or is empty), PENTA_MEMORY. On failure *address is NULL.
 */
PENTA_API penta_status penta_opencl_array(penta_context *ctx, cl_mem memory, size_t offset, size_t bytes,
                                          void **address);
/** Forgets an address; commands that are enqueued still finish. NULL is fine, and what is left over when the context is
 * destroyed is forgotten with it. */
PENTA_API void penta_opencl_array_release(penta_context *ctx, void *address);

/**
 * From now on kernels go to the caller's queue (which is retained), after everything that was enqueued before; NULL:
 * to the context's own queue again. Profiled times are 0 on a queue without CL_QUEUE_PROFILING_ENABLE. Errors:
 * PENTA_INVALID (a queue of another context or device, or one that is out of order), PENTA_DEVICE; the queue is then
 * the one that it was.
 */
PENTA_API penta_status penta_opencl_use_queue(penta_context *ctx, cl_command_queue queue);

/** What is enqueued from now on waits for these events, on the device. Errors: PENTA_INVALID, PENTA_DEVICE. */
PENTA_API penta_status penta_opencl_wait(penta_context *ctx, cl_uint count, const cl_event *events);
/** An event that is complete once everything that has been enqueued so far is; released by the caller. On failure
 * *event is NULL. */
PENTA_API penta_status penta_opencl_done(penta_context *ctx, cl_event *event);

PENTA_END_DECLS
#endif
