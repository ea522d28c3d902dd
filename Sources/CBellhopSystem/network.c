#define _GNU_SOURCE
#include "bellhop_network.h"

#include <errno.h>
#include <stddef.h>

#ifdef __linux__

#include <linux/if_arp.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The size of the kernel's own packets in an answer (netlink(7) recommends at least 8 KiB). */
enum { BUFFER_BYTES = 32768, ANSWER_MILLISECONDS = 1000 };

struct bellhop_network {
  int descriptor;
  int hears_changes;
  uint32_t sequence;
  /* The unread part of the last packet. */
  size_t begin, end;
  /* A route with several gateways: those not returned yet. */
  struct bellhop_network_record route;
  const struct rtnexthop *hop;
  int hop_bytes;
  /* Aligned for struct nlmsghdr. */
  uint32_t buffer[BUFFER_BYTES / sizeof(uint32_t)];
};

struct bellhop_network *bellhop_network_adopt(int descriptor) {
  struct bellhop_network *network = calloc(1, sizeof *network);
  if (!network) {
    close(descriptor);
    errno = ENOMEM;
    return NULL;
  }
  network->descriptor = descriptor;
  struct sockaddr_nl own;
  socklen_t length = sizeof own;
  memset(&own, 0, sizeof own);
  if (!getsockname(descriptor, (struct sockaddr *)&own, &length)) network->hears_changes = own.nl_groups != 0;
  return network;
}

struct bellhop_network *bellhop_network_open(int hears_changes) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  if (descriptor < 0) return NULL;
  struct sockaddr_nl own;
  memset(&own, 0, sizeof own);
  own.nl_family = AF_NETLINK;
  if (hears_changes) own.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE | RTMGRP_NEIGH;
  if (bind(descriptor, (struct sockaddr *)&own, sizeof own)) {
    int reason = errno;
    close(descriptor);
    errno = reason;
    return NULL;
  }
  return bellhop_network_adopt(descriptor);
}

int bellhop_network_descriptor(const struct bellhop_network *network) { return network->descriptor; }

void bellhop_network_close(struct bellhop_network *network) {
  close(network->descriptor);
  free(network);
}

int bellhop_network_ask(struct bellhop_network *network, enum bellhop_network_kind table) {
  struct {
    struct nlmsghdr header;
    union {
      struct ifinfomsg device;
      struct rtmsg route;
      struct ndmsg neighbor;
    } body;
  } request;
  memset(&request, 0, sizeof request);
  size_t size = 0;
  switch (table) {
  case BELLHOP_NETWORK_DEVICE:
    request.header.nlmsg_type = RTM_GETLINK;
    size = sizeof request.body.device;
    break;
  case BELLHOP_NETWORK_ROUTE:
    request.header.nlmsg_type = RTM_GETROUTE;
    size = sizeof request.body.route;
    break;
  case BELLHOP_NETWORK_NEIGHBOR:
    request.header.nlmsg_type = RTM_GETNEIGH;
    size = sizeof request.body.neighbor;
    break;
  }
  request.header.nlmsg_len = NLMSG_LENGTH(size);
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.header.nlmsg_seq = ++network->sequence;
  network->begin = network->end = 0;
  network->hop_bytes = 0;
  struct sockaddr_nl kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.nl_family = AF_NETLINK;
  ssize_t count;
  do
    count = sendto(network->descriptor, &request, request.header.nlmsg_len, MSG_NOSIGNAL,
                   (struct sockaddr *)&kernel, sizeof kernel);
  while (count < 0 && errno == EINTR);
  return count < 0 ? -1 : 0;
}

/* Receives the next packet of the kernel. Returns 1, 0 if none has arrived, or -1 with errno. */
static int receive(struct bellhop_network *network) {
  for (;;) {
    struct pollfd waiting = {network->descriptor, POLLIN, 0};
    int ready = poll(&waiting, 1, network->hears_changes ? 0 : ANSWER_MILLISECONDS);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return -1;
    if (ready == 0) {
      errno = ETIMEDOUT;
      return network->hears_changes ? 0 : -1;
    }
    struct sockaddr_nl sender;
    socklen_t length = sizeof sender;
    ssize_t count = recvfrom(network->descriptor, network->buffer, BUFFER_BYTES, MSG_DONTWAIT,
                             (struct sockaddr *)&sender, &length);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return -1;
    /* Other programs may send to this socket; only the kernel has the identifier 0. */
    if (length != sizeof sender || sender.nl_pid != 0) continue;
    network->begin = 0;
    network->end = (size_t)count;
    return 1;
  }
}

/* Copies an attribute of exactly that size. Returns 1 if it has that size. */
static int copy(void *target, const struct rtattr *attribute, size_t size) {
  if (!attribute || RTA_PAYLOAD(attribute) != size) return 0;
  memcpy(target, RTA_DATA(attribute), size);
  return 1;
}

static size_t address_bytes(int family) { return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0; }

/* Collects the attributes by their type. */
static void collect(const struct rtattr **table, int last, const struct rtattr *attribute, int bytes) {
  memset(table, 0, sizeof *table * (size_t)(last + 1));
  for (; RTA_OK(attribute, bytes); attribute = RTA_NEXT(attribute, bytes)) {
    int type = attribute->rta_type & NLA_TYPE_MASK;
    if (type <= last && !table[type]) table[type] = attribute;
  }
}

static int read_device(const struct nlmsghdr *header, struct bellhop_network_record *record) {
  if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ifinfomsg))) return 0;
  const struct ifinfomsg *device = NLMSG_DATA(header);
  record->kind = BELLHOP_NETWORK_DEVICE;
  record->is_removed = header->nlmsg_type == RTM_DELLINK;
  record->device = device->ifi_index;
  record->is_ethernet = device->ifi_type == ARPHRD_ETHER && !(device->ifi_flags & IFF_NOARP);
  return 1;
}

static int read_neighbor(const struct nlmsghdr *header, struct bellhop_network_record *record) {
  static const uint8_t zeros[6];
  if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct ndmsg))) return 0;
  const struct ndmsg *neighbor = NLMSG_DATA(header);
  const struct rtattr *attributes[NDA_LLADDR + 1];
  collect(attributes, NDA_LLADDR, (const void *)((const char *)neighbor + NLMSG_ALIGN(sizeof *neighbor)),
          (int)NLMSG_PAYLOAD(header, sizeof *neighbor));
  size_t size = address_bytes(neighbor->ndm_family);
  if (!size || !copy(record->address, attributes[NDA_DST], size)) return 0;
  record->kind = BELLHOP_NETWORK_NEIGHBOR;
  record->is_removed = header->nlmsg_type == RTM_DELNEIGH;
  record->family = neighbor->ndm_family;
  record->device = neighbor->ndm_ifindex;
  record->has_address = 1;
  int known = NUD_PERMANENT | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE;
  record->has_hardware_address =
      neighbor->ndm_state & known && copy(record->hardware_address, attributes[NDA_LLADDR], 6) &&
      memcmp(record->hardware_address, zeros, 6) != 0;
  return 1;
}

/* Stores the next gateway of the route with several. Returns 0 if there is none left. */
static int next_hop(struct bellhop_network *network, struct bellhop_network_record *record) {
  int dead = RTNH_F_DEAD | RTNH_F_LINKDOWN;
  while (network->hop_bytes >= (int)sizeof *network->hop && network->hop->rtnh_len >= sizeof *network->hop &&
         network->hop->rtnh_len <= network->hop_bytes) {
    const struct rtnexthop *hop = network->hop;
    network->hop_bytes -= (int)NLMSG_ALIGN(hop->rtnh_len);
    network->hop = RTNH_NEXT(hop);
    const struct rtattr *attributes[RTA_GATEWAY + 1];
    collect(attributes, RTA_GATEWAY, RTNH_DATA(hop), hop->rtnh_len - (int)sizeof *hop);
    *record = network->route;
    record->device = hop->rtnh_ifindex;
    record->has_address = copy(record->address, attributes[RTA_GATEWAY], address_bytes(record->family));
    if (hop->rtnh_flags & dead) record->is_usable = 0;
    return 1;
  }
  network->hop_bytes = 0;
  return 0;
}

static int read_route(
    struct bellhop_network *network, const struct nlmsghdr *header, struct bellhop_network_record *record) {
  if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return 0;
  const struct rtmsg *route = NLMSG_DATA(header);
  const struct rtattr *attributes[RTA_TABLE + 1];
  collect(attributes, RTA_TABLE, RTM_RTA(route), (int)RTM_PAYLOAD(header));
  size_t size = address_bytes(route->rtm_family);
  /* IPv6 lists its cache of single destinations as routes, too. */
  if (!size || route->rtm_flags & RTM_F_CLONED) return 0;
  record->kind = BELLHOP_NETWORK_ROUTE;
  record->is_removed = header->nlmsg_type == RTM_DELROUTE;
  record->family = route->rtm_family;
  record->prefix_bits = route->rtm_dst_len;
  uint32_t table = route->rtm_table;
  copy(&table, attributes[RTA_TABLE], sizeof table);
  copy(&record->metric, attributes[RTA_PRIORITY], sizeof record->metric);
  record->is_usable = route->rtm_type == RTN_UNICAST && table == RT_TABLE_MAIN && route->rtm_src_len == 0 &&
                      !(route->rtm_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN));
  if (attributes[RTA_MULTIPATH]) {
    network->route = *record;
    network->hop = RTA_DATA(attributes[RTA_MULTIPATH]);
    network->hop_bytes = (int)RTA_PAYLOAD(attributes[RTA_MULTIPATH]);
    return next_hop(network, record);
  }
  copy(&record->device, attributes[RTA_OIF], sizeof record->device);
  record->has_address = copy(record->address, attributes[RTA_GATEWAY], size);
  return 1;
}

/* Reads a message. Returns 1 if it is a row, 0 if not, 2 at the end of a table, or -1 with errno. */
static int read_message(
    struct bellhop_network *network, const struct nlmsghdr *header, struct bellhop_network_record *record) {
  if (!network->hears_changes && header->nlmsg_seq != network->sequence) return 0;
  switch (header->nlmsg_type) {
  case NLMSG_DONE: return 2;
  case NLMSG_ERROR: {
    const struct nlmsgerr *error = NLMSG_DATA(header);
    errno = header->nlmsg_len < NLMSG_LENGTH(sizeof *error) ? EPROTO : -error->error;
    return -1;
  }
  case RTM_NEWLINK:
  case RTM_DELLINK: return read_device(header, record);
  case RTM_NEWROUTE:
  case RTM_DELROUTE: return read_route(network, header, record);
  case RTM_NEWNEIGH:
  case RTM_DELNEIGH: return read_neighbor(header, record);
  default: return 0;
  }
}

int bellhop_network_next(struct bellhop_network *network, struct bellhop_network_record *record) {
  for (;;) {
    memset(record, 0, sizeof *record);
    if (network->hop_bytes && next_hop(network, record)) return 1;
    size_t rest = network->end - network->begin;
    const struct nlmsghdr *header = (const void *)((const char *)network->buffer + network->begin);
    if (!NLMSG_OK(header, rest)) {
      int received = receive(network);
      if (received <= 0) return received;
      continue;
    }
    size_t length = NLMSG_ALIGN(header->nlmsg_len);
    network->begin = length < rest ? network->begin + length : network->end;
    int result = read_message(network, header, record);
    if (result == 2) return 0;
    if (result) return result;
  }
}

#endif
