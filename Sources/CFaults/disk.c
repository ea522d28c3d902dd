/* A disk that is full, that fails, and that loses unsynced data in a power cut (CFaults.h).
 *
 * It replaces the calls with which SQLite writes on Linux: pwrite64, ftruncate64, fdatasync,
 * unlink; and their variants, which other code uses. The index of the write-ahead log (-shm) is
 * memory shared by processes and not part of the disk: a power cut removes it.
 *
 * Unsynced data: each database file has a log, "../unsynced/INODE". Before a write, the old and the
 * new content are appended to the log; a sync empties it. Writers of all processes hold a lock on
 * the log from this entry to the end of the write. After all processes of the machine were killed,
 * the test undoes the changes in the logs, latest first, or repeats a part of them
 * (FaultyDisk.swift). Names are durable immediately: a created, renamed or removed file stays so
 * after a power cut. A failed sync leaves everything to the next one. */

#include "real.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Kinds of operations that can fail. */
enum { WRITES = 1, SYNCS = 2, TRUNCATIONS = 4, READS = 8 };

/* The content of "../errors", shared by all processes. Of the operations of these kinds, `count`
 * fail, starting with number `first`. */
struct errors {
  _Atomic int64_t seen, first, count, kinds, failed;
  /* The error number; 0 for none, -1 for a power cut, which kills the process. */
  _Atomic int64_t error;
};

/* An entry of a log, followed by the old and the new content. */
struct entry {
  int64_t offset, size_before, old_count, new_count;
  /* The new size of the file for a truncation; -1 for a write. */
  int64_t truncated_to;
};

static int is_on_disk(int descriptor, char path[PATH_MAX]) {
  const char *disk = getenv("BELLHOP_FAULT_DISK");
  if (!disk) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int error = errno;
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  errno = error;
  if (length < 0) return 0;
  path[length] = 0;
  return !strncmp(path, disk, strlen(disk));
}

static void beside(char path[PATH_MAX], const char *name) {
  snprintf(path, PATH_MAX, "%s/../%s", getenv("BELLHOP_FAULT_DISK"), name);
}

/* Whether a path names a database, its write-ahead log or its journal. */
static int is_database(const char *path) {
  const char *name = strrchr(path, '/');
  size_t length = strlen(path);
  return name && strstr(name, ".sqlite") && (length < 4 || strcmp(path + length - 4, "-shm"));
}

/* Whether the disk is full and a write of `count` bytes at `offset` would make the file longer. */
static int is_too_much(int descriptor, size_t count, off_t offset) {
  char sign[PATH_MAX];
  beside(sign, "full");
  struct stat file;
  int error = errno;
  int is_full = count > 0 && !access(sign, F_OK) && !fstat(descriptor, &file) &&
                S_ISREG(file.st_mode) && offset + (off_t)count > file.st_size;
  errno = error;
  return is_full;
}

/* Returns the error with which this operation fails; 0 for none. */
static int failure(int kind) {
  static _Atomic(struct errors *) shared;
  struct errors *errors = shared;
  if (!errors) {
    char path[PATH_MAX];
    beside(path, "errors");
    int error = errno, file = open(path, O_RDWR | O_CLOEXEC);
    errno = error;
    if (file < 0) return 0;
    errors = mmap(NULL, sizeof *errors, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (errors == MAP_FAILED) return 0;
    shared = errors;
  }
  int64_t code = errors->error;
  if (!code || !(errors->kinds & kind)) return 0;
  int64_t number = ++errors->seen - errors->first;
  if (number < 0 || number >= errors->count) return 0;
  errors->failed++;
  if (code < 0) kill(getpid(), SIGKILL);
  return (int)code;
}

/* Returns the locked log of an open file; -1 for none, as when no data can be lost. */
static int lock_log(int descriptor, struct stat *file) {
  if (fstat(descriptor, file) || !S_ISREG(file->st_mode) || !file->st_nlink) return -1;
  char name[64], path[PATH_MAX];
  snprintf(name, sizeof name, "unsynced/%llu", (unsigned long long)file->st_ino);
  beside(path, name);
  int log = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log >= 0) flock(log, LOCK_EX);
  /* Its size may have changed in the meantime. */
  if (log >= 0) fstat(descriptor, file);
  return log;
}

/* Reads the old content of a file. Opens the file again only if it is write-only, because closing
 * it would release SQLite's locks. */
static void read_old(int descriptor, char *bytes, int64_t count, int64_t offset) {
  static __typeof__(&pread64) real;
  if (!real) real = REAL(pread64);
  if (count == 0 || real(descriptor, bytes, (size_t)count, offset) == count) return;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int file = errno == EBADF ? open(link, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0 || real(file, bytes, (size_t)count, offset) != count) abort();
  close(file);
}

/* Records a change before it is made. The log stays locked until it is closed. */
static int note(int descriptor, struct entry entry, const void *new) {
  static __typeof__(&write) real_write;
  if (!real_write) real_write = REAL(write);
  struct stat file;
  int error = errno, log = lock_log(descriptor, &file);
  if (log >= 0) {
    entry.size_before = file.st_size;
    int64_t end = entry.truncated_to < 0 ? entry.offset + entry.new_count : file.st_size;
    if (end > file.st_size) end = file.st_size;
    entry.old_count = end > entry.offset ? end - entry.offset : 0;
    size_t size = sizeof entry + (size_t)(entry.old_count + entry.new_count);
    char *bytes = malloc(size);
    memcpy(bytes, &entry, sizeof entry);
    char *old = bytes + sizeof entry;
    read_old(descriptor, old, entry.old_count, entry.offset);
    if (new) memcpy(old + entry.old_count, new, (size_t)entry.new_count);
    if (real_write(log, bytes, size) != (ssize_t)size) abort();
    free(bytes);
  }
  errno = error;
  return log;
}

static void end_note(int log) {
  int error = errno;
  if (log >= 0) close(log);
  errno = error;
}

/* Writes at `offset` through `real` or, if that is null, at the file's position. */
static ssize_t put(__typeof__(&pwrite64) real, int descriptor, const void *bytes, size_t count,
                   off64_t offset) {
  static __typeof__(&write) real_write;
  if (!real_write) real_write = REAL(write);
  char path[PATH_MAX];
  if (!is_on_disk(descriptor, path))
    return real ? real(descriptor, bytes, count, offset) : real_write(descriptor, bytes, count);
  if (!real) {
    int flags = fcntl(descriptor, F_GETFL);
    offset = lseek(descriptor, 0, flags >= 0 && (flags & O_APPEND) ? SEEK_END : SEEK_CUR);
  }
  if (is_too_much(descriptor, count, offset)) {
    errno = ENOSPC;
    return -1;
  }
  if (!is_database(path))
    return real ? real(descriptor, bytes, count, offset) : real_write(descriptor, bytes, count);
  int error = failure(WRITES);
  /* The result of a failed write is undefined on a real disk; here, half of it is written. */
  size_t taken = error ? count / 2 : count;
  struct entry entry = {.offset = offset, .new_count = (int64_t)taken, .truncated_to = -1};
  int log = note(descriptor, entry, bytes);
  ssize_t written =
      real ? real(descriptor, bytes, taken, offset) : real_write(descriptor, bytes, taken);
  end_note(log);
  if (!error) return written;
  errno = error;
  return -1;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return put(NULL, descriptor, bytes, count, 0);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  static __typeof__(&pwrite64) real;
  if (!real) real = REAL(pwrite64);
  return put(real, descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
  static __typeof__(&pread64) real;
  if (!real) real = REAL(pread64);
  char path[PATH_MAX];
  int error = is_on_disk(descriptor, path) && is_database(path) ? failure(READS) : 0;
  if (!error) return real(descriptor, bytes, count, offset);
  errno = error;
  return -1;
}

ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset) {
  return pread64(descriptor, bytes, count, offset);
}

int posix_fallocate64(int descriptor, off64_t offset, off64_t count) {
  static __typeof__(&posix_fallocate64) real;
  if (!real) real = REAL(posix_fallocate64);
  char path[PATH_MAX];
  if (is_on_disk(descriptor, path) && is_too_much(descriptor, (size_t)count, offset))
    return ENOSPC;
  return real(descriptor, offset, count);
}

int ftruncate64(int descriptor, off64_t size) {
  static __typeof__(&ftruncate64) real;
  if (!real) real = REAL(ftruncate64);
  char path[PATH_MAX];
  if (!is_on_disk(descriptor, path) || !is_database(path)) return real(descriptor, size);
  int error = failure(TRUNCATIONS);
  if (error) {
    errno = error;
    return -1;
  }
  int log = note(descriptor, (struct entry){.offset = size, .truncated_to = size}, NULL);
  int result = real(descriptor, size);
  end_note(log);
  return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

/* Syncs through `real`. */
static int sync_file(__typeof__(&fdatasync) real, int descriptor) {
  static __typeof__(&ftruncate64) truncate;
  if (!truncate) truncate = REAL(ftruncate64);
  char path[PATH_MAX];
  if (!is_on_disk(descriptor, path) || !is_database(path)) return real(descriptor);
  int error = failure(SYNCS);
  if (error) {
    errno = error;
    return -1;
  }
  struct stat file;
  int log = lock_log(descriptor, &file);
  if (log < 0) return real(descriptor);
  /* The power of the real machine does not fail, so a real sync is unnecessary. */
  int result = truncate(log, 0);
  end_note(log);
  return result;
}

int fdatasync(int descriptor) {
  static __typeof__(&fdatasync) real;
  if (!real) real = REAL(fdatasync);
  return sync_file(real, descriptor);
}

int fsync(int descriptor) {
  static __typeof__(&fsync) real;
  if (!real) real = REAL(fsync);
  return sync_file(real, descriptor);
}

/* Removes the log of a file that is about to be removed, because another file may get its
 * number. */
static void drop_log(const char *path) {
  static __typeof__(&unlink) real;
  if (!real) real = REAL(unlink);
  const char *disk = getenv("BELLHOP_FAULT_DISK");
  struct stat file;
  int error = errno;
  if (disk && !strncmp(path, disk, strlen(disk)) && is_database(path) && !lstat(path, &file)) {
    char name[64], log[PATH_MAX];
    snprintf(name, sizeof name, "unsynced/%llu", (unsigned long long)file.st_ino);
    beside(log, name);
    real(log);
  }
  errno = error;
}

int unlink(const char *path) {
  static __typeof__(&unlink) real;
  if (!real) real = REAL(unlink);
  drop_log(path);
  return real(path);
}

int rename(const char *path, const char *destination) {
  static __typeof__(&rename) real;
  if (!real) real = REAL(rename);
  drop_log(destination);
  return real(path, destination);
}
