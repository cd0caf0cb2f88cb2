/* Run-time compilation of kernels, once per context for each file and set of defines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

/* The minimum language version; divisions and square roots are correctly rounded unless a program asks otherwise. */
static void build_options(const penta_context *ctx, const char *defines, char *out, size_t size)
{
    snprintf(out, size, "-cl-std=CL1.2 -D%s%s%s %s", penta_is_cpu(ctx) ? "PENTA_CPU" : "PENTA_GPU",
             penta_is_nvidia(ctx) ? " -DPENTA_NVIDIA" : "", ctx->info.fp64 ? " -DPENTA_FP64" : "", defines);
}

static penta_status build_failed(penta_context *ctx, cl_program program, const char *file, const char *options,
                                 const char *text)
{
    penta_status status = PENTA_OK;
    size_t length = 0;
    char *log = NULL, *readable = NULL;

    CL_TRY(clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length));
    TRY(penta_calloc(ctx, length + 1, 1, &log));
    CL_TRY(clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, length, log, NULL));
    TRY(penta_source_relocate(ctx, text, log, &readable));
    status = penta_fail(ctx, PENTA_BUILD, "cl/%s does not compile on %s (options: %s); the build log follows\n%s", file,
                        ctx->info.name, options, readable);
cleanup:
    free(readable);
    free(log);
    return status;
}

static penta_status build(penta_context *ctx, const char *file, const char *defines, cl_program *out)
{
    penta_status status = PENTA_OK;
    char *text = NULL, options[1024];
    cl_program program = NULL;
    cl_int code;

    TRY(penta_source_load(ctx, file, &text));
    build_options(ctx, defines, options, sizeof options);
    program = clCreateProgramWithSource(ctx->handle, 1, (const char *[]){text}, NULL, &code);
    CL_TRY_CODE(clCreateProgramWithSource, code);
    code = clBuildProgram(program, 1, &ctx->device, options, NULL, NULL);
    if (code == CL_BUILD_PROGRAM_FAILURE || code == CL_INVALID_BUILD_OPTIONS) {
        status = build_failed(ctx, program, file, options, text);
        goto cleanup;
    }
    CL_TRY_CODE(clBuildProgram, code);
    *out = program;
    program = NULL;
cleanup:
    if (program)
        clReleaseProgram(program);
    free(text);
    return status;
}

/* A built program, from the cache or new; the context keeps it. */
static penta_status program_get(penta_context *ctx, const char *file, const char *defines, cl_program *out)
{
    penta_status status = PENTA_OK;
    penta_program *p;

    for (p = ctx->programs; p; p = p->next)
        if (strcmp(p->file, file) == 0 && strcmp(p->defines, defines) == 0) {
            *out = p->handle;
            return PENTA_OK;
        }
    TRY(penta_calloc(ctx, 1, sizeof *p, &p));
    TRY(penta_calloc(ctx, strlen(file) + 1, 1, &p->file));
    TRY(penta_calloc(ctx, strlen(defines) + 1, 1, &p->defines));
    strcpy(p->file, file);
    strcpy(p->defines, defines);
    TRY(build(ctx, file, defines, &p->handle));
    p->next = ctx->programs;
    ctx->programs = p;
    *out = p->handle;
    p = NULL;
cleanup:
    if (p) {
        free(p->file);
        free(p->defines);
        free(p);
    }
    return status;
}

penta_status(penta_kernel_get)(penta_context *ctx, const char *file, const char *name, const char *defines,
                               penta_kernel *out)
{
    penta_status status = PENTA_OK;
    cl_program program;
    cl_int code;

    *out = (penta_kernel){.ctx = ctx, .name = name};
    TRY(program_get(ctx, file, defines, &program));
    out->handle = clCreateKernel(program, name, &code);
    CL_TRY_CODE(clCreateKernel, code);
    CL_TRY(clGetKernelInfo(out->handle, CL_KERNEL_NUM_ARGS, sizeof out->arguments, &out->arguments, NULL));
cleanup:
    if (status != PENTA_OK)
        penta_kernel_release(out);
    return status;
}

void penta_kernel_release(penta_kernel *kernel)
{
    if (kernel->handle)
        clReleaseKernel(kernel->handle);
    *kernel = (penta_kernel){0};
}

size_t penta_kernel_max_group(const penta_kernel *kernel)
{
    size_t size = 1;

    if (clGetKernelWorkGroupInfo(kernel->handle, kernel->ctx->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                 NULL) != CL_SUCCESS)
        return 1;
    return size;
}
