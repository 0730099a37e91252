// QUIC version 1 as the Swift side sees it. Every call of ngtcp2 and GnuTLS is behind these functions: another version
// of the library, or another library, is a change of this target alone.
//
// A connection belongs to one thread. Callbacks run inside cquic_read, cquic_write and cquic_expire; they must not call
// back into the connection. Times are nanoseconds of one monotonic clock.
#ifndef ANYPUSH_CQUIC_H
#define ANYPUSH_CQUIC_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

// Bytes of every connection id that a listener gives out; short headers are parsed by it.
#define CQUIC_ID_BYTES 16
// The longest connection id of QUIC version 1.
#define CQUIC_MAX_ID_BYTES 20
// The largest datagram that is sent.
#define CQUIC_MAX_DATAGRAM 1452
// What a sent datagram may take at most before a path's size is known; also the least size of a first datagram.
#define CQUIC_MIN_INITIAL_DATAGRAM 1200
// "No time": the connection waits for nothing.
static const uint64_t CQUIC_NEVER = UINT64_MAX;
// The stream id that stands for no stream.
#define CQUIC_NO_STREAM (-1)

// MARK: Values

typedef struct cquic_id {
    uint8_t count;
    uint8_t bytes[CQUIC_MAX_ID_BYTES];
} cquic_id;

// Where a datagram came to and from, or goes from and to.
typedef struct cquic_path {
    struct sockaddr_storage local;
    struct sockaddr_storage remote;
} cquic_path;

// What peers are granted and how long things may take.
typedef struct cquic_settings {
    uint64_t handshake_timeout;
    uint64_t idle_timeout;
    uint64_t initial_rtt;
    uint64_t stream_window;
    uint64_t connection_window;
    // Streams of the peer open at once. A dialer has one more, the first, for its credentials.
    uint64_t incoming_streams;
    // Bytes that the library may hold for one connection before it is refused more.
    size_t memory_limit;
} cquic_settings;

// MARK: Context

// What all connections of an identity share: its certificate, TLS configuration and secrets. Read-only once made.
typedef struct cquic_context cquic_context;

// Makes a context; NULL when a part is refused. The certificates to present, one behind the other, and the first one's
// private key are DER; the secret is what stateless resets are derived from.
cquic_context *cquic_context_new(
    const uint8_t *certificates, const size_t *counts, size_t count, const uint8_t *key, size_t key_count,
    const uint8_t *reset_secret, size_t reset_secret_count);
void cquic_context_free(cquic_context *context);

// MARK: Datagrams of no connection

typedef enum cquic_datagram_kind {
    // Not QUIC, or nothing to answer.
    CQUIC_DATAGRAM_OTHER = 0,
    // A packet with a long header of version 1.
    CQUIC_DATAGRAM_LONG = 1,
    // A packet with a short header, as established connections use.
    CQUIC_DATAGRAM_SHORT = 2,
    // A packet of a version that is not spoken here, large enough to be told so.
    CQUIC_DATAGRAM_OTHER_VERSION = 3,
} cquic_datagram_kind;

// Tells a datagram's kind and the connection id that it is addressed to.
cquic_datagram_kind cquic_classify(const uint8_t *datagram, size_t count, cquic_id *destination);

// The first packet of a connection.
typedef struct cquic_initial {
    uint32_t version;
    cquic_id destination;
    cquic_id source;
    // Points into the datagram.
    const uint8_t *token;
    size_t token_count;
} cquic_initial;

typedef enum cquic_accept_result {
    CQUIC_ACCEPT_NO = 0,
    CQUIC_ACCEPT_YES = 1,
    // Only after the peer has proven its address.
    CQUIC_ACCEPT_AFTER_RETRY = 2,
} cquic_accept_result;

// Whether a datagram may begin a connection.
cquic_accept_result cquic_accept(const uint8_t *datagram, size_t count, cquic_initial *initial);

typedef enum cquic_token_kind {
    CQUIC_TOKEN_NONE = 0,
    CQUIC_TOKEN_RETRY = 1,
    CQUIC_TOKEN_OTHER = 2,
} cquic_token_kind;

cquic_token_kind cquic_token_kind_of(const cquic_initial *initial);

// Checks a retry token; 0 when it is ours, of this address, and not old. `original` gets the first destination id.
int cquic_verify_retry_token(
    const cquic_context *context, const cquic_initial *initial, const struct sockaddr_storage *remote, uint64_t now,
    cquic_id *original);

// Each writes an answer and returns its size, or 0.
size_t cquic_write_retry(
    const cquic_context *context, uint8_t *buffer, size_t capacity, const cquic_initial *initial,
    const struct sockaddr_storage *remote, uint64_t now);
size_t cquic_write_invalid_token(uint8_t *buffer, size_t capacity, const cquic_initial *initial);
size_t cquic_write_version_negotiation(uint8_t *buffer, size_t capacity, const uint8_t *datagram, size_t count);
// The answer is always smaller than `trigger_count`, the size of what it answers.
size_t cquic_write_stateless_reset(
    const cquic_context *context, uint8_t *buffer, size_t capacity, const cquic_id *id, size_t trigger_count);

// MARK: Connections

typedef struct cquic_connection cquic_connection;

typedef struct cquic_callbacks {
    // Judges the peer's certificates; 0 accepts.
    int (*verify)(void *user, const uint8_t *const *certificates, const size_t *counts, size_t count);
    void (*handshake_completed)(void *user);
    void (*stream_opened)(void *user, int64_t stream);
    void (*stream_data)(void *user, int64_t stream, const uint8_t *bytes, size_t count, int is_last);
    void (*stream_acknowledged)(void *user, int64_t stream, uint64_t end);
    void (*stream_writable)(void *user, int64_t stream);
    void (*stream_reset)(void *user, int64_t stream, uint64_t code);
    void (*stream_closed)(void *user, int64_t stream);
    void (*id_added)(void *user, const cquic_id *id);
    void (*id_removed)(void *user, const cquic_id *id);
} cquic_callbacks;

cquic_connection *cquic_client_new(
    const cquic_context *context, const cquic_path *path, const cquic_settings *settings,
    const cquic_callbacks *callbacks, void *user, uint64_t now);
// `original` is the destination id of the packet that was answered with a retry; NULL without one. `own` gets the id
// that the peer will use.
cquic_connection *cquic_server_new(
    const cquic_context *context, const cquic_path *path, const cquic_initial *initial, const cquic_id *original,
    const cquic_settings *settings, const cquic_callbacks *callbacks, void *user, uint64_t now, cquic_id *own);
void cquic_free(cquic_connection *connection);

typedef enum cquic_status {
    CQUIC_OK = 0,
    // The peer has closed; nothing may be sent. See cquic_peer_close_of.
    CQUIC_DRAINING = 1,
    // The peer must prove its address first: send a retry and forget the connection.
    CQUIC_RETRY = 2,
    // Forget the connection without a word.
    CQUIC_DROP = 3,
    // Something failed: send what cquic_write_close makes and forget the connection. See cquic_failure_of.
    CQUIC_FAILED = 4,
    CQUIC_IDLE = 5,
    CQUIC_HANDSHAKE_TIMEOUT = 6,
    CQUIC_OTHER_VERSIONS = 7,
} cquic_status;

cquic_status cquic_read(
    cquic_connection *connection, const cquic_path *path, const uint8_t *datagram, size_t count, uint64_t now);
uint64_t cquic_next_deadline(cquic_connection *connection);
cquic_status cquic_expire(cquic_connection *connection, uint64_t now);

typedef struct cquic_chunk {
    const uint8_t *bytes;
    size_t count;
} cquic_chunk;

typedef enum cquic_write_result {
    // A datagram is in the buffer, `size` bytes of it.
    CQUIC_WROTE = 0,
    // Nothing to send, or nothing may be sent now.
    CQUIC_NOTHING = 1,
    // The datagram has room for more: call again with the same buffer.
    CQUIC_MORE = 2,
    // The peer's window has no room for this stream.
    CQUIC_BLOCKED = 3,
    // The stream takes nothing more.
    CQUIC_STREAM_OVER = 4,
    CQUIC_WRITE_FAILED = 5,
} cquic_write_result;

typedef struct cquic_written {
    cquic_write_result result;
    size_t size;
    // Bytes of the stream that were taken, -1 when its frame, which may be empty, was not.
    ssize_t taken;
} cquic_written;

// Fills the buffer with the next datagram. The chunks must stay where they are until they are acknowledged.
cquic_written cquic_write(
    cquic_connection *connection, cquic_path *path, uint8_t *buffer, size_t capacity, int64_t stream,
    const cquic_chunk *chunks, size_t chunk_count, int is_last, uint64_t now);
// To be called after a run of cquic_write; paces what follows.
void cquic_pace(cquic_connection *connection, uint64_t now);

// Streams. Codes are the application's.
int64_t cquic_open_stream(cquic_connection *connection);
void cquic_reset_stream(cquic_connection *connection, int64_t stream, uint64_t code);
void cquic_stop_reading(cquic_connection *connection, int64_t stream, uint64_t code);
void cquic_stop_writing(cquic_connection *connection, int64_t stream, uint64_t code);
// Gives the peer room for as many bytes as were consumed.
void cquic_consumed(cquic_connection *connection, int64_t stream, size_t count);
// Bytes that the peer takes on a stream now.
uint64_t cquic_stream_room(cquic_connection *connection, int64_t stream);

void cquic_keep_alive(cquic_connection *connection, uint64_t interval);
// The peer's idle timeout; 0 when it has none.
uint64_t cquic_peer_idle_timeout(cquic_connection *connection);
int cquic_is_established(cquic_connection *connection);
int cquic_has_protocol(cquic_connection *connection);
// Frees what only a handshake needs, at a listener.
void cquic_release_tls(cquic_connection *connection);
// Begins with the next keys; 0 when it may be done now.
int cquic_update_keys(cquic_connection *connection, uint64_t now);
uint64_t cquic_probe_timeout(cquic_connection *connection);
size_t cquic_memory_used(const cquic_connection *connection);

// How a connection ended.
typedef struct cquic_close {
    int is_application;
    uint64_t code;
    // What the peer says about it, not to be trusted; points into the connection.
    const uint8_t *reason;
    size_t reason_count;
    int is_stateless_reset;
} cquic_close;

cquic_close cquic_peer_close_of(cquic_connection *connection);
cquic_close cquic_failure_of(cquic_connection *connection);
// Writes the packet that closes; with a failure its code, else the application's. 0 when none can be written.
size_t cquic_write_close(
    cquic_connection *connection, cquic_path *path, uint8_t *buffer, size_t capacity, uint64_t code, uint64_t now);

// MARK: UDP

// Opens a socket that is bound, or connected when `remote` is given. Returns the descriptor, or a negative errno.
int cquic_udp_open(const struct sockaddr *local, const struct sockaddr *remote);
int cquic_udp_name(int descriptor, struct sockaddr_storage *local);
int cquic_udp_close(int descriptor);
// Takes the error that the socket has to report, as a negative errno; 0 when there is none.
int cquic_udp_take_error(int descriptor);
// Sends one datagram; from the path's local address when the socket is bound to several. 0 or a negative errno.
int cquic_udp_send(int descriptor, const uint8_t *bytes, size_t count, const cquic_path *path, int is_connected);

// Room for several datagrams, filled by one call of the system.
typedef struct cquic_batch cquic_batch;

cquic_batch *cquic_batch_new(void);
void cquic_batch_free(cquic_batch *batch);
#define CQUIC_BATCH_COUNT 32
// Takes what waits; the count, or a negative errno.
int cquic_batch_receive(cquic_batch *batch, int descriptor);
// One of what was taken, until the next call; `path.local` is `bound` with the address that it came to. NULL for one
// that is too large or has no sender.
const uint8_t *cquic_batch_datagram(
    cquic_batch *batch, int index, const struct sockaddr_storage *bound, size_t *count, cquic_path *path);

#endif
