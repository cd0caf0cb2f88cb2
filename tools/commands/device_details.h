/* What penta devices -v says of a device: its limits, what is chosen for it, and why. */
#pragma once

#include <stddef.h>

#include <jansson.h>

/* Opens the device with this index. An object of members for the answer. */
json_t *device_details(size_t index);

/* The same as lines on stdout. */
void device_print_details(size_t index);
