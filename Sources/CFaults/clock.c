/* An incorrect wall clock and a machine that sleeps (CFaults.h). */

#include "real.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* Whether the machine sleeps, so that its clock jumps while the program runs. */
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
  if (result == 0) now->tv_sec += clock_fault();
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

/* Reports the clock that the program reads as synchronised, or as not synchronised. */
int adjtimex(struct timex *clock) {
  static __typeof__(&adjtimex) real;
  if (!real) real = REAL(adjtimex);
  const char *word = getenv("BELLHOP_FAULT_SYNCHRONIZED");
  int result = real(clock);
  if (!word || result < 0) return result;
  if (*word != '1') {
    clock->status |= STA_UNSYNC;
    return TIME_ERROR;
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  clock->status &= ~(STA_UNSYNC | STA_NANO);
  clock->time.tv_sec = now.tv_sec;
  clock->time.tv_usec = now.tv_nsec / 1000;
  return TIME_OK;
}

/* The timer with which a program detects that the machine woke up: the kernel cancels it when the
 * wall clock jumps (timerfd_create(2), TFD_TIMER_CANCEL_ON_SET). Here the clock jumps when its file
 * is replaced, which inotify reports. A program has at most one such timer. */

static int alarm_descriptor = -1;

int timerfd_create(clockid_t clock, int flags) {
  static __typeof__(&timerfd_create) real;
  if (!real) real = REAL(timerfd_create);
  if (clock != CLOCK_REALTIME || !clock_jumps() || alarm_descriptor >= 0)
    return real(clock, flags);
  char folder[PATH_MAX];
  strncpy(folder, getenv("BELLHOP_FAULT_CLOCK"), sizeof folder - 1);
  folder[sizeof folder - 1] = 0;
  *strrchr(folder, '/') = 0;
  int descriptor = inotify_init1(flags & TFD_CLOEXEC ? IN_CLOEXEC : 0);
  if (descriptor >= 0 && inotify_add_watch(descriptor, folder, IN_MOVED_TO) >= 0)
    alarm_descriptor = descriptor;
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new,
                    struct itimerspec *old) {
  static __typeof__(&timerfd_settime) real;
  if (!real) real = REAL(timerfd_settime);
  if (descriptor < 0 || descriptor != alarm_descriptor) return real(descriptor, flags, new, old);
  /* A timer set to a real time ends the wait: removing the watch, number 1, reports its end. */
  if (!(flags & TFD_TIMER_CANCEL_ON_SET)) inotify_rm_watch(descriptor, 1);
  return 0;
}

/* Returns 1 if the events report that the clock's file was replaced, and -1 if they report the end
 * of the watch. */
static int told(const char *bytes, ssize_t length) {
  const char *name = strrchr(getenv("BELLHOP_FAULT_CLOCK"), '/') + 1;
  for (const char *place = bytes; place < bytes + length;) {
    const struct inotify_event *event = (const void *)place;
    if (event->mask & IN_IGNORED) return -1;
    if (event->len && !strcmp(event->name, name)) return 1;
    place += sizeof *event + event->len;
  }
  return 0;
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  static __typeof__(&read) real;
  if (!real) real = REAL(read);
  if (descriptor < 0 || descriptor != alarm_descriptor) return real(descriptor, bytes, count);
  _Alignas(struct inotify_event) char events[4096];
  while (1) {
    ssize_t length = real(descriptor, events, sizeof events);
    if (length <= 0) return length;
    int what = told(events, length);
    if (what < 0) {
      alarm_descriptor = -1;
      return (ssize_t)count;
    }
    if (what > 0) {
      errno = ECANCELED;
      return -1;
    }
  }
}
