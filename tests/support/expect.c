/* Expectations. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A line of the file is a pattern of the shell, a tab and the reason; # begins a comment. */
static bool may_be_left_out(const char *why)
{
    FILE *f = fopen(PENTACL_LEFT_OUT, "r");
    char line[1024];
    bool found = false;

    assert_non_null(f);
    while (!found && fgets(line, sizeof line, f)) {
        char *end = strchr(line, '\t');

        if (*line == '#' || !end)
            continue;
        *end = 0;
        found = fnmatch(line, why, 0) == 0;
    }
    fclose(f);
    return found;
}

void leave_out(const char *why, ...)
{
    const char *ci = getenv("CI");
    char text[512];
    va_list arguments;

    va_start(arguments, why);
    vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    if (ci && strcmp(ci, "true") == 0 && !may_be_left_out(text))
        fail_msg("left out, which tests/left-out.txt does not allow: %s", text);
    print_message("left out: %s\n", text);
}
