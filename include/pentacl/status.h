/* Status codes that every pentacl call returns. */
#ifndef PENTACL_STATUS_H
#define PENTACL_STATUS_H

#if defined(_WIN32)
#define PENTA_API
#else
#define PENTA_API __attribute__((visibility("default")))
#endif

/* Around declarations, which have C linkage in C++, too. */
#ifdef __cplusplus
#define PENTA_BEGIN_DECLS extern "C" {
#define PENTA_END_DECLS   }
#else
#define PENTA_BEGIN_DECLS
#define PENTA_END_DECLS
#endif

PENTA_BEGIN_DECLS

typedef enum penta_status {
    PENTA_OK = 0,
    PENTA_INVALID,     /* an argument or option is out of range, or they contradict one another */
    PENTA_MEMORY,      /* host or device memory ran out */
    PENTA_NO_DEVICE,   /* no OpenCL platform, or no device matches the selector */
    PENTA_DEVICE,      /* an OpenCL call failed */
    PENTA_BUILD,       /* a kernel did not compile; the message holds the build log */
    PENTA_UNSUPPORTED, /* this device or backend cannot do what was asked */
    PENTA_CANCELLED,   /* the progress callback asked to stop; the plan stays usable */
    PENTA_INTERNAL     /* a bug in pentacl */
} penta_status;

/** Name of a status as spelled above, never NULL. */
PENTA_API const char *penta_status_name(penta_status status);

PENTA_END_DECLS
#endif
