/* Phase correlation on the host's cores, for engine `literal` on devices without double precision. */
#pragma once

#include "optmap/literal.h"

/* Finds t0 of every pixel of the band with a result and its neighbours, as literal_shifter_run does. */
penta_status literal_host_run(literal_state *s, const optmap_traces *band, penta_buffer *shifts);
