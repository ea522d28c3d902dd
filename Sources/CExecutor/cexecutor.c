#include "CExecutor.h"

#ifdef __linux__

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SWIFTCALL __attribute__((swiftcall))

typedef struct Job Job;
typedef struct {
  void *identity;
  uintptr_t implementation;
} SerialExecutor;

/* Declarations of the runtime, from swift/ABI/Executor.h and swift/Runtime/Concurrency.h of Swift
 * 6.3. The hook receives each job once, and it must run once: push_work keeps it until pop_work
 * passes it to swift_job_run. SerialExecutor is SerialExecutorRef, and two null words are the
 * generic executor. The symbols are weak, so that a program links with a runtime that lacks them;
 * cexecutor_install then returns 0. */
extern SWIFTCALL void swift_job_run(Job *, SerialExecutor) __attribute__((weak));
extern SWIFTCALL void (*swift_task_enqueueGlobal_hook)(Job *, void *original)
    __attribute__((weak));

/* A time of CLOCK_MONOTONIC in nanoseconds. */
typedef int64_t Moment;

/* A job of Swift, or a call that has become due. */
typedef struct {
  Job *job;
  void (*call)(void *);
  void *context;
} Work;

typedef struct {
  Moment due;
  uint64_t number; /* Orders timers that are due at the same time. */
  Work work;
} Timer;

/* `lock` guards all variables below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t idling; /* For idle threads. */
static pthread_cond_t timing; /* For the timekeeper, the idle thread that waits for timers. */

static Work *works; /* A ring buffer. */
static size_t work_first, work_count, work_capacity;
static Timer *timers; /* A heap. */
static size_t timer_count, timer_capacity;
static uint64_t timer_number;

static int thread_count, thread_max, idle_count;
/* Whether the thread is the executor's, so that it checks for work and timers after each job. */
static __thread int is_ours;
static int has_timekeeper;
static Moment timekeeper_due;

static Moment now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (Moment)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Aborts without memory, because the loss of a task would block its waiters forever. */
static void *grown(void *list, size_t *capacity, size_t element) {
  size_t wanted = *capacity ? *capacity * 2 : 64;
  void *larger = realloc(list, wanted * element);
  if (!larger) abort();
  *capacity = wanted;
  return larger;
}

static void push_work(Work work) {
  if (work_count == work_capacity) {
    size_t before = work_capacity;
    works = grown(works, &work_capacity, sizeof *works);
    /* Moves the part that wrapped around to after the old end. */
    for (size_t i = 0; i < work_first; i++) works[before + i] = works[i];
  }
  works[(work_first + work_count++) % work_capacity] = work;
}

static Work pop_work(void) {
  Work work = works[work_first];
  work_first = (work_first + 1) % work_capacity;
  work_count--;
  return work;
}

static int is_before(const Timer *a, const Timer *b) {
  return a->due != b->due ? a->due < b->due : a->number < b->number;
}

static void push_timer(Timer timer) {
  if (timer_count == timer_capacity) timers = grown(timers, &timer_capacity, sizeof *timers);
  size_t i = timer_count++;
  for (; i && is_before(&timer, &timers[(i - 1) / 2]); i = (i - 1) / 2)
    timers[i] = timers[(i - 1) / 2];
  timers[i] = timer;
}

static void remove_timer(size_t i) {
  Timer last = timers[--timer_count];
  if (i == timer_count) return;
  for (; i && is_before(&last, &timers[(i - 1) / 2]); i = (i - 1) / 2)
    timers[i] = timers[(i - 1) / 2];
  for (size_t child; (child = 2 * i + 1) < timer_count; i = child) {
    if (child + 1 < timer_count && is_before(&timers[child + 1], &timers[child])) child++;
    if (!is_before(&timers[child], &last)) break;
    timers[i] = timers[child];
  }
  timers[i] = last;
}

static void *run(void *unused);

/* If no further thread can be started, the existing ones do the work. */
static int start_thread(void) {
  pthread_t thread;
  if (thread_count == thread_max || pthread_create(&thread, NULL, run, NULL)) return 0;
  pthread_detach(thread);
  thread_count++;
  return 1;
}

/* Wakes an idle thread or, if `or_timekeeper` is set, the timekeeper; otherwise starts a thread. */
static void call_thread(int or_timekeeper) {
  if (idle_count)
    pthread_cond_signal(&idling);
  else if (or_timekeeper && has_timekeeper)
    pthread_cond_signal(&timing);
  else
    start_thread();
}

static void wait_for_work(void) {
  if (timer_count && !has_timekeeper) {
    has_timekeeper = 1;
    timekeeper_due = timers[0].due;
    struct timespec due = {timekeeper_due / 1000000000, timekeeper_due % 1000000000};
    pthread_cond_timedwait(&timing, &lock, &due);
    has_timekeeper = 0;
  } else {
    idle_count++;
    pthread_cond_wait(&idling, &lock);
    idle_count--;
  }
}

static void *run(void *unused) {
  (void)unused;
  is_ours = 1;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (timer_count && timers[0].due <= now()) {
      push_work(timers[0].work);
      remove_timer(0);
    }
    if (!work_count) {
      wait_for_work();
      continue;
    }
    Work work = pop_work();
    if (work_count) call_thread(1);
    pthread_mutex_unlock(&lock);
    if (work.job)
      swift_job_run(work.job, (SerialExecutor){0, 0});
    else
      work.call(work.context);
    pthread_mutex_lock(&lock);
  }
  return NULL;
}

static SWIFTCALL void enqueue(Job *job, void *original) {
  (void)original;
  pthread_mutex_lock(&lock);
  push_work((Work){.job = job});
  call_thread(1);
  pthread_mutex_unlock(&lock);
}

uint64_t cexecutor_call_after(int64_t nanoseconds, void (*call)(void *), void *context) {
  const Moment longest = INT64_MAX / 4; /* Longer than any program runs, but far from overflow. */
  Moment wait = nanoseconds < 0 ? 0 : nanoseconds < longest ? nanoseconds : longest;
  Moment due = now() + wait;
  pthread_mutex_lock(&lock);
  uint64_t number = ++timer_number;
  push_timer((Timer){due, number, {.call = call, .context = context}});
  if (has_timekeeper && due < timekeeper_due)
    pthread_cond_signal(&timing);
  else if (!has_timekeeper && !is_ours)
    call_thread(0);
  pthread_mutex_unlock(&lock);
  return number;
}

int cexecutor_cancel(uint64_t number) {
  int is_cancelled = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < timer_count && !is_cancelled; i++) {
    if (timers[i].number != number) continue;
    remove_timer(i);
    is_cancelled = 1;
    /* Wakes the timekeeper now, while the process is busy, not later for a timer that is gone. */
    if (has_timekeeper && i == 0) pthread_cond_signal(&timing);
  }
  pthread_mutex_unlock(&lock);
  return is_cancelled;
}

int cexecutor_install(void) {
  if (!swift_job_run || !&swift_task_enqueueGlobal_hook) return 0;
  pthread_condattr_t attributes;
  if (pthread_condattr_init(&attributes)) return 0;
  int is_ready = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      && !pthread_cond_init(&timing, &attributes) && !pthread_cond_init(&idling, NULL);
  pthread_condattr_destroy(&attributes);
  if (!is_ready) return 0;
  /* More threads than cores, because a step may block briefly, for example in a transaction. */
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  thread_max = cores < 2 ? 4 : cores < 32 ? (int)cores * 2 : 64;
  pthread_mutex_lock(&lock);
  int has_thread = start_thread();
  pthread_mutex_unlock(&lock);
  if (!has_thread) return 0;
  swift_task_enqueueGlobal_hook = enqueue;
  return 1;
}

#else

int cexecutor_install(void) { return 0; }
uint64_t cexecutor_call_after(int64_t nanoseconds, void (*call)(void *), void *context) {
  (void)nanoseconds, (void)call, (void)context;
  return 1;
}
int cexecutor_cancel(uint64_t number) {
  (void)number;
  return 0;
}

#endif
