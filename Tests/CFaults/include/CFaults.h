#ifndef CFAULTS_H
#define CFAULTS_H

/* Preloaded into a program under test, this library gives it a machine with faults:
 *
 * BELLHOP_FAULT_CLOCK  seconds by which the wall clock is wrong; may be negative. The monotonic
 *                      clock is right. Or the absolute path of a file with that number, which
 *                      may change while the program runs: then the time since the start counts
 *                      it too, as it counts the time in which a machine slept.
 * BELLHOP_FAULT_DISK   a folder whose disk is full (ENOSPC for every write that makes a file
 *                      longer) as long as the file "full" lies in the folder above it.
 *
 * Without these variables nothing changes. */

#endif
