/* Trials of a job, one for each fault. */
#include "faults/sweep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/fft.h"
#include "support/device.h"

int no_faults(void **state)
{
    (void)state;
    faults_disarm();
    faults_forget_transfers();
    faults_misuse();
    return 0;
}

/* ---- clFFT ---- */

static penta_context *holder;
static penta_fft *held;

int hold_clfft(void **state)
{
    penta_fft_shape shape = {.rank = 1, .nx = 16, .ny = 1, .batch = 1};

    (void)state;
    EXPECT_OK(NULL, penta_context_create(NULL, &holder));
    EXPECT_OK(holder, penta_fft_create(holder, PENTA_FFT_CLFFT, &shape, &held));
    return 0;
}

int release_clfft(void **state)
{
    (void)state;
    penta_fft_destroy(held);
    penta_context_destroy(holder);
    return 0;
}

/* ---- a trial ---- */

static bool on_gpu; /* the device of the sweeps */

void begin_faults(trial *t)
{
    if (!t->begun && t->kind != FAULT_NONE && t->nth == 0)
        faults_watch(t->kind);
    else if (!t->begun)
        faults_arm(t->kind, t->nth, t->lasting);
    t->begun = true;
}

/*
 * A text that says what failed, not the one that stands in for it when there is no memory for a text either. It names
 * the OpenCL call that failed first, unless that was a query, or a build, which has a text of its own. Where calls go
 * on failing, the last attempt with less memory has the word, and after a wait within a release, which has no status to
 * return, the next call.
 */
static void expect_error_text(const penta_context *ctx, const trial *t)
{
    const char *text = penta_last_error(ctx), *call = t->struck;
    bool retries = t->job->retries || (t->job->gpu_retries && (on_gpu || t->job->as_gpu));
    bool later = t->lasting && (retries || strcmp(call, "clFinish") == 0);

    if (strlen(text) == 0 || (strncmp(text, "no error text", 13) == 0 && !(t->kind == FAULT_MEMORY && t->lasting)))
        fail_msg("%s: the error has no text of its own after %s failed", t->when, call);
    if (t->kind == FAULT_OPENCL && !later && strncmp(call, "clGet", 5) != 0 && strcmp(call, "clBuildProgram") != 0 &&
        !strstr(text, call))
        fail_msg("%s: %s failed, but the text is: %s", t->when, call, text);
}

void end_faults(trial *t, const penta_context *ctx, penta_status status)
{
    t->struck = faults_struck();
    if (status != PENTA_OK && !t->struck)
        fail_msg("%s: %s without a fault: %s", t->when, penta_status_name(status), penta_last_error(ctx));
    if (status == PENTA_OK && t->struck && t->lasting)
        fail_msg("%s: success, although %s failed", t->when, t->struck);
    if (status != PENTA_OK)
        expect_error_text(ctx, t);
}

void expect_idle(const trial *t, const void *memory, size_t bytes)
{
    if (!t->lasting && faults_busy(memory, bytes))
        fail_msg("%s: a transfer may still use the caller's memory after the run (%s failed)", t->when, t->struck);
}

/* In a context of its own. */
static penta_status attempt_afresh(trial *t)
{
    penta_status status;

    t->ctx = (penta_context *)(uintptr_t)1;
    begin_faults(t);
    status = penta_context_create(NULL, &t->ctx);
    assert_true((status == PENTA_OK) == (t->ctx != NULL));
    if (t->ctx) {
        if (t->job->as_gpu)
            t->ctx->info.type = PENTA_DEVICE_GPU;
        status = t->job->attempt(t);
    } else {
        end_faults(t, NULL, status);
    }
    penta_context_destroy(t->ctx);
    t->ctx = NULL;
    return status;
}

penta_status attempt(trial *t)
{
    t->struck = NULL;
    t->begun = false;
    return t->ctx ? t->job->attempt(t) : attempt_afresh(t);
}

/* ---- sweeps ---- */

/*
 * What lives longer than a trial is brought to one state, so that counts can be compared: the error texts of the thread
 * and of a shared context, its profile (smaller slabs may need other kernels), its staging slots and their last
 * transfers.
 */
void settle(penta_context *shared)
{
    penta_fail(NULL, PENTA_INVALID, "between trials");
    if (!shared)
        return;
    penta_fail(shared, PENTA_INVALID, "between trials");
    assert_int_equal(penta_finish(shared), PENTA_OK);
    penta_profile_reset(shared);
    for (size_t i = 0; i < shared->entry_count; i++)
        free((char *)shared->entries[i].name);
    shared->entry_count = 0;
    for (int i = 0; i < PENTA_STAGING_SLOTS; i++) { /* a trial makes only those that it comes to */
        penta_pinned *slot = NULL;

        if (!penta_is_cpu(shared))
            assert_int_equal(penta_staging_slot(shared, &slot), PENTA_OK);
    }
    for (int i = 0; i < PENTA_STAGING_SLOTS; i++) {
        if (shared->staging[i].event)
            clReleaseEvent(shared->staging[i].event);
        shared->staging[i].event = NULL;
    }
}

static void expect_clean(const trial *t, size_t before)
{
    const char *wrong = faults_misuse();

    if (wrong)
        fail_msg("%s (%s failed): %s", t->when, faults_struck(), wrong);
    if (faults_live() != before)
        fail_msg("%s (%s failed): something leaks: %zu live things, then %s", t->when, faults_struck(), before,
                 faults_live_text());
}

/* shared NULL: in a new context. */
static void expect_healthy(const job *j, penta_context *shared)
{
    trial t = {.job = j, .ctx = shared, .when = "without a fault"};

    faults_disarm();
    if (shared)
        penta_profile_reset(shared); /* kernels are timed in trials, so from before what lives longer is counted */
    assert_int_equal(attempt(&t), PENTA_OK);
}

/* One trial, which leaves nothing behind. */
static penta_status try_fault(trial *t, penta_context *shared)
{
    penta_status status;
    size_t before;

    settle(shared);
    before = faults_live();
    snprintf(t->when, sizeof t->when, "%s, %s %zu%s", t->job->name,
             t->kind == FAULT_MEMORY ? "allocation" : "OpenCL call", t->nth, t->lasting ? " and all later" : "");
    t->ctx = shared;
    status = attempt(t);
    faults_disarm();
    if (t->lasting) { /* nothing could be waited for */
        faults_forget_transfers();
        faults_misuse();
    }
    settle(shared);
    expect_clean(t, before);
    return status;
}

enum { FEW = 30 }; /* calls */

/* A place that calls: a return address, and the first and the last watched call that it led to. */
typedef struct {
    void *address;
    size_t first, last;
} place;

/* In the innermost `depth` callers; *places is to be freed. */
static size_t find_places(const fault_trace *traces, size_t count, int depth, place **places)
{
    size_t found = 0, room = 0;

    *places = NULL;
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < traces[i].depth && d < depth; d++) {
            size_t k = 0;

            while (k < found && (*places)[k].address != traces[i].callers[d])
                k++;
            if (k == room) {
                room = 2 * room + 64;
                *places = realloc(*places, room * sizeof **places);
                assert_non_null(*places);
            }
            if (k == found)
                (*places)[found++] = (place){traces[i].callers[d], i, i};
            (*places)[k].last = i;
        }
    return found;
}

/* Which calls are to fail: all where they are few. Returns how many places there are. */
static size_t choose_calls(const fault_trace *traces, size_t count, int depth, bool last, bool *chosen)
{
    HELD place *places = NULL;
    size_t found = find_places(traces, count, depth, &places);

    for (size_t k = 0; k < found; k++) {
        chosen[places[k].first] = true;
        chosen[places[k].last] |= last;
    }
    for (size_t i = 0; count <= FEW && i < count; i++)
        chosen[i] = true;
    return found;
}

/* A trial for each chosen call. */
static void try_calls(trial *t, penta_context *shared, const bool *chosen, size_t count, size_t places)
{
    const job *j = t->job;
    size_t trials = 0, survived = 0;

    for (t->nth = 1; t->nth <= count; t->nth++) {
        penta_status status;

        if (!chosen[t->nth - 1])
            continue;
        status = try_fault(t, shared);
        if (!faults_struck())
            fail_msg("%s: nothing failed, although it was called before", t->when);
        survived += status == PENTA_OK && t->struck;
        trials++;
        if (j->renewed_after > 0 && trials % j->renewed_after == 0)
            expect_healthy(j, NULL);
    }
    print_message("%s: %zu faults of %zu %s (%zu places)%s, %zu of them got over\n", j->name, trials, count,
                  t->kind == FAULT_MEMORY ? "allocations" : "OpenCL calls", places, t->lasting ? ", lasting" : "",
                  survived);
    assert_true(trials > (on_gpu && j->fresh ? 1 : t->lasting ? j->least / 3 : j->least));
    assert_true(survived < trials || j->least == 0);
}

/* Every nth of the chosen calls. */
static void thin(bool *chosen, size_t count, size_t nth)
{
    size_t seen = 0;

    for (size_t i = 0; i < count; i++)
        if (chosen[i])
            chosen[i] = seen++ % nth == 0;
}

/* A GPU's driver may keep hundreds of megabytes of each context that was released (NVIDIA's does): what contexts of
 * their own show is shown on CPUs, and here at a few places. */
static void spare_contexts(bool *chosen, size_t count)
{
    enum { CONTEXTS = 6 };
    size_t trials = 0;

    for (size_t i = 0; i < count; i++)
        trials += chosen[i];
    if (trials > CONTEXTS)
        print_message("%d of %zu faults are tried, for each takes a GPU's context\n", CONTEXTS, trials);
    thin(chosen, count, (trials + CONTEXTS - 1) / CONTEXTS);
}

static void sweep_kind(const job *j, penta_context *shared, enum fault_kind kind, bool lasting)
{
    trial t = {.job = j, .kind = kind, .lasting = lasting};
    int depth = !j->fresh ? INT_MAX : kind == FAULT_MEMORY ? 2 : 1; /* allocations: of who calls penta_calloc */
    const fault_trace *traces;
    size_t count, places;
    bool *chosen;

    assert_int_equal(try_fault(&t, shared), PENTA_OK);
    traces = faults_traces(&count);
    chosen = must_calloc(count, sizeof *chosen);
    places = choose_calls(traces, count, depth, !lasting && !j->fresh, chosen);
    if (lasting && (kind == FAULT_OPENCL || j->fresh) && count > FEW)
        thin(chosen, count, 3); /* lasting faults leave each place alike */
    if (j->fresh && on_gpu)
        spare_contexts(chosen, count);
    try_calls(&t, shared, chosen, count, places);
    free(chosen);
    expect_healthy(j, j->renewed_after > 0 ? NULL : shared);
}

void sweep(const job *j)
{
    penta_context *ctx = NULL, *shared;

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    on_gpu = !penta_is_cpu(ctx);
    if (j->as_gpu)
        ctx->info.type = PENTA_DEVICE_GPU;
    shared = j->fresh ? NULL : ctx;
    for (int i = 0; i < 3; i++) /* everything that is made once is there then */
        expect_healthy(j, shared);
    for (int lasting = 0; lasting < 2; lasting++) {
        if (!j->on_device)
            sweep_kind(j, shared, FAULT_MEMORY, lasting);
        if (!j->on_host && !(lasting && j->leaves_out))
            sweep_kind(j, shared, FAULT_OPENCL, lasting);
    }
    penta_context_destroy(ctx);
}
