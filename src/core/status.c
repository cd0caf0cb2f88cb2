/* Status codes, OpenCL codes by name, and the error text of a context. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"

/* The text of failures without a context, and the context whose text penta_trace adds to. */
static _Thread_local char *thread_error;
static _Thread_local penta_context *thread_failing;
/* Another thread may have destroyed that context: contexts_gone counts them, and thread_gone was the count when this
 * thread failed. The mutex keeps a context alive while its text is added to. */
static pthread_mutex_t gone_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long contexts_gone;
static _Thread_local unsigned long thread_gone;

const char *penta_status_name(penta_status status)
{
    static const char *const names[] = {
        [PENTA_OK] = "PENTA_OK",
        [PENTA_INVALID] = "PENTA_INVALID",
        [PENTA_MEMORY] = "PENTA_MEMORY",
        [PENTA_NO_DEVICE] = "PENTA_NO_DEVICE",
        [PENTA_DEVICE] = "PENTA_DEVICE",
        [PENTA_BUILD] = "PENTA_BUILD",
        [PENTA_UNSUPPORTED] = "PENTA_UNSUPPORTED",
        [PENTA_CANCELLED] = "PENTA_CANCELLED",
        [PENTA_INTERNAL] = "PENTA_INTERNAL",
    };

    if (status < PENTA_OK || status > PENTA_INTERNAL)
        return "unknown status";
    return names[status];
}

#define CODE(name)                                                                                                     \
    {                                                                                                                  \
        name, #name                                                                                                    \
    }
const char *penta_cl_name(cl_int code)
{
    static const struct {
        cl_int code;
        const char *name;
    } names[] = {
        CODE(CL_DEVICE_NOT_FOUND),
        CODE(CL_DEVICE_NOT_AVAILABLE),
        CODE(CL_COMPILER_NOT_AVAILABLE),
        CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        CODE(CL_OUT_OF_RESOURCES),
        CODE(CL_OUT_OF_HOST_MEMORY),
        CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
        CODE(CL_MEM_COPY_OVERLAP),
        CODE(CL_BUILD_PROGRAM_FAILURE),
        CODE(CL_MAP_FAILURE),
        CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        CODE(CL_COMPILE_PROGRAM_FAILURE),
        CODE(CL_LINKER_NOT_AVAILABLE),
        CODE(CL_LINK_PROGRAM_FAILURE),
        CODE(CL_INVALID_VALUE),
        CODE(CL_INVALID_DEVICE_TYPE),
        CODE(CL_INVALID_PLATFORM),
        CODE(CL_INVALID_DEVICE),
        CODE(CL_INVALID_CONTEXT),
        CODE(CL_INVALID_QUEUE_PROPERTIES),
        CODE(CL_INVALID_COMMAND_QUEUE),
        CODE(CL_INVALID_HOST_PTR),
        CODE(CL_INVALID_MEM_OBJECT),
        CODE(CL_INVALID_BINARY),
        CODE(CL_INVALID_BUILD_OPTIONS),
        CODE(CL_INVALID_PROGRAM),
        CODE(CL_INVALID_PROGRAM_EXECUTABLE),
        CODE(CL_INVALID_KERNEL_NAME),
        CODE(CL_INVALID_KERNEL_DEFINITION),
        CODE(CL_INVALID_KERNEL),
        CODE(CL_INVALID_ARG_INDEX),
        CODE(CL_INVALID_ARG_VALUE),
        CODE(CL_INVALID_ARG_SIZE),
        CODE(CL_INVALID_KERNEL_ARGS),
        CODE(CL_INVALID_WORK_DIMENSION),
        CODE(CL_INVALID_WORK_GROUP_SIZE),
        CODE(CL_INVALID_WORK_ITEM_SIZE),
        CODE(CL_INVALID_GLOBAL_OFFSET),
        CODE(CL_INVALID_EVENT_WAIT_LIST),
        CODE(CL_INVALID_EVENT),
        CODE(CL_INVALID_OPERATION),
        CODE(CL_INVALID_BUFFER_SIZE),
        CODE(CL_INVALID_GLOBAL_WORK_SIZE),
        CODE(CL_INVALID_PROPERTY),
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].name;
    return "unknown OpenCL code";
}

/* Where the text of a failure is kept. */
static char **error_slot(penta_context *ctx)
{
    return ctx ? &ctx->error : &thread_error;
}

/* The thread's own text is freed with the thread. */
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static void make_thread_key(void)
{
    pthread_key_create(&thread_key, free);
}

static void put_text(penta_context *ctx, char *text)
{
    free(*error_slot(ctx));
    *error_slot(ctx) = text;
    if (ctx)
        return;
    pthread_once(&thread_key_once, make_thread_key);
    pthread_setspecific(thread_key, text);
}

/* Replaces the text, or adds to it; keeps the old text if out of memory. */
static void set_text(penta_context *ctx, const char *before, const char *added)
{
    size_t old = before ? strlen(before) : 0, more = strlen(added);
    char *text = malloc(old + more + 1);

    if (!text)
        return;
    if (old)
        memcpy(text, before, old);
    memcpy(text + old, added, more + 1);
    put_text(ctx, text);
}

penta_status penta_fail(penta_context *ctx, penta_status status, const char *format, ...)
{
    va_list args, again;
    int length;
    char *text = NULL;

    va_start(args, format);
    va_copy(again, args);
    length = penta_vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0)
        text = malloc((size_t)length + 1);
    if (text) {
        penta_vsnprintf(text, (size_t)length + 1, format, again);
        set_text(ctx, NULL, text);
        free(text);
    } else {
        put_text(ctx, NULL);
    }
    va_end(again);
    pthread_mutex_lock(&gone_mutex);
    thread_failing = ctx;
    thread_gone = contexts_gone;
    pthread_mutex_unlock(&gone_mutex);
    return status;
}

penta_status penta_explain(penta_context *ctx, penta_status status)
{
    return status == PENTA_OK ? status : penta_fail(ctx, status, "%s", penta_last_error(NULL));
}

void penta_forget_failure(const penta_context *ctx)
{
    pthread_mutex_lock(&gone_mutex);
    contexts_gone++;
    pthread_mutex_unlock(&gone_mutex);
    if (thread_failing == ctx)
        thread_failing = NULL;
}

void penta_forget_thread_error(void)
{
    if (thread_error)
        put_text(NULL, NULL);
}

void penta_trace(const char *call, const char *file, int line)
{
    char added[512];
    const char *short_file = strstr(file, "src/"), *text = NULL;

    snprintf(added, sizeof added, "\n  in %.400s (%s:%d)", call, short_file ? short_file : file, line);
    pthread_mutex_lock(&gone_mutex);
    if (!thread_failing || thread_gone == contexts_gone)
        text = *error_slot(thread_failing);
    if (text && strlen(text) <= 60000)
        set_text(thread_failing, text, added);
    pthread_mutex_unlock(&gone_mutex);
}

penta_status penta_cl_fail(penta_context *ctx, cl_int code, const char *call, const char *file, int line)
{
    int length = (int)strcspn(call, "(");
    const char *advice = "";

    if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_RESOURCES || code == CL_OUT_OF_HOST_MEMORY) {
        penta_fail(ctx, PENTA_MEMORY, "%.*s failed with %s: the device is out of memory; try a smaller input", length,
                   call, penta_cl_name(code));
        penta_trace(call, file, line);
        return PENTA_MEMORY;
    }
    if (code == -1001)
        advice = "; no OpenCL driver is installed";
    penta_fail(ctx, PENTA_DEVICE, "%.*s failed with %s (%d)%s", length, call, penta_cl_name(code), code, advice);
    penta_trace(call, file, line);
    return PENTA_DEVICE;
}

const char *penta_last_error(const penta_context *ctx)
{
    const char *text = ctx ? ctx->error : thread_error;

    return text ? text : "no error text (nothing failed, or memory ran out)";
}
