/* What every frame takes beside its method, as one program for CPU devices (penta_workload.usual): for one type of
 * pixels, as each file says. */
#include "autocorr/moments.cl"
#include "autocorr/overlaps.cl"
#include "autocorr/finish.cl"
#include "autocorr/whole.cl"
