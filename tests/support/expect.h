/* Expectations that cmocka lacks. */
#pragma once

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* |value - expected| <= tolerance. Fails for NaN. */
#define expect_near(value, expected, tolerance) expect_near_at(value, expected, tolerance, #value, __FILE__, __LINE__)
void expect_near_at(double value, double expected, double tolerance, const char *what, const char *file, int line);

/* The text contains the part. */
#define expect_text(text, part) expect_text_at(text, part, __FILE__, __LINE__)
void expect_text_at(const char *text, const char *part, const char *file, int line);

/*
 * Says that the test, or a part of it, does not run, and why. With CI=true in the environment that fails, unless a line
 * of tests/left-out.txt allows this reason.
 */
void leave_out(const char *why, ...) __attribute__((format(printf, 1, 2)));

/* The same, and ends the test as skipped. */
#define leave_out_test(why)                                                                                            \
    do {                                                                                                               \
        leave_out(why);                                                                                                \
        skip();                                                                                                        \
    } while (0)
