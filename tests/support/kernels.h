/* Kernel files of tests, in a directory that PENTACL_KERNEL_DIR names while the test runs. */
#pragma once

/* Set-up and tear-down of one test. */
int use_kernel_directory(void **state);
int leave_kernel_directory(void **state);
#define TEST_WITH_KERNELS(name) TEST_WITH(use_kernel_directory, leave_kernel_directory, name)

/* The directory in PENTACL_KERNEL_DIR. */
const char *kernel_directory(void);

/* Writes or removes the file of "unit/NAME". */
void write_kernel(const char *name, const char *text);
void remove_kernel(const char *name);

/*
 * Writes unit/add.cl: unit_add(a, b, out, width, height, depth) adds width x height x depth int32 numbers on a grid of
 * at least that size.
 */
void write_add_kernel(void);
