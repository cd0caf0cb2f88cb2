/* The frame of the state, and the verdict on the steps. Host only. */
#pragma once

#include <pentacl/nbody.h>

/* The state is about origin + drift time, and velocities are about drift. */
typedef struct nbody_frame {
    double origin[3], drift[3]; /* 0 where nothing is gained */
    double scale[4];            /* of cl/nbody/check.clh: the centre of mass's velocity in the state, the least speed */
} nbody_frame;

/* rows: n x 7, of the caller. */
void nbody_frame_choose(size_t n, const double *rows, nbody_frame *out);
/* Whether the state's frame is another than the caller's. */
bool nbody_frame_moves(const nbody_frame *f);
/* The state's origin in the caller's frame. */
void nbody_frame_place(const nbody_frame *f, double time, double place[3]);
/* Rows at time 0 into the frame of the state; rows of the state into the caller's. */
void nbody_frame_enter(const nbody_frame *f, size_t n, double *rows);
void nbody_frame_leave(const nbody_frame *f, double time, size_t n, double *rows);
/* Sums of the state become the caller's; fills energy_com. */
void nbody_frame_sums(const nbody_frame *f, double time, penta_nbody_diagnostics *d);

/* Fills step_check, step_body and step_judged from each body's largest check, which it sorts. */
void nbody_judge_steps(size_t n, double *worst, penta_nbody_diagnostics *d);
