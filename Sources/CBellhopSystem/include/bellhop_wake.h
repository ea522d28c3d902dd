#ifndef BELLHOP_WAKE_H
#define BELLHOP_WAKE_H

/* Detection of a wake-up of the machine, or of a change of its clock. Linux reports both by
 * cancelling a timer on the wall-clock time (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). */

/* Opens a descriptor to wait on. Returns -1 on a system without such timers. */
int bellhop_wake_open(void);

/* Blocks without a time limit. Returns 1 if the machine woke up or its clock was set, and 0 if the
 * wait was ended or cannot continue. */
int bellhop_wake_wait(int descriptor);

/* Ends the wait. Call it from another thread. */
void bellhop_wake_end(int descriptor);

#endif
