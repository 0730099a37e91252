// Keeps a process on this machine. The program's own symbols, and those of a library that is loaded before all others, come
// before the C library's, so every library in the process calls these: whoever would reach another machine is told that it
// is not permitted, and whoever asks for its address that there is none. The tests link it; what they start loads it.

#define _GNU_SOURCE
#include "loopback_only.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_ulong refusals;

unsigned long loopback_only_refusals(void) { return atomic_load(&refusals); }

static bool is_elsewhere(const void *name, socklen_t length)
{
    const struct sockaddr *address = name;
    if (address == NULL || length < sizeof(sa_family_t)) return false;
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        in_addr_t host = ntohl(((const struct sockaddr_in *)name)->sin_addr.s_addr);
        // To the kernel, no address at all is this machine.
        return host >> 24 != 127 && host != INADDR_ANY;
    }
    if (address->sa_family == AF_INET6 && length >= sizeof(struct sockaddr_in6)) {
        const struct in6_addr *host = &((const struct sockaddr_in6 *)name)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(host)) return host->s6_addr[12] != 127;
        return !IN6_IS_ADDR_LOOPBACK(host) && !IN6_IS_ADDR_UNSPECIFIED(host);
    }
    return false;
}

static bool is_refused(const void *name, socklen_t length)
{
    if (!is_elsewhere(name, length)) return false;
    atomic_fetch_add(&refusals, 1);
    errno = EPERM;
    return true;
}

// The C library asks the machine's name servers by system calls of its own, which nothing here would see.
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
    if (real == NULL) return EAI_FAIL;
    if (node == NULL || strcmp(node, "localhost") == 0) return real(node, service, hints, list);
    struct addrinfo numeric = {.ai_family = AF_UNSPEC};
    if (hints != NULL) numeric = *hints;
    numeric.ai_flags |= AI_NUMERICHOST;
    int status = real(node, service, &numeric, list);
    if (status == EAI_NONAME) atomic_fetch_add(&refusals, 1);
    return status;
}

int connect(int descriptor, const struct sockaddr *name, socklen_t length)
{
    if (is_refused(name, length)) return -1;
    return (int)syscall(SYS_connect, descriptor, name, length);
}

ssize_t sendto(int descriptor, const void *bytes, size_t count, int flags, const struct sockaddr *name, socklen_t length)
{
    if (is_refused(name, length)) return -1;
    return syscall(SYS_sendto, descriptor, bytes, count, flags, name, length);
}

ssize_t sendmsg(int descriptor, const struct msghdr *message, int flags)
{
    if (message != NULL && is_refused(message->msg_name, message->msg_namelen)) return -1;
    return syscall(SYS_sendmsg, descriptor, message, flags);
}

int sendmmsg(int descriptor, struct mmsghdr *messages, unsigned int count, int flags)
{
    for (unsigned int index = 0; index < count; index++) {
        if (is_refused(messages[index].msg_hdr.msg_name, messages[index].msg_hdr.msg_namelen)) return -1;
    }
    return (int)syscall(SYS_sendmmsg, descriptor, messages, count, flags);
}
