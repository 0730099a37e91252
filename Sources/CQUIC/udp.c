// UDP sockets: what libuv's own do not offer is several datagrams by one call, and the address a datagram came to.
#define _GNU_SOURCE
#include "internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What a burst of many connections needs; the system caps it at its own limit.
#define SOCKET_BUFFER_BYTES (4 * 1024 * 1024)
// No peer is told to send more; a larger datagram is cut by the system and dropped.
#define DATAGRAM_BYTES 2048

union control {
    struct cmsghdr header;
    uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(int))];
};

struct cquic_batch {
    struct mmsghdr messages[CQUIC_BATCH_COUNT];
    struct iovec vectors[CQUIC_BATCH_COUNT];
    struct sockaddr_storage senders[CQUIC_BATCH_COUNT];
    union control controls[CQUIC_BATCH_COUNT];
    uint8_t bytes[CQUIC_BATCH_COUNT][DATAGRAM_BYTES];
};

static void set_option(int descriptor, int level, int option, int value) {
    // What a system does not know only costs what it is for.
    (void)setsockopt(descriptor, level, option, &value, sizeof(value));
}

int cquic_udp_open(const struct sockaddr *local, const struct sockaddr *remote) {
    const struct sockaddr *address = remote != NULL ? remote : local;
    socklen_t length = cquic_address_length((const struct sockaddr_storage *)address);
    int descriptor = socket(address->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
        return -errno;
    }
    set_option(descriptor, SOL_SOCKET, SO_RCVBUF, SOCKET_BUFFER_BYTES);
    set_option(descriptor, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER_BYTES);
    // Datagrams must not be cut on the way, or what is learned of a path's size means nothing.
    if (address->sa_family == AF_INET6) {
        set_option(descriptor, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
        set_option(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, remote == NULL);
    } else {
        set_option(descriptor, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
        set_option(descriptor, IPPROTO_IP, IP_PKTINFO, remote == NULL);
    }
    int status = remote != NULL ? connect(descriptor, remote, length) : bind(descriptor, local, length);
    if (status != 0) {
        status = -errno;
        close(descriptor);
        return status;
    }
    return descriptor;
}

int cquic_udp_name(int descriptor, struct sockaddr_storage *local) {
    socklen_t length = sizeof(*local);
    memset(local, 0, sizeof(*local));
    return getsockname(descriptor, (struct sockaddr *)local, &length) == 0 ? 0 : -errno;
}

int cquic_udp_close(int descriptor) {
    return close(descriptor) == 0 ? 0 : -errno;
}

int cquic_udp_take_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof(error);
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? -error : -errno;
}

// Has a datagram leave from `local`, unless that is no particular address.
static void choose_source(struct msghdr *message, const struct sockaddr_storage *local) {
    struct cmsghdr *header = message->msg_control;
    if (local->ss_family == AF_INET) {
        const struct sockaddr_in *address = (const struct sockaddr_in *)local;
        if (address->sin_addr.s_addr != INADDR_ANY) {
            struct in_pktinfo info = {.ipi_spec_dst = address->sin_addr};
            header->cmsg_level = IPPROTO_IP;
            header->cmsg_type = IP_PKTINFO;
            header->cmsg_len = CMSG_LEN(sizeof(info));
            memcpy(CMSG_DATA(header), &info, sizeof(info));
            message->msg_controllen = CMSG_SPACE(sizeof(info));
            return;
        }
    } else if (local->ss_family == AF_INET6) {
        const struct sockaddr_in6 *address = (const struct sockaddr_in6 *)local;
        if (!IN6_IS_ADDR_UNSPECIFIED(&address->sin6_addr)) {
            struct in6_pktinfo info = {.ipi6_addr = address->sin6_addr, .ipi6_ifindex = address->sin6_scope_id};
            header->cmsg_level = IPPROTO_IPV6;
            header->cmsg_type = IPV6_PKTINFO;
            header->cmsg_len = CMSG_LEN(sizeof(info));
            memcpy(CMSG_DATA(header), &info, sizeof(info));
            message->msg_controllen = CMSG_SPACE(sizeof(info));
            return;
        }
    }
    message->msg_control = NULL;
    message->msg_controllen = 0;
}

int cquic_udp_send(int descriptor, const uint8_t *bytes, size_t count, const cquic_path *path, int is_connected) {
    struct iovec vector = {(void *)bytes, count};
    union control control;
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (!is_connected) {
        memset(&control, 0, sizeof(control));
        message.msg_name = (void *)&path->remote;
        message.msg_namelen = cquic_address_length(&path->remote);
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
        choose_source(&message, &path->local);
    }
    ssize_t sent;
    do {
        sent = sendmsg(descriptor, &message, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

cquic_batch *cquic_batch_new(void) {
    return calloc(1, sizeof(cquic_batch));
}

void cquic_batch_free(cquic_batch *batch) {
    free(batch);
}

int cquic_batch_receive(cquic_batch *batch, int descriptor) {
    for (int i = 0; i < CQUIC_BATCH_COUNT; i++) {
        batch->vectors[i] = (struct iovec){batch->bytes[i], DATAGRAM_BYTES};
        batch->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->senders[i],
            .msg_namelen = sizeof(batch->senders[i]),
            .msg_iov = &batch->vectors[i],
            .msg_iovlen = 1,
            .msg_control = &batch->controls[i],
            .msg_controllen = sizeof(batch->controls[i]),
        };
    }
    int count;
    do {
        count = recvmmsg(descriptor, batch->messages, CQUIC_BATCH_COUNT, MSG_DONTWAIT, NULL);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

const uint8_t *cquic_batch_datagram(
    cquic_batch *batch, int index, const struct sockaddr_storage *bound, size_t *count, cquic_path *path) {
    struct msghdr *message = &batch->messages[index].msg_hdr;
    const struct sockaddr_storage *sender = &batch->senders[index];
    if ((message->msg_flags & MSG_TRUNC) != 0 || batch->messages[index].msg_len == 0
        || message->msg_namelen == 0 || (sender->ss_family != AF_INET && sender->ss_family != AF_INET6)) {
        return NULL;
    }
    *count = batch->messages[index].msg_len;
    path->remote = *sender;
    path->local = *bound;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO && bound->ss_family == AF_INET) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof(info));
            ((struct sockaddr_in *)&path->local)->sin_addr = info.ipi_addr;
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO
            && bound->ss_family == AF_INET6) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof(info));
            struct sockaddr_in6 *local = (struct sockaddr_in6 *)&path->local;
            local->sin6_addr = info.ipi6_addr;
            // Only an address that is valid on one link needs to say which.
            local->sin6_scope_id = IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr) ? info.ipi6_ifindex : 0;
        }
    }
    return batch->bytes[index];
}
