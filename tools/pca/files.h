/* The files beside the cubes. */
#ifndef PENTA_TOOLS_PCA_FILES_H
#define PENTA_TOOLS_PCA_FILES_H

#include "pca/outlet.h"
#include "pca/run.h"

/* model.json, rgb.png and, of a model that the run has made, the scree plot; each waits for the run's commit. */
bool pca_write_files(const pca_run *run, const pca_preview *preview, penta_io_error *err);

#endif
