#define _GNU_SOURCE
#include "bellhop_bus.h"

#include <errno.h>

#ifdef __linux__

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The functions of libsystemd, as its manual pages declare them, so that building needs no header.
 * Version 241 of systemd has all of them. */
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
  const char *name;
  const char *message;
  int need_free;
} sd_bus_error;

static struct {
  int (*new)(sd_bus **);
  int (*set_address)(sd_bus *, const char *);
  int (*set_bus_client)(sd_bus *, int);
  int (*start)(sd_bus *);
  int (*is_ready)(sd_bus *);
  int (*set_method_call_timeout)(sd_bus *, uint64_t);
  sd_bus *(*close_unref)(sd_bus *);
  int (*call_method)(sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *,
                     sd_bus_message **, const char *, ...);
  int (*get_property)(sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *,
                      sd_bus_message **, const char *);
  int (*set_property)(sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *,
                      const char *, ...);
  void (*error_free)(sd_bus_error *);
  int (*message_read_basic)(sd_bus_message *, char, void *);
  int (*message_read_array)(sd_bus_message *, char, const void **, size_t *);
  int (*message_get_type)(sd_bus_message *, uint8_t *);
  const char *(*message_get_path)(sd_bus_message *);
  const char *(*message_get_interface)(sd_bus_message *);
  const char *(*message_get_member)(sd_bus_message *);
  sd_bus_message *(*message_unref)(sd_bus_message *);
  int (*process)(sd_bus *, sd_bus_message **);
  int (*get_fd)(sd_bus *);
  int (*get_events)(sd_bus *);
  int (*get_timeout)(sd_bus *, uint64_t *);
  int is_complete;
} library;

static void load(void) {
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return;
  int is_complete = 1;
#define LOAD(name) is_complete &= (*(void **)&library.name = dlsym(handle, "sd_bus_" #name)) != NULL
  LOAD(new);
  LOAD(set_address);
  LOAD(set_bus_client);
  LOAD(start);
  LOAD(is_ready);
  LOAD(set_method_call_timeout);
  LOAD(close_unref);
  LOAD(call_method);
  LOAD(get_property);
  LOAD(set_property);
  LOAD(error_free);
  LOAD(message_read_basic);
  LOAD(message_read_array);
  LOAD(message_get_type);
  LOAD(message_get_path);
  LOAD(message_get_interface);
  LOAD(message_get_member);
  LOAD(message_unref);
  LOAD(process);
  LOAD(get_fd);
  LOAD(get_events);
  LOAD(get_timeout);
#undef LOAD
  library.is_complete = is_complete;
}

struct bellhop_bus {
  sd_bus *bus;
  char error_name[128];
};

static uint64_t microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Waits until the connection has work. Returns 1 if it may have, 0 if the time has passed or the
 * other end is closed, or a negative error number. */
static int wait_for_work(sd_bus *bus, int end_descriptor, uint64_t deadline) {
  uint64_t own = UINT64_MAX, now = microseconds();
  int events = library.get_events(bus), result = library.get_timeout(bus, &own);
  if (events < 0) return events;
  if (result < 0) return result;
  if (deadline <= now) return 0;
  uint64_t until = own < deadline ? own : deadline;
  int limit = -1;
  if (until != UINT64_MAX) {
    uint64_t rest = until <= now ? 0 : (until - now + 999) / 1000;
    /* A long wait is continued by the caller. */
    limit = rest > 3600000 ? 3600000 : (int)rest;
  }
  struct pollfd waiting[2] = {{library.get_fd(bus), (short)events, 0}, {end_descriptor, 0, 0}};
  int ready = poll(waiting, 2, limit);
  if (ready < 0) return errno == EINTR ? 1 : -errno;
  return waiting[1].revents ? 0 : 1;
}

static int set_limit(sd_bus *bus, int milliseconds) {
  return library.set_method_call_timeout(bus, (uint64_t)milliseconds * 1000);
}

/* Connects, and waits for the bus to accept this client. */
static int connect_to(sd_bus *bus, const char *address, int milliseconds) {
  uint64_t deadline = microseconds() + (uint64_t)milliseconds * 1000;
  int result = library.set_address(bus, address);
  if (result >= 0) result = library.set_bus_client(bus, 1);
  if (result >= 0) result = set_limit(bus, milliseconds);
  if (result >= 0) result = library.start(bus);
  while (result >= 0) {
    result = library.is_ready(bus);
    if (result > 0) return 0;
    if (result == 0) result = library.process(bus, NULL);
    if (result == 0) {
      result = wait_for_work(bus, -1, deadline);
      if (result == 0) return -ETIMEDOUT;
    }
  }
  return result;
}

struct bellhop_bus *bellhop_bus_open(const char *address, int milliseconds) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!library.is_complete) {
    errno = ENOPKG;
    return NULL;
  }
  struct bellhop_bus *bus = calloc(1, sizeof *bus);
  int result = bus ? library.new(&bus->bus) : -ENOMEM;
  if (result >= 0) {
    result = connect_to(bus->bus, address, milliseconds);
    if (result >= 0) return bus;
    library.close_unref(bus->bus);
  }
  free(bus);
  errno = -result;
  return NULL;
}

void bellhop_bus_close(struct bellhop_bus *bus) {
  library.close_unref(bus->bus);
  free(bus);
}

const char *bellhop_bus_error_name(const struct bellhop_bus *bus) { return bus->error_name; }

int bellhop_bus_limit(struct bellhop_bus *bus, int milliseconds) { return set_limit(bus->bus, milliseconds); }

/* Keeps the name of an error, and frees it. */
static int finish(struct bellhop_bus *bus, int result, sd_bus_error *error) {
  bus->error_name[0] = 0;
  if (result < 0 && error->name) strncpy(bus->error_name, error->name, sizeof bus->error_name - 1);
  library.error_free(error);
  return result;
}

/* Copies a text into a field; a longer one is not an answer that this program expects. */
static int keep(char *field, size_t size, const void *bytes, size_t length) {
  if (length >= size) return -EMSGSIZE;
  memcpy(field, bytes, length);
  field[length] = 0;
  return 0;
}

static int read_value(sd_bus_message *message, char expected, struct bellhop_bus_value *value) {
  const char *text = NULL;
  const void *bytes = NULL;
  int truth = 0, result;
  switch (expected) {
  case 'u': return library.message_read_basic(message, 'u', &value->number);
  case 'd': return library.message_read_basic(message, 'd', &value->real);
  case 'b':
    result = library.message_read_basic(message, 'b', &truth);
    value->number = truth != 0;
    return result;
  case 's':
  case 'o':
    result = library.message_read_basic(message, expected, &text);
    if (result <= 0) return result < 0 ? result : -ENODATA;
    value->length = strlen(text);
    return keep(value->bytes, sizeof value->bytes, text, value->length);
  case 'y':
    result = library.message_read_array(message, 'y', &bytes, &value->length);
    if (result < 0) return result;
    return keep(value->bytes, sizeof value->bytes, bytes ? bytes : "", value->length);
  default: return 0;
  }
}

/* Reads the value of a reply, and frees it. */
static int take(sd_bus_message *reply, char expected, struct bellhop_bus_value *value) {
  memset(value, 0, sizeof *value);
  int result = reply ? read_value(reply, expected, value) : -ENODATA;
  library.message_unref(reply);
  return result;
}

int bellhop_bus_call(
    struct bellhop_bus *bus, const char *service, const char *path, const char *interface, const char *method,
    const char *argument, char expected, struct bellhop_bus_value *value) {
  sd_bus_error error = {0};
  sd_bus_message *reply = NULL;
  /* Without types, sd-bus reads no argument. */
  int result = library.call_method(
      bus->bus, service, path, interface, method, &error, &reply, argument ? "s" : NULL, argument);
  result = finish(bus, result, &error);
  return result < 0 ? result : take(reply, expected, value);
}

int bellhop_bus_get(
    struct bellhop_bus *bus, const char *service, const char *path, const char *interface,
    const char *property, char expected, struct bellhop_bus_value *value) {
  char type[3] = {expected, 0, 0};
  if (expected == 'y') strcpy(type, "ay");
  sd_bus_error error = {0};
  sd_bus_message *reply = NULL;
  int result = library.get_property(bus->bus, service, path, interface, property, &error, &reply, type);
  result = finish(bus, result, &error);
  return result < 0 ? result : take(reply, expected, value);
}

int bellhop_bus_set_text(
    struct bellhop_bus *bus, const char *service, const char *path, const char *interface,
    const char *property, const char *text) {
  sd_bus_error error = {0};
  int result = library.set_property(bus->bus, service, path, interface, property, &error, "s", text);
  return finish(bus, result, &error);
}

int bellhop_bus_set_number(
    struct bellhop_bus *bus, const char *service, const char *path, const char *interface,
    const char *property, uint32_t number) {
  sd_bus_error error = {0};
  int result = library.set_property(bus->bus, service, path, interface, property, &error, "u", number);
  return finish(bus, result, &error);
}

/* Reads a message. Returns 1 for a signal, 0 for another message, or -ECONNRESET if the connection
 * is closed. */
static int read_signal(sd_bus_message *message, struct bellhop_bus_signal *signal) {
  enum { SIGNAL = 4 }; /* SD_BUS_MESSAGE_SIGNAL */
  uint8_t type = 0;
  memset(signal, 0, sizeof *signal);
  if (library.message_get_type(message, &type) < 0 || type != SIGNAL) return 0;
  const char *path = library.message_get_path(message), *member = library.message_get_member(message);
  const char *interface = library.message_get_interface(message);
  if (!path || !member || !interface) return 0;
  if (!strcmp(interface, "org.freedesktop.DBus.Local") && !strcmp(member, "Disconnected")) return -ECONNRESET;
  if (keep(signal->path, sizeof signal->path, path, strlen(path)) < 0 ||
      keep(signal->member, sizeof signal->member, member, strlen(member)) < 0)
    return 0;
  for (int place = 0; place < 3; place++) {
    const char *text = NULL;
    int result = library.message_read_basic(message, 's', &text);
    if (result < 0) result = library.message_read_basic(message, 'o', &text);
    if (result <= 0 || !text) break;
    if (keep(signal->arguments[place], sizeof signal->arguments[place], text, strlen(text)) < 0) break;
  }
  return 1;
}

int bellhop_bus_wait(
    struct bellhop_bus *bus, int end_descriptor, int milliseconds, struct bellhop_bus_signal *signal) {
  uint64_t deadline = milliseconds < 0 ? UINT64_MAX : microseconds() + (uint64_t)milliseconds * 1000;
  for (;;) {
    sd_bus_message *message = NULL;
    int result = library.process(bus->bus, &message);
    if (result < 0) return result;
    if (message) {
      int read = read_signal(message, signal);
      library.message_unref(message);
      if (read) return read;
    }
    if (result > 0) continue;
    result = wait_for_work(bus->bus, end_descriptor, deadline);
    if (result <= 0) return result;
  }
}

#endif
