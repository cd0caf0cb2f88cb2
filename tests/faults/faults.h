/*
 * Faults on purpose. The linker sends the calls of wrapped.txt that pentacl's own objects make (not those of the OpenCL
 * driver or of other shared libraries) to faults.c, which fails the one asked for and keeps count of what is alive.
 * Memory is counted on any thread; OpenCL is called by one. Queues are in order, as pentacl's are.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum fault_kind {
    FAULT_NONE = 0,
    FAULT_MEMORY, /* malloc, calloc, realloc return NULL */
    FAULT_OPENCL  /* calls return an error and do nothing; retains and releases always work */
};

/* From now on the nth call of the kind (from 1) fails; with lasting all that follow fail too, like a lost device. */
void faults_arm(enum fault_kind kind, size_t nth, bool lasting);
void faults_disarm(void);

/* The name of the first call that failed since faults_arm, or NULL. */
const char *faults_struck(void);

/* From now on no call fails, and where each one of the kind comes from is noted until faults_disarm. */
void faults_watch(enum fault_kind kind);

/* A call that was watched: where it and its callers return to, from the innermost outwards. */
typedef struct {
    void *callers[24];
    int depth;
} fault_trace;

/* In the order of the calls; valid until the next faults_watch. */
const fault_trace *faults_traces(size_t *count);

/* Live allocations and references to OpenCL objects (mappings too) made through the wrapped calls. */
size_t faults_live(void);
/* The same by kind, as text for messages; valid until the next call. */
const char *faults_live_text(void);

/* The first misuse since the last call, or NULL: a release too many, or memory freed that a transfer may still use. */
const char *faults_misuse(void);

/* Whether a transfer may still use some of these bytes: nobody has waited for it with success. */
bool faults_busy(const void *memory, size_t bytes);
/* Forgets the transfers that nobody waited for. (They are over: a failing wait waits before it fails.) */
void faults_forget_transfers(void);
