/* Notification for writers that do not use penta_io_output. */
#pragma once

/* Call when the file is in its place: notifies the listener set by penta_io_output_notify. */
void io_written(const char *path);
