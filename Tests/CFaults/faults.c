#define _GNU_SOURCE
#include "CFaults.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* The wall clock. */

/* Whether the machine slept: its clock jumps while the program runs. */
static int clock_jumps(void) {
  const char *seconds = getenv("BELLHOP_FAULT_CLOCK");
  return seconds && *seconds == '/';
}

static time_t clock_fault(void) {
  const char *seconds = getenv("BELLHOP_FAULT_CLOCK");
  if (!seconds) return 0;
  if (!clock_jumps()) return (time_t)atoll(seconds);
  char text[32];
  int error = errno, file = open(seconds, O_RDONLY | O_CLOEXEC);
  ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  errno = error;
  text[length > 0 ? length : 0] = 0;
  return (time_t)atoll(text);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static __typeof__(&clock_gettime) real;
  if (!real) real = REAL(clock_gettime);
  int result = real(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
                      (clock == CLOCK_BOOTTIME && clock_jumps())))
    now->tv_sec += clock_fault();
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  static __typeof__(&gettimeofday) real;
  if (!real) real = REAL(gettimeofday);
  int result = real(now, zone);
  if (result == 0 && now) now->tv_sec += clock_fault();
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

/* The disk. */

/* Whether a write of `count` bytes at `offset`, or at the file's place when that is negative, is
 * one more than the disk holds. */
static int is_too_much(int descriptor, size_t count, off_t offset) {
  const char *disk = getenv("BELLHOP_FAULT_DISK");
  if (!disk || count == 0) return 0;
  char sign[PATH_MAX + 8];
  snprintf(sign, sizeof sign, "%s/../full", disk);
  if (access(sign, F_OK)) return 0;

  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, disk, strlen(disk))) return 0;

  struct stat file;
  if (fstat(descriptor, &file) || !S_ISREG(file.st_mode)) return 0;
  if (offset < 0) {
    int flags = fcntl(descriptor, F_GETFL);
    offset = flags >= 0 && (flags & O_APPEND) ? file.st_size : lseek(descriptor, 0, SEEK_CUR);
  }
  return offset + (off_t)count > file.st_size;
}

#define REFUSE_IF(condition) \
  if (condition) {           \
    errno = ENOSPC;          \
    return -1;               \
  }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  static __typeof__(&write) real;
  if (!real) real = REAL(write);
  REFUSE_IF(is_too_much(descriptor, count, -1))
  return real(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  static __typeof__(&pwrite) real;
  if (!real) real = REAL(pwrite);
  REFUSE_IF(is_too_much(descriptor, count, offset))
  return real(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  static __typeof__(&pwrite64) real;
  if (!real) real = REAL(pwrite64);
  REFUSE_IF(is_too_much(descriptor, count, offset))
  return real(descriptor, bytes, count, offset);
}

int posix_fallocate64(int descriptor, off64_t offset, off64_t count) {
  static __typeof__(&posix_fallocate64) real;
  if (!real) real = REAL(posix_fallocate64);
  if (is_too_much(descriptor, (size_t)count, offset)) return ENOSPC;
  return real(descriptor, offset, count);
}
