/* The cache of compiled programs, for drivers that keep none of their own. */
#ifndef PENTACL_CACHE_H
#define PENTACL_CACHE_H

#include <pentacl/context.h>

PENTA_BEGIN_DECLS

/**
 * Where compiled programs are kept: PENTACL_CACHE_DIR, where it is set (to nothing: nowhere), otherwise
 * pentacl/programs in XDG_CACHE_HOME or HOME/.cache. The folder is this user's alone. It is used for drivers that do
 * not keep compiled programs themselves, which PoCL and NVIDIA's do; PENTACL_CACHE=always or never decides otherwise.
 */
typedef struct penta_cache_info {
    size_t size;         /* of this struct; set by the caller */
    char folder[4096];   /* "": none */
    char fault[256];     /* why nothing is kept there; "": it can be used, or does not exist yet */
    size_t programs;     /* in the folder, of all processes */
    uint64_t bytes;      /* their files */
    uint64_t most_bytes; /* above this the programs that have not been used for longest are removed */
    size_t loaded;       /* by this process, from the folder */
    size_t compiled;     /* by this process, because the folder did not have them */
    size_t damaged;      /* files that this process removed, since they were not as they had been written */
} penta_cache_info;

PENTA_API void penta_cache_look(penta_cache_info *info);

/** Removes all programs from the folder; *programs and *bytes (NULL is fine) say how many. Errors: PENTA_INVALID (the
 * folder cannot be used; the text at penta_last_error(NULL) says why). No folder is no error. */
PENTA_API penta_status penta_cache_clear(size_t *programs, uint64_t *bytes);

/** Who keeps the programs that are compiled for the device: "pentacl", "driver" or "nobody". */
PENTA_API const char *penta_cache_keeper(const penta_device *device);

PENTA_END_DECLS
#endif
