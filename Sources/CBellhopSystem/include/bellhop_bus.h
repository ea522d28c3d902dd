#ifndef BELLHOP_BUS_H
#define BELLHOP_BUS_H

#include <stddef.h>
#include <stdint.h>

/* A client of the system's D-Bus, through sd-bus(3) of libsystemd, for Linux only. The library is
 * loaded at the first use, because some machines do not have it. One thread at a time uses a
 * connection. Functions that return int return a negative error number if they fail. */

struct bellhop_bus;

/* A value of a reply. */
struct bellhop_bus_value {
  /* The number of a `u` or `b`. */
  uint32_t number;
  /* The number of a `d`. */
  double real;
  /* The text of an `s` or `o`, or the bytes of an array of bytes, with their number. A zero follows
   * them. */
  size_t length;
  char bytes[512];
};

/* A signal, with its first arguments if they are texts or paths. */
struct bellhop_bus_signal {
  char path[256];
  char member[128];
  char arguments[3][256];
};

/* Connects to the bus at an address such as unix:path=/run/dbus/system_bus_socket. The time limit
 * also applies to each call. Returns NULL with errno if that fails: ENOPKG if libsystemd is not
 * installed. */
struct bellhop_bus *_Nullable bellhop_bus_open(const char *_Nonnull address, int milliseconds);

void bellhop_bus_close(struct bellhop_bus *_Nonnull bus);

/* Changes the time limit of calls. */
int bellhop_bus_limit(struct bellhop_bus *_Nonnull bus, int milliseconds);

/* Calls a method with one text or without arguments. Stores the reply's first value, which must be
 * of the type `expected`; 0 reads no value. */
int bellhop_bus_call(
    struct bellhop_bus *_Nonnull bus, const char *_Nonnull service, const char *_Nonnull path,
    const char *_Nonnull interface, const char *_Nonnull method, const char *_Nullable argument,
    char expected, struct bellhop_bus_value *_Nonnull value);

/* Reads a property of the type `expected`; `y` stands for an array of bytes. */
int bellhop_bus_get(
    struct bellhop_bus *_Nonnull bus, const char *_Nonnull service, const char *_Nonnull path,
    const char *_Nonnull interface, const char *_Nonnull property, char expected,
    struct bellhop_bus_value *_Nonnull value);

int bellhop_bus_set_text(
    struct bellhop_bus *_Nonnull bus, const char *_Nonnull service, const char *_Nonnull path,
    const char *_Nonnull interface, const char *_Nonnull property, const char *_Nonnull text);

int bellhop_bus_set_number(
    struct bellhop_bus *_Nonnull bus, const char *_Nonnull service, const char *_Nonnull path,
    const char *_Nonnull interface, const char *_Nonnull property, uint32_t number);

/* Returns the D-Bus error of the last call, such as org.freedesktop.DBus.Error.AccessDenied. Empty
 * if the call succeeded, or had no reply. */
const char *_Nonnull bellhop_bus_error_name(const struct bellhop_bus *_Nonnull bus);

/* Waits for the next signal that a match rule selects (AddMatch). A negative time limit means none.
 * Returns 1 for a signal. Returns 0 after the time limit, or when the other end of the pipe
 * end_descriptor is closed; -1 stands for no such pipe. */
int bellhop_bus_wait(
    struct bellhop_bus *_Nonnull bus, int end_descriptor, int milliseconds,
    struct bellhop_bus_signal *_Nonnull signal);

#endif
