/* Arrays in device memory, as a program that embeds the library has them: an OpenCL buffer of its own. */
#pragma once

#include <pentacl/opencl.h>

typedef struct {
    penta_context *ctx;
    cl_mem memory;
    size_t offset, bytes;
    void *address;
} device_array;

/* Where an array begins in its buffer: at a place that a sub-buffer may begin at, or where none may. */
enum { AT_START = 0, AT_ALIGNED = 4096, AT_ODD = 24 };

/* A buffer with `offset` bytes before and some behind, which all are GUARD but for the array: `data`, or GUARD where
 * that is NULL. */
enum { GUARD = 0xa5, BEHIND = 64 };
device_array make_device_array(penta_context *ctx, size_t offset, const void *data, size_t bytes);
/* Waits for the context, reads the array and fails unless what is beside it is as it was. */
void read_device_array(const device_array *a, void *data);
void free_device_array(device_array *a);

/* Whether kernels of this device work on an array that begins there where it lies. */
bool works_in_place(const penta_context *ctx, size_t offset);

/* What the profile says since its last reset. */
typedef struct {
    size_t kernels, copies, transfers; /* commands; copies: named "copy" */
    size_t transferred;                /* bytes */
} traffic;
traffic traffic_of(penta_context *ctx);
