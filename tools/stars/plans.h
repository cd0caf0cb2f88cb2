/* What frames are drawn with: plans and detectors on the devices of -d, or on that of a rank. */
#pragma once

#include "stars/run.h"

/* Makes run->plan, and run->others where there are several devices. An exit code, after a line on stderr. */
int stars_plans_open(stars_run *run);
void stars_plans_close(stars_run *run);
