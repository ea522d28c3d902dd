#ifndef CFAULTS_H
#define CFAULTS_H

/* A library to preload into a program under test, which simulates a machine with faults:
 *
 * BELLHOP_FAULT_CLOCK  the error of the wall clock in seconds, which may be negative. The monotonic
 *                      clock is correct. Or the absolute path of a file with that number, which may
 *                      be replaced while the program runs: the time since the machine's start then
 *                      includes it too, as it includes the time in which a machine slept, and a
 *                      wait for a jump of the clock ends.
 * BELLHOP_FAULT_SYNCHRONIZED  1: the kernel reports the clock that the program reads as
 *                      synchronised. 0: it reports the clock as not synchronised.
 * BELLHOP_FAULT_DISK   a folder, for a disk whose faults are set by entries of the parent folder:
 *                      full      a file with any content: every write that makes a file longer
 *                                fails with ENOSPC.
 *                      errors    a file: some reads, writes or syncs of databases fail, or one of
 *                                them kills the process (struct errors in disk.c). The file must
 *                                exist when the program starts.
 *                      unsynced  a folder: it records the unsynced changes of databases, so that a
 *                                power cut can be simulated (disk.c).
 *
 * Without these variables, nothing changes. */

#endif
