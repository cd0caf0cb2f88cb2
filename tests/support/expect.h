/* Expectations that cmocka lacks. */
#ifndef PENTA_TESTS_EXPECT_H
#define PENTA_TESTS_EXPECT_H

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* |value - expected| <= tolerance. Fails for NaN. */
#define expect_near(value, expected, tolerance) expect_near_at(value, expected, tolerance, #value, __FILE__, __LINE__)
void expect_near_at(double value, double expected, double tolerance, const char *what, const char *file, int line);

/* The text contains the part. */
#define expect_text(text, part) expect_text_at(text, part, __FILE__, __LINE__)
void expect_text_at(const char *text, const char *part, const char *file, int line);

#endif
