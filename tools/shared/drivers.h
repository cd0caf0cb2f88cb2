/*
 * Opens only what will be used: the OpenCL loader opens every driver that is installed, some of which take 0.1 s and
 * more, also where -d says that none of their devices is wanted.
 */
#pragma once

/*
 * The value of -d; NULL or "": that of PENTACL_DEVICE. Where it is cpu or gpu, the drivers that are there are known,
 * and one of them stays, the environment is changed so that the loader does not see the others; otherwise nothing
 * happens. Before the first call of OpenCL, by the only thread.
 */
void drivers_choose(const char *selector);

/* The files of those that are not seen, with commas between them; "": none. */
const char *drivers_hidden(void);
