/* The stars of one frame, in pixels, and what the library is to draw of them: stars that move far are cut into pieces.
 */
#ifndef PENTA_TOOLS_STARS_SCENE_H
#define PENTA_TOOLS_STARS_SCENE_H

#include "stars/pieces.h"
#include "stars/pointing.h"
#include "stars/source.h"

typedef struct star_scene {
    size_t n;      /* stars: all of a list, or those of a catalogue that come near the frame */
    size_t *which; /* their places in the source, ascending; NULL: all, in order */
    double *x, *y; /* px, in the middle of the exposure; owned where `which` is not NULL, else the source's */
    double *mag;   /* likewise */
    const double *motion_x, *motion_y; /* px, of a list that has them; the source's */
    star_way *ways;                    /* on the sky, where the camera turns; else NULL */
    star_pieces pieces;                /* of stars that are cut */
    double *flux;                      /* of the stars, where they are cut; else NULL */
    penta_stars_list list;             /* to draw: the stars, or the pieces */
} star_scene;

/* Stars by pixel. The scene borrows the source. The plan says how bright stars are. */
bool star_scene_by_pixel(const star_source *source, const star_frame_size *frame, penta_context *ctx, penta_stars *plan,
                         star_scene *out, penta_io_error *err);

/* Stars on the sky as the camera sees them along a path. */
bool star_scene_on_sky(const star_source *source, const star_optics *optics, const star_path *path,
                       const star_frame_size *frame, penta_context *ctx, penta_stars *plan, star_scene *out,
                       penta_io_error *err);

/* Where star i of the scene is during the exposure. */
star_way star_scene_way(const star_scene *scene, size_t star);

/* The star that entry i of the list is, or is a piece of. */
size_t star_scene_owner(const star_scene *scene, size_t i);

void star_scene_close(star_scene *scene); /* a zeroed one is fine */

#endif
