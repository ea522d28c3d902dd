#ifndef BELLHOP_WAKE_H
#define BELLHOP_WAKE_H

/* Waits until the machine wakes from sleep, or its clock is set. Linux reports both by cancelling a
 * timer on the wall-clock time; timerfd_create(2), TFD_TIMER_CANCEL_ON_SET. */

/* Opens a descriptor to wait on; -1 on a system without such timers. */
int bellhop_wake_open(void);

/* Blocks without a time limit. 1: the machine woke or its clock was set. 0: the wait was ended, or
 * cannot continue. */
int bellhop_wake_wait(int descriptor);

/* Ends the wait, from another thread. */
void bellhop_wake_end(int descriptor);

#endif
