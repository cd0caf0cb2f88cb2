/* A copy of the bodies on the device, for steps that break off half-way. */
#include "nbody/nbody.h"

penta_status nbody_copy_keep(penta_resources *owner, nbody_copy *copy, nbody_bodies *bodies)
{
    penta_status status = PENTA_OK;
    size_t bytes = 3 * bodies->pitch * sizeof(double);

    if (!copy->position.mem)
        TRY(penta_buffer_create(owner, bytes, &copy->position));
    if (!copy->velocity.mem)
        TRY(penta_buffer_create(owner, bytes, &copy->velocity));
    TRY(penta_buffer_copy(&bodies->position, &copy->position, bytes));
    TRY(penta_buffer_copy(&bodies->velocity, &copy->velocity, bytes));
cleanup:
    return status;
}

penta_status nbody_copy_bring_back(nbody_copy *copy, nbody_bodies *bodies)
{
    penta_status status = PENTA_OK;
    size_t bytes = 3 * bodies->pitch * sizeof(double);

    TRY(penta_buffer_copy(&copy->position, &bodies->position, bytes));
    TRY(penta_buffer_copy(&copy->velocity, &bodies->velocity, bytes));
cleanup:
    return status;
}
