/* Work in pieces: each is done once, and of failures the first is told. */
/* clang-format off */
#include "support/test.h"

/* clang-format on */

#include <stdatomic.h>
#include "io/parallel.h"

enum { PIECES = 1000 };

typedef struct {
    atomic_uchar done[PIECES];
    size_t bad; /* this one and all behind it fail */
} pieces;

static bool piece(void *user, size_t i, penta_io_error *err)
{
    pieces *p = user;

    atomic_fetch_add(&p->done[i], 1);
    return i < p->bad || penta_io_fail(err, "piece %zu", i);
}

IO_TEST(all_once)
{
    static pieces p;

    for (size_t count = 0; count <= PIECES; count = count < 5 ? count + 1 : count * 7) {
        memset(&p, 0, sizeof p);
        p.bad = PIECES;
        assert_true(io_parallel(count, piece, &p, &err));
        for (size_t i = 0; i < PIECES; i++)
            assert_int_equal(atomic_load(&p.done[i]), i < count);
    }
}

IO_TEST(first_failure)
{
    static pieces p;

    for (size_t bad = 0; bad < PIECES; bad = 3 * bad + 1) {
        char expected[32];

        memset(&p, 0, sizeof p);
        p.bad = bad;
        assert_false(io_parallel(PIECES, piece, &p, &err));
        snprintf(expected, sizeof expected, "piece %zu", bad);
        assert_string_equal(err.text, expected);
    }
}
