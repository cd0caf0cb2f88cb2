/* pentacl: six scientific workloads on any OpenCL device. This header includes all the others but opencl.h. */
#ifndef PENTACL_PENTACL_H
#define PENTACL_PENTACL_H

#include <pentacl/analysis.h>
#include <pentacl/array.h>
#include <pentacl/autocorr.h>
#include <pentacl/beats.h>
#include <pentacl/cache.h>
#include <pentacl/context.h>
#include <pentacl/detector.h>
#include <pentacl/exposure.h>
#include <pentacl/fft.h>
#include <pentacl/findings.h>
#include <pentacl/flops.h>
#include <pentacl/group.h>
#include <pentacl/nbody.h>
#include <pentacl/numbers.h>
#include <pentacl/options.h>
#include <pentacl/optmap.h>
#include <pentacl/parallel.h>
#include <pentacl/pca.h>
#include <pentacl/prepare.h>
#include <pentacl/rotors.h>
#include <pentacl/sky.h>
#include <pentacl/spinodal.h>
#include <pentacl/spiral.h>
#include <pentacl/stars.h>
#include <pentacl/status.h>
#include <pentacl/survey.h>
#include <pentacl/tissue.h>
#include <pentacl/tissue_camera.h>
#include <pentacl/traits.h>
#include <pentacl/version.h>

#endif
