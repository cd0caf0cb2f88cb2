/* MATLAB files by matio, compressed or not. */
#pragma once

#include "io_files.h"

#include <matio.h>

typedef struct {
    const char *name;
    enum matio_classes class;
    enum matio_types stored;
    int rank;
    size_t dims[4];
    int flags;
    const void *data;
} matio_spec;

static const enum matio_classes matio_class[] = {
    [PENTA_U8] = MAT_C_UINT8,  [PENTA_U16] = MAT_C_UINT16, [PENTA_F32] = MAT_C_SINGLE, [PENTA_F64] = MAT_C_DOUBLE,
    [PENTA_I32] = MAT_C_INT32, [PENTA_I16] = MAT_C_INT16,  [PENTA_U32] = MAT_C_UINT32};
static const enum matio_types matio_stored[] = {
    [PENTA_U8] = MAT_T_UINT8,  [PENTA_U16] = MAT_T_UINT16, [PENTA_F32] = MAT_T_SINGLE, [PENTA_F64] = MAT_T_DOUBLE,
    [PENTA_I32] = MAT_T_INT32, [PENTA_I16] = MAT_T_INT16,  [PENTA_U32] = MAT_T_UINT32};

/* A MATLAB file of these arrays; its path, valid until the next call. */
static inline const char *matio_file_of(enum mat_ft version, const matio_spec *specs, size_t n,
                                        enum matio_compression how)
{
    const char *path = in_directory("b.mat");
    mat_t *mat = Mat_CreateVer(path, NULL, version);

    assert_non_null(mat);
    for (size_t i = 0; i < n; i++) {
        size_t dims[4];
        matvar_t *var;

        memcpy(dims, specs[i].dims, sizeof dims);
        var = Mat_VarCreate(specs[i].name, specs[i].class, specs[i].stored, specs[i].rank, dims, (void *)specs[i].data,
                            specs[i].flags);
        assert_non_null(var);
        assert_int_equal(Mat_VarWrite(mat, var, how), 0);
        Mat_VarFree(var);
    }
    Mat_Close(mat);
    return path;
}

/* The same in version 5. */
static inline const char *matio_file(const matio_spec *specs, size_t n, enum matio_compression how)
{
    return matio_file_of(MAT_FT_MAT5, specs, n, how);
}
