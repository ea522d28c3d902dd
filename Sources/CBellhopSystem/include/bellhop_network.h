#ifndef BELLHOP_NETWORK_H
#define BELLHOP_NETWORK_H

#include <stdint.h>

/* The kernel's tables of network devices, routes and neighbours, and their changes, through
 * rtnetlink(7). */

/* An open socket with its buffer. */
struct bellhop_network;

enum bellhop_network_kind {
  BELLHOP_NETWORK_DEVICE = 1,
  BELLHOP_NETWORK_ROUTE = 2,
  BELLHOP_NETWORK_NEIGHBOR = 3
};

/* A row of a table, or a change of one. Fields that the row does not have are 0. */
struct bellhop_network_record {
  enum bellhop_network_kind kind;
  /* Whether the row was removed. Always 0 in answers. */
  int is_removed;
  /* AF_INET or AF_INET6; 0 for a device. */
  int family;
  /* The index of the device. */
  int device;
  /* For a device: whether it is of a kind with hardware addresses of six bytes, such as Ethernet
   * or Wi-Fi, but not a tunnel. */
  int is_ethernet;
  /* For a route: whether it is a unicast route of the main table that packets can take. */
  int is_usable;
  /* For a route: the number of bits that a destination must share. 0 for a default route. */
  int prefix_bits;
  /* For a route: its metric. The kernel prefers lower ones. */
  uint32_t metric;
  /* For a route, its gateway; for a neighbour, its address. IPv4 uses the first four bytes. */
  int has_address;
  uint8_t address[16];
  /* For a neighbour, its hardware address, if it is known. */
  int has_hardware_address;
  uint8_t hardware_address[6];
};

/* Opens a socket. If hears_changes is not 0, it receives changes of all three tables, and must not
 * ask. Returns NULL with errno if the system refuses. */
struct bellhop_network *_Nullable bellhop_network_open(int hears_changes);

/* Uses an open netlink socket, which bellhop_network_close then closes. */
struct bellhop_network *_Nullable bellhop_network_adopt(int descriptor);

/* The descriptor, to wait for changes with poll(2). */
int bellhop_network_descriptor(const struct bellhop_network *_Nonnull network);

/* Asks for a table. bellhop_network_next then returns its rows. Returns 0, or -1 with errno. */
int bellhop_network_ask(struct bellhop_network *_Nonnull network, enum bellhop_network_kind table);

/* Stores the next row or change. Returns 1 for a record, and 0 at the end of a table or if no
 * further change has arrived. Returns -1 with errno for a failure: ENOBUFS if changes were lost,
 * ETIMEDOUT if the kernel does not answer within a second. */
int bellhop_network_next(
    struct bellhop_network *_Nonnull network, struct bellhop_network_record *_Nonnull record);

void bellhop_network_close(struct bellhop_network *_Nonnull network);

#endif
