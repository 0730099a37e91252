#pragma once
#include <errno.h>
#include <microhttpd.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// The library's variadic functions with the arguments that we pass, for Swift calls no variadic function.

// A daemon that the caller's own thread runs with MHD_run(). It owns `listen_socket`.
static inline struct MHD_Daemon *cmhd_start(int listen_socket, unsigned int connection_limit, size_t connection_memory,
                                            MHD_AccessHandlerCallback handler,
                                            void *(*target)(void *, const char *, struct MHD_Connection *),
                                            MHD_RequestCompletedCallback completed,
                                            MHD_NotifyConnectionCallback connection, void *context) {
    return MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, context,
                            MHD_OPTION_LISTEN_SOCKET, (MHD_socket) listen_socket,
                            MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                            MHD_OPTION_STRICT_FOR_CLIENT, 1,
                            MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                            MHD_OPTION_URI_LOG_CALLBACK, target, context,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                            MHD_OPTION_NOTIFY_CONNECTION, connection, context,
                            MHD_OPTION_END);
}

// The descriptor to wait on between two calls of MHD_run().
static inline int cmhd_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

static inline int cmhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : (int) info->connect_fd;
}

// What a connection keeps from its opening to its closing.
static inline void *cmhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

// epoll, which Swift's Glibc module leaves out, with a number for each descriptor.

struct cmhd_event {
    uint64_t tag;
    uint32_t events;
};

static const uint32_t cmhd_readable = EPOLLIN;
// The other side has closed its direction, or both are closed; told once.
static const uint32_t cmhd_hangup = EPOLLRDHUP | EPOLLHUP | EPOLLERR | EPOLLET;
// Of those, what means that both are closed.
static const uint32_t cmhd_broken = EPOLLHUP | EPOLLERR;

static inline int cmhd_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

static inline int cmhd_event_create(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline int cmhd_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data = {.u64 = tag}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static inline int cmhd_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

// Waits for up to 64 events; `timeout` in milliseconds, negative for no end. An interrupted wait has no events.
static inline int cmhd_epoll_wait(int epoll, struct cmhd_event *events, int timeout) {
    struct epoll_event found[64];
    int count = epoll_wait(epoll, found, 64, timeout);
    if (count < 0) return errno == EINTR ? 0 : -1;
    for (int i = 0; i < count; i++) {
        events[i].tag = found[i].data.u64;
        events[i].events = found[i].events;
    }
    return count;
}

// Names the calling thread in what debuggers and top show.
static inline void cmhd_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}
