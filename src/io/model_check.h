/* Checks that the parts of a model agree. Internal to src/io. */
#pragma once

#include <pentacl/io/model.h>

/* Checks the maps against the loadings and each other, ranges, and bands. */
bool io_model_check(const char *path, const penta_io_model *model, penta_io_error *err);
