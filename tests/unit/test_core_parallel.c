/* Work of the host in pieces: each is done once, and of failures the first is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <string.h>

#include <pentacl/parallel.h>

enum { PIECES = 3000 };

typedef struct {
    atomic_uchar done[PIECES];
    size_t bad; /* this one and all behind it fail */
} pieces;

static bool piece(void *data, size_t i)
{
    pieces *p = data;

    atomic_fetch_add(&p->done[i], 1);
    return i < p->bad;
}

static void sure_piece(void *data, size_t i)
{
    piece(data, i);
}

static void expect_done_once(const pieces *p, size_t count)
{
    for (size_t i = 0; i < PIECES; i++)
        assert_int_equal(atomic_load(&p->done[i]), i < count);
}

static void test_all_once(void **state)
{
    static pieces p;

    (void)state;
    for (size_t count = 0; count <= PIECES; count = count < 5 ? count + 1 : count * 7) {
        memset(&p, 0, sizeof p);
        penta_parallel(count, sure_piece, &p); /* whose failures nobody asks for */
        expect_done_once(&p, count);
        memset(&p, 0, sizeof p);
        p.bad = PIECES;
        assert_int_equal(penta_parallel_until(count, piece, &p), count);
        expect_done_once(&p, count);
    }
}

static void test_first_failure(void **state)
{
    static pieces p;

    (void)state;
    for (size_t bad = 0; bad < PIECES; bad = 3 * bad + 1) {
        memset(&p, 0, sizeof p);
        p.bad = bad;
        assert_int_equal(penta_parallel_until(PIECES, piece, &p), bad);
        for (size_t i = 0; i < PIECES; i++)
            assert_true(i <= bad ? atomic_load(&p.done[i]) == 1 : atomic_load(&p.done[i]) <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_once), cmocka_unit_test(test_first_failure)};

    return cmocka_run_group_tests_name("core, parallel", tests, NULL, NULL);
}
