/* Notifies the program of files that were written. */
#include "io/written.h"

#include <stdatomic.h>

#include <pentacl/io/output.h>

typedef void (*listener)(void *user, const char *path);

static _Atomic(listener) told;
static _Atomic(void *) told_user;

void penta_io_output_notify(void (*written)(void *user, const char *path), void *user)
{
    atomic_store(&told_user, user);
    atomic_store(&told, written);
}

void io_written(const char *path)
{
    listener f = atomic_load(&told);

    if (f)
        f(atomic_load(&told_user), path);
}
