/* Compiled programs that are kept for the next process; see pentacl/cache.h. */
#pragma once

#include "core/core.h"
#include "core/program_files.h"

/* The folder, to be closed; -1: none that can be used. */
int penta_cache_folder(bool make);

/* Whether programs for the context's device are looked for and kept. */
bool penta_cache_used(const penta_context *ctx);
/* Whether they are better kept at the end, unless always: PoCL compiles kernels that have not run for the binary. */
bool penta_cache_used_late(const penta_context *ctx);

/* Tells the context's listener who keeps its programs. */
void penta_cache_tell(penta_context *ctx);

/* The key of a program with this device, driver and version of pentacl. Freed
 * with free(key->text). */
penta_status penta_cache_key(penta_context *ctx, const char *options, const char *source, penta_program_key *key);

/* The kept program, freed with free; NULL: none. */
void *penta_cache_load(const penta_program_key *key, size_t *bytes);
/* The driver does not take it. */
void penta_cache_reject(const penta_program_key *key);
/* One that was compiled since there was none. data NULL: it cannot be kept. */
void penta_cache_store(const penta_program_key *key, const void *data, size_t bytes);
