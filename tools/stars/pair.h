/* The image of -o and the table of --truth, which appear together. */
#pragma once

#include "stars/run.h"

/*
 * Opens the run of the directory that holds both files, itself or below, so that one commit brings both: job.run. It
 * stays NULL, and each file appears by itself, where there is one file, where one is a device or goes to standard
 * output, and where that directory is not the user's own. Another run there is waited for. An exit code.
 */
int stars_pair_open(stars_run *run);

/* Whether it can be opened, before the work. */
int stars_pair_try(stars_run *run);
