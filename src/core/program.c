/*
 * Run-time compilation of kernels, once per context for each file and set of defines. A plan asks for its kernels one
 * after the other, and helper threads compile them meanwhile, which NVIDIA's driver does in part at a time. A thread
 * that needs a program that no helper has begun compiles it itself. PoCL compiles one after the other, so for a CPU
 * that is what always happens, and what is not launched is not compiled.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/folders.h"
#include "core/program.h"

/* The minimum language version; divisions and square roots are correctly rounded unless a program asks otherwise. No
   warnings: PoCL counts them on stderr, and on a CPU without AVX-512 it has one for each double8 that is passed on. */
static penta_status build_options(penta_context *ctx, const char *file, const char *defines, char **out)
{
    penta_status status = PENTA_OK;
    size_t size = strlen(defines) + 256; /* of the others */
    char own[32] = "";
    int length;

    TRY(penta_calloc(ctx, size, 1, out));

    if (penta_driver_own_kernels(ctx) > 0)
        snprintf(own, sizeof own, " -DPENTA_BESIDE=%d", penta_driver_own_kernels(ctx));
    length = snprintf(*out, size, "-cl-std=CL1.2 -w%s%s -D%s%s%s %s",
                      penta_driver_needs_unoptimised(ctx, file) ? " -cl-opt-disable" : "", own,
                      penta_is_cpu(ctx) ? "PENTA_CPU" : "PENTA_GPU", penta_is_nvidia(ctx) ? " -DPENTA_NVIDIA" : "",
                      ctx->info.fp64 ? " -DPENTA_FP64" : " -cl-single-precision-constant", defines);
    if (length < 0 || (size_t)length >= size)
        status =
            penta_fail(ctx, PENTA_INTERNAL, "the build options of %s take %d characters of %zu", file, length, size);
cleanup:
    return status;
}

static penta_status build_failed(penta_context *ctx, cl_program program, const char *what, const char *options,
                                 const char *text)
{
    penta_status status = PENTA_OK;
    size_t length = 0;
    char *log = NULL, *readable = NULL;

    CL_TRY(clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &length));
    TRY(penta_calloc(ctx, length + 1, 1, &log));
    CL_TRY(clGetProgramBuildInfo(program, ctx->device, CL_PROGRAM_BUILD_LOG, length, log, NULL));
    TRY(penta_source_relocate(ctx, text, log, &readable));
    status = penta_fail(ctx, PENTA_BUILD, "%s%s does not compile on %s (options: %s); the build log follows\n%s",
                        strchr(what, '/') ? "cl/" : "", what, ctx->info.name, options, readable);
cleanup:
    free(readable);
    free(log);
    return status;
}

/* A device without double precision need not refuse the word: this does, on every device. */
static const char no_double[] =
    "#define double double_precision_is_not_there\n#define double2 double\n#define double3 double\n"
    "#define double4 double\n#define double8 double\n#define double16 double\n";

/* The text of a file with all that it includes. */
static penta_status load(penta_context *ctx, const char *file, char **out)
{
    penta_status status = PENTA_OK;
    char *text = NULL;

    TRY(penta_source_load(ctx, file, &text));
    if (ctx->info.fp64) {
        *out = text;
        return PENTA_OK;
    }
    TRY(penta_calloc(ctx, sizeof no_double + strlen(text), 1, out));
    strcpy(*out, no_double);
    strcat(*out, text);
cleanup:
    free(text);
    return status;
}

/* A program that was kept; NULL: there is none that the driver takes. */
static cl_program load_kept(const penta_program *p)
{
    size_t bytes = 0;
    unsigned char *data = penta_cache_load(&p->key, &bytes);
    cl_program program;
    cl_int code, state = CL_SUCCESS;

    if (!data)
        return NULL;
    program = clCreateProgramWithBinary(p->ctx->handle, 1, &p->ctx->device, &bytes, (const unsigned char *[]){data},
                                        &state, &code);
    if (code == CL_SUCCESS)
        code = state == CL_SUCCESS ? clBuildProgram(program, 1, &p->ctx->device, p->options, NULL, NULL) : state;
    free(data);
    if (code == CL_SUCCESS)
        return program;
    penta_cache_reject(&p->key);
    if (program)
        clReleaseProgram(program);
    return NULL;
}

/* A driver that gives no binary is no failure. */
static void keep(const penta_program_key *key, cl_program program)
{
    unsigned char *data = NULL;
    size_t bytes = 0;

    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) != CL_SUCCESS || bytes == 0 ||
        !(data = malloc(bytes)) ||
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) != CL_SUCCESS) {
        free(data);
        data = NULL;
    }
    penta_cache_store(key, data, bytes);
    free(data);
}

/*
 * ---- PENTACL_KEEP_SOURCES=FOLDER ----
 *
 * What the engine gives to the driver's compiler, for compilers of other devices (tools/vendors). The name of a pair of
 * files is a hash of both; the options are there last, so a pair with options is whole.
 */

/* FNV-1a. */
static uint64_t hash(uint64_t h, const char *text)
{
    for (const char *p = text; *p; p++)
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    return h;
}

/* Puts the file into its place in one step: other threads and processes may write the same. */
static bool put_text(const char *path, const char *text)
{
    penta_folder temporary;
    int length = snprintf(temporary.path, sizeof temporary.path, "%s.%ld-%p", path, (long)getpid(), (void *)&temporary);
    FILE *file;
    bool ok;

    if (length < 0 || (size_t)length >= sizeof temporary.path || !(file = fopen(temporary.path, "w")))
        return false;
    ok = fputs(text, file) >= 0;
    ok = fclose(file) == 0 && ok;
    ok = ok && rename(temporary.path, path) == 0;
    if (!ok)
        unlink(temporary.path);
    return ok;
}

static bool put_pair(const char *folder, const char *text, const char *options)
{
    penta_folder source, beside;
    char name[48];

    snprintf(name, sizeof name, "%016" PRIx64 ".cl", hash(hash(UINT64_C(0xcbf29ce484222325), options), text));
    if (!penta_folder_put(&source, folder, name))
        return false;
    snprintf(strchr(name, '.'), sizeof name - 16, ".options");
    if (!penta_folder_put(&beside, folder, name))
        return false;
    return access(beside.path, F_OK) == 0 || (put_text(source.path, text) && put_text(beside.path, options));
}

/* Writes HASH.cl and HASH.options where the variable names a folder, which is made. Equal programs are one pair. */
static penta_status keep_sources(penta_context *ctx, const char *text, const char *options)
{
    const char *folder = penta_environment("PENTACL_KEEP_SOURCES");

    if (!folder || (penta_make_folders(folder) && put_pair(folder, text, options)))
        return PENTA_OK;
    return penta_fail(ctx, PENTA_BUILD, "cannot keep a program in %s: %s (PENTACL_KEEP_SOURCES is set)", folder,
                      strerror(errno));
}

/* ---- programs ---- */

void penta_program_note_launch(penta_program *p, const char *name)
{
    for (size_t i = 0; i < p->launches; i++)
        if (strcmp(p->launched[i], name) == 0)
            return;
    if (p->launches < PENTA_MOST_LAUNCHED)
        p->launched[p->launches++] = name;
}

/* PoCL compiles those that have not for the binary, which takes longer than compiling in part at the next start. */
static bool all_launched(const penta_program *p)
{
    size_t kernels = 0;

    return clGetProgramInfo(p->handle, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL) == CL_SUCCESS &&
           p->launches == kernels;
}

static void free_program(penta_program *p)
{
    if (p->keeps_late && p->ended && p->code == CL_SUCCESS && p->handle && all_launched(p))
        keep(&p->key, p->handle);
    if (p->handle)
        clReleaseProgram(p->handle);
    free(p->file);
    free(p->defines);
    free(p->text);
    free(p->options);
    free(p->key.text);
    free(p);
}

/* Of any thread, so what fails is only noted. */
static bool compile(void *program, size_t piece)
{
    penta_program *p = program;

    (void)piece;
    if (atomic_load(&p->unwanted))
        return true;
    if (p->handle)
        clReleaseProgram(p->handle); /* which failed */
    p->code = CL_SUCCESS;
    p->handle = p->kept ? load_kept(p) : NULL;
    p->loaded = p->handle != NULL;
    if (p->loaded)
        return true;
    p->handle = clCreateProgramWithSource(p->ctx->handle, 1, (const char *[]){p->text}, NULL, &p->code);
    if (p->handle)
        p->code = clBuildProgram(p->handle, 1, &p->ctx->device, p->options, NULL, NULL);
    p->keeps_late = p->kept && penta_cache_used_late(p->ctx);
    if (p->code == CL_SUCCESS && p->kept && !p->keeps_late)
        keep(&p->key, p->handle);
    return true;
}

/* The text and the options are the program's from now on, whatever comes. */
static penta_status begin(penta_context *ctx, const char *file, const char *defines, char *text, char *options,
                          penta_program **out)
{
    penta_status status = PENTA_OK;
    penta_program *p = calloc(1, sizeof *p);

    if (!p) {
        free(text);
        free(options);
        return penta_fail(ctx, PENTA_MEMORY, "out of host memory for a program");
    }
    *p = (penta_program){.ctx = ctx, .fp64 = ctx->info.fp64, .text = text, .options = options};
    p->file = strdup(file);
    p->defines = strdup(defines);
    p->kept = penta_cache_used(ctx);
    if (!text || !options || !p->file || !p->defines)
        status = penta_fail(ctx, PENTA_MEMORY, "out of host memory for a program");
    if (status == PENTA_OK)
        status = keep_sources(ctx, text, options);
    if (status == PENTA_OK && p->kept)
        status = penta_cache_key(ctx, options, text, &p->key);
    if (status != PENTA_OK) {
        free_program(p);
        return status;
    }
    p->pieces = (penta_pieces){.count = 1, .body = compile, .data = p};
    p->offered = !penta_is_cpu(ctx);
    if (p->offered)
        penta_pieces_begin(&p->pieces, 1);
    *out = p;
    return PENTA_OK;
}

/* Waits for it. What failed is tried again: the device may have been out of memory. */
static penta_status end(penta_program *p)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = p->ctx;
    double began = penta_clock();

    if (p->ended && p->code == CL_SUCCESS)
        return PENTA_OK;
    penta_building_begin(ctx, p->file);
    if (p->offered && !p->ended)
        penta_pieces_end(&p->pieces);
    if (!p->offered || p->ended || (p->code != CL_SUCCESS && p->code != CL_BUILD_PROGRAM_FAILURE))
        compile(p, 0);
    penta_building_end(ctx);
    p->ended = true;
    *(p->loaded ? &ctx->kept : &ctx->built) += 1;
    ctx->building_took += penta_clock() - began;
    if (!p->handle)
        CL_TRY_CODE(clCreateProgramWithSource, p->code);
    if (p->code == CL_BUILD_PROGRAM_FAILURE || p->code == CL_INVALID_BUILD_OPTIONS)
        return build_failed(ctx, p->handle, p->file, p->options, p->text);
    CL_TRY_CODE(clBuildProgram, p->code);
cleanup:
    return status;
}

penta_status penta_program_compile(penta_context *ctx, const char *what, const char *text, const char *options,
                                   cl_program *out)
{
    penta_status status = PENTA_OK;
    char *own_text = strdup(text), *own_options = strdup(options);
    penta_program *p = NULL;

    *out = NULL;
    TRY(begin(ctx, what, "", own_text, own_options, &p));
    TRY(end(p));
    if (p->keeps_late) /* all that it has will be launched */
        keep(&p->key, p->handle);
    p->keeps_late = false;
    CL_TRY(clRetainProgram(p->handle));
    *out = p->handle;
cleanup:
    if (p)
        free_program(p);
    return status;
}

static penta_status begin_file(penta_context *ctx, const char *file, const char *defines, penta_program **out)
{
    penta_status status = PENTA_OK;
    char *text = NULL, *options = NULL;

    TRY(load(ctx, file, &text));
    TRY(build_options(ctx, file, defines, &options));
    return begin(ctx, file, defines, text, options, out);
cleanup:
    free(options);
    free(text);
    return status;
}

/* Waits for compilations that run, gives up those that have not begun, and releases all. */
static void release_programs(penta_context *ctx)
{
    for (penta_program *p = ctx->programs; p; p = p->next)
        atomic_store(&p->unwanted, true);
    while (ctx->programs) {
        penta_program *p = ctx->programs;

        ctx->programs = p->next;
        if (p->offered && !p->ended)
            penta_pieces_end(&p->pieces);
        free_program(p);
    }
}

/* One that the context has or a new one, which it keeps. One that failed may be mended by now. */
static penta_status program_get(penta_context *ctx, const char *file, const char *defines, penta_program **out)
{
    penta_status status = PENTA_OK;
    penta_program *p = ctx->programs;

    while (p && (p->fp64 != ctx->info.fp64 || strcmp(p->file, file) != 0 || strcmp(p->defines, defines) != 0 ||
                 (p->ended && p->code != CL_SUCCESS)))
        p = p->next;
    if (!p) {
        TRY(begin_file(ctx, file, defines, &p));
        p->next = ctx->programs;
        ctx->programs = p;
        ctx->release_programs = release_programs;
    }
    *out = p;
cleanup:
    return status;
}

/* ---- kernels ---- */

/* The workload's entry for a program in its usual one, or NULL. */
static const penta_program_name *usual_of(const penta_workload *workload, penta_program_name name)
{
    for (const penta_program_name *p = workload ? workload->usual : NULL; p && p->file; p++)
        if (strcmp(p->file, name.file) == 0 && (!p->defines || strcmp(p->defines, name.defines) == 0))
            return p;
    return NULL;
}

/* The program that has the kernels of another one; its file may be in `room`. */
static penta_program_name program_with(const penta_context *ctx, penta_program_name name, char *room, size_t size)
{
    size_t number;
    const penta_workload *workload = penta_workload_of(name.file, &number);
    bool has_usual = penta_is_cpu(ctx) && ctx->info.fp64; /* some of its files need double precision */
    const penta_program_name *usual = has_usual ? usual_of(workload, name) : NULL;

    if (usual) {
        snprintf(room, size, "%s/usual.cl", workload->name);
        return (penta_program_name){room, usual->defines ? "" : name.defines};
    }
    for (const penta_program *p = ctx->programs; p && !workload && has_usual; p = p->next)
        if (strstr(p->file, "/usual.cl") && usual_of(penta_workload_of(p->file, &number), name))
            return (penta_program_name){p->file, p->defines};
    return name;
}

penta_status(penta_kernel_get)(penta_context *ctx, const char *file, const char *name, const char *defines,
                               penta_kernel *out)
{
    penta_status status = PENTA_OK;
    char room[64];
    penta_program_name from = program_with(ctx, (penta_program_name){file, defines}, room, sizeof room);

    *out = (penta_kernel){.ctx = ctx, .name = name};
    TRY(penta_trust_file(ctx, file));
    TRY(program_get(ctx, from.file, from.defines, &out->program));
cleanup:
    return status;
}

penta_status penta_kernel_ready(penta_kernel *kernel)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = kernel->ctx;
    cl_kernel made = NULL;
    cl_int code;

    if (kernel->handle)
        return PENTA_OK;
    TRY(end(kernel->program));
    made = clCreateKernel(kernel->program->handle, kernel->name, &code);
    CL_TRY_CODE(clCreateKernel, code);
    CL_TRY(clGetKernelInfo(made, CL_KERNEL_NUM_ARGS, sizeof kernel->arguments, &kernel->arguments, NULL));
    kernel->handle = made;
    made = NULL;
cleanup:
    if (made)
        clReleaseKernel(made);
    return status;
}

void penta_kernel_release(penta_kernel *kernel)
{
    if (kernel->handle)
        clReleaseKernel(kernel->handle);
    *kernel = (penta_kernel){0};
}

size_t penta_kernel_max_group(penta_kernel *kernel)
{
    size_t size = 1;

    if (penta_kernel_ready(kernel) != PENTA_OK ||
        clGetKernelWorkGroupInfo(kernel->handle, kernel->ctx->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size,
                                 NULL) != CL_SUCCESS)
        return 1;
    return size;
}
