// libuv as Swift sees it: the header, the casts between handle types that C does implicitly in its object model, and the
// socket calls whose macros or variadic forms the importer cannot read.
#ifndef ANYPUSH_CUV_SHIM_H
#define ANYPUSH_CUV_SHIM_H

#include <errno.h>
#include <linux/sockios.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <uv.h>

static inline uv_handle_t *cuv_async_handle(uv_async_t *async) { return (uv_handle_t *)async; }
static inline uv_handle_t *cuv_timer_handle(uv_timer_t *timer) { return (uv_handle_t *)timer; }
static inline uv_handle_t *cuv_prepare_handle(uv_prepare_t *prepare) { return (uv_handle_t *)prepare; }
static inline uv_handle_t *cuv_check_handle(uv_check_t *check) { return (uv_handle_t *)check; }
static inline uv_handle_t *cuv_poll_handle(uv_poll_t *poll) { return (uv_handle_t *)poll; }
static inline uv_handle_t *cuv_tcp_handle(uv_tcp_t *tcp) { return (uv_handle_t *)tcp; }
static inline uv_stream_t *cuv_tcp_stream(uv_tcp_t *tcp) { return (uv_stream_t *)tcp; }
static inline uv_handle_t *cuv_stream_handle(uv_stream_t *stream) { return (uv_handle_t *)stream; }
static inline uv_req_t *cuv_getaddrinfo_request(uv_getaddrinfo_t *request) { return (uv_req_t *)request; }

// A write to a socket whose peer has gone must be an error code, not the end of the process. A handler that the host has
// set is left alone.
static inline void cuv_ignore_sigpipe(void) {
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
        signal(SIGPIPE, SIG_IGN);
    }
}

// The descriptor of a socket; -1 when it has none.
static inline int cuv_descriptor(uv_tcp_t *tcp) {
    uv_os_fd_t descriptor;
    return uv_fileno((uv_handle_t *)tcp, &descriptor) == 0 ? descriptor : -1;
}

// Bytes that the kernel has of a socket's output and that the other side has not acknowledged; -1 when it does not say.
static inline int cuv_unacknowledged(uv_tcp_t *tcp) {
    int count = 0;
    return ioctl(cuv_descriptor(tcp), SIOCOUTQ, &count) == 0 ? count : -1;
}

#endif
