/* Options of the optmap workload. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pentacl/optmap.h>

static void defaults(void **state)
{
    penta_optmap_options o;

    (void)state;
    penta_options_init(penta_optmap_option_table, &o);
    assert_int_equal(o.interp, 10);
    assert_int_equal(o.window, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults)};

    return cmocka_run_group_tests_name("optmap: options", tests, NULL, NULL);
}
