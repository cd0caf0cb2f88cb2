/* Element types of the plain arrays that the library takes and gives, and the arithmetic between. */
#ifndef PENTACL_ARRAY_H
#define PENTACL_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include <pentacl/status.h>

PENTA_BEGIN_DECLS

typedef enum penta_type {
    PENTA_U8 = 0,
    PENTA_U16,
    PENTA_F32,
    PENTA_F64,
    PENTA_I64,
    PENTA_I32,
    PENTA_I16,
    PENTA_U32
} penta_type;

/** The arithmetic of a plan; what auto is, each workload says. */
enum penta_precision { PENTA_PRECISION_AUTO = 0, PENTA_PRECISION_SINGLE, PENTA_PRECISION_DOUBLE, PENTA_PRECISION_DS };

/** Bytes of one element; 0 for a value outside the enumeration. */
PENTA_API size_t penta_type_size(penta_type type);

/** Short name: "u8", "u16", "f32", "f64", "i64", "i32", "i16", "u32"; "?" for a value outside the enumeration. */
PENTA_API const char *penta_type_name(penta_type type);

PENTA_END_DECLS
#endif
