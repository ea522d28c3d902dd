#ifndef CWAKE_H
#define CWAKE_H

/* Waits for the machine to wake from sleep, or for its clock to be set: Linux tells both by
 * cancelling a timer on the wall clock, timerfd_create(2), TFD_TIMER_CANCEL_ON_SET. */

/* A descriptor to wait on; -1 where there is no such thing. */
int cwake_open(void);

/* Waits, as long as it takes. 1: it happened; 0: the wait was ended, or cannot go on. */
int cwake_wait(int descriptor);

/* Ends the wait, from another thread. */
void cwake_end(int descriptor);

#endif
