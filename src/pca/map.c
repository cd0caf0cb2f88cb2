/* to be written */
#include "pca/pca.h"
penta_status penta_map_create(penta_context *ctx, const penta_affine *affine, int precision, const char *no_data,
                              penta_map **out)
{
    (void)affine, (void)precision, (void)no_data, *out = NULL;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "not written yet");
}
size_t penta_map_room(const penta_map *map)
{
    (void)map;
    return 0;
}
penta_status penta_map_add(penta_map *map, const penta_cube_rows *rows)
{
    (void)map, (void)rows;
    return PENTA_UNSUPPORTED;
}
penta_status penta_map_range(penta_map *map, double *least, double *largest)
{
    (void)map, (void)least, (void)largest;
    return PENTA_UNSUPPORTED;
}
penta_status penta_map_take(penta_map *map, const penta_map_format *format, void *out, size_t stride)
{
    (void)map, (void)format, (void)out, (void)stride;
    return PENTA_UNSUPPORTED;
}
void penta_map_reset(penta_map *map)
{
    (void)map;
}
void penta_map_destroy(penta_map *map)
{
    (void)map;
}
