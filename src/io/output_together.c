/* Files that are written side by side on threads, as if their caller wrote them. */
#include <pentacl/io/output.h>

#include "io/parallel.h"
#include "io/staging.h"

typedef struct {
    bool (*write)(void *user, size_t i, penta_io_error *err);
    void *user;
    uint64_t mark; /* the caller's */
} together;

/* Helper threads have no mark, before and after. */
static bool write_one(void *user, size_t i, penta_io_error *err)
{
    const together *t = user;
    uint64_t before = io_staging_mark_now();
    bool ok;

    io_staging_mark(t->mark);
    ok = t->write(t->user, i, err);
    io_staging_mark(before);
    return ok;
}

bool penta_io_output_together(size_t count, bool (*write)(void *user, size_t i, penta_io_error *err), void *user,
                              penta_io_error *err)
{
    together t = {write, user, io_staging_mark_now()};

    return io_parallel(count, write_one, &t, err);
}
