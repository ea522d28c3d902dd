#ifndef CFAULTS_H
#define CFAULTS_H

/* Preloaded into a program under test, this library gives it a machine with faults:
 *
 * BELLHOP_FAULT_CLOCK  seconds by which the wall clock is wrong; may be negative. The monotonic
 *                      clock is right. Or the absolute path of a file with that number, which
 *                      may be replaced while the program runs: then the time since the start
 *                      counts it too, as it counts the time in which a machine slept, and whoever
 *                      waits for a jump of the clock is told.
 * BELLHOP_FAULT_SYNCHRONIZED  1: the kernel calls the clock that the program reads synchronised. 0: it
 *                      calls it not synchronised.
 * BELLHOP_FAULT_DISK   a folder, for a disk whose faults are set by what lies in the folder above:
 *                      full      this file, whatever is in it: every write that makes a file longer
 *                                fails with ENOSPC.
 *                      errors    this file: some reads, writes or syncs of databases fail, or the
 *                                process is killed at one of them (struct errors in disk.c). It
 *                                has to be there when the program starts.
 *                      unsynced  this folder: what of databases was not synced is noted in it, so
 *                                that a power cut can be played (disk.c).
 *
 * Without these variables nothing changes. */

#endif
