/* Expectations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "support/expect.h"

void expect_near_at(double value, double expected, double tolerance, const char *what, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s:%d: %s is %.17g, not within %g of %.17g\n", file, line, what, value, tolerance, expected);
    fail();
}

void expect_text_at(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part))
        return;
    print_error("%s:%d: '%s' does not say '%s'\n", file, line, text, part);
    fail();
}
