// One connection: the library's object, its TLS session, and the memory that both were given.
#include "internal.h"

#include <gnutls/crypto.h>
#include <malloc.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>
#include <stdlib.h>
#include <string.h>

// What a client's first destination id has: the longest that everybody takes, since it also keys the first packets.
#define FIRST_DESTINATION_BYTES 18
#define CLIENT_ID_BYTES 8
// No peer is told that we take more in one datagram.
#define MAX_RECEIVED_DATAGRAM 2048
#define ACTIVE_IDS 4
#define MAX_CHUNKS 16

struct cquic_connection {
    ngtcp2_conn *connection;
    gnutls_session_t session;
    // The TLS session refers to it, so it must stay where it is.
    ngtcp2_crypto_conn_ref reference;
    ngtcp2_mem memory;
    size_t memory_used;
    size_t memory_limit;
    const cquic_context *context;
    cquic_callbacks callbacks;
    void *user;
    int was_reset;
    int has_failed;
    ngtcp2_connection_close_error failure;
    ngtcp2_connection_close_error peer_close;
};

// MARK: Memory

static int may_grow(const cquic_connection *connection, size_t count) {
    return count <= connection->memory_limit && connection->memory_used <= connection->memory_limit - count;
}

static void *counted(cquic_connection *connection, void *pointer) {
    connection->memory_used += malloc_usable_size(pointer);
    return pointer;
}

static void *memory_allocate(size_t count, void *user) {
    cquic_connection *connection = user;
    return may_grow(connection, count) ? counted(connection, malloc(count)) : NULL;
}

static void memory_free(void *pointer, void *user) {
    cquic_connection *connection = user;
    connection->memory_used -= malloc_usable_size(pointer);
    free(pointer);
}

static void *memory_allocate_zeroed(size_t count, size_t size, void *user) {
    cquic_connection *connection = user;
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    return may_grow(connection, count * size) ? counted(connection, calloc(count, size)) : NULL;
}

static void *memory_reallocate(void *pointer, size_t count, void *user) {
    cquic_connection *connection = user;
    size_t before = malloc_usable_size(pointer);
    if (count > before && !may_grow(connection, count - before)) {
        return NULL;
    }
    void *moved = realloc(pointer, count);
    if (moved == NULL) {
        return NULL;
    }
    connection->memory_used -= before;
    return counted(connection, moved);
}

size_t cquic_memory_used(const cquic_connection *connection) {
    return connection->memory_used;
}

// MARK: What the library calls

static ngtcp2_conn *connection_of(ngtcp2_crypto_conn_ref *reference) {
    return ((cquic_connection *)reference->user_data)->connection;
}

int cquic_judge(gnutls_session_t session, const uint8_t *const *certificates, const size_t *counts, size_t count) {
    ngtcp2_crypto_conn_ref *reference = gnutls_session_get_ptr(session);
    if (reference == NULL) {
        return -1;
    }
    cquic_connection *connection = reference->user_data;
    return connection->callbacks.verify(connection->user, certificates, counts, count);
}

static int on_crypto_data(
    ngtcp2_conn *conn, ngtcp2_crypto_level level, uint64_t offset, const uint8_t *data, size_t count, void *user) {
    cquic_connection *connection = user;
    // Nothing of TLS may come once it is freed: no tickets are agreed on, and keys are updated without it.
    if (connection->session == NULL) {
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    return ngtcp2_crypto_recv_crypto_data_cb(conn, level, offset, data, count, user);
}

static int on_handshake_completed(ngtcp2_conn *conn, void *user) {
    cquic_connection *connection = user;
    (void)conn;
    connection->callbacks.handshake_completed(connection->user);
    return 0;
}

static int on_stream_open(ngtcp2_conn *conn, int64_t stream, void *user) {
    cquic_connection *connection = user;
    (void)conn;
    connection->callbacks.stream_opened(connection->user, stream);
    return 0;
}

static int on_stream_data(
    ngtcp2_conn *conn, uint32_t flags, int64_t stream, uint64_t offset, const uint8_t *data, size_t count, void *user,
    void *stream_user) {
    cquic_connection *connection = user;
    (void)conn;
    (void)offset;
    (void)stream_user;
    connection->callbacks.stream_data(
        connection->user, stream, data, count, (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0);
    return 0;
}

static int on_acknowledged(
    ngtcp2_conn *conn, int64_t stream, uint64_t offset, uint64_t count, void *user, void *stream_user) {
    cquic_connection *connection = user;
    (void)conn;
    (void)stream_user;
    connection->callbacks.stream_acknowledged(connection->user, stream, offset + count);
    return 0;
}

static int on_stream_writable(ngtcp2_conn *conn, int64_t stream, uint64_t limit, void *user, void *stream_user) {
    cquic_connection *connection = user;
    (void)conn;
    (void)limit;
    (void)stream_user;
    connection->callbacks.stream_writable(connection->user, stream);
    return 0;
}

static int on_stream_reset(
    ngtcp2_conn *conn, int64_t stream, uint64_t final_size, uint64_t code, void *user, void *stream_user) {
    cquic_connection *connection = user;
    (void)conn;
    (void)final_size;
    (void)stream_user;
    connection->callbacks.stream_reset(connection->user, stream, code);
    return 0;
}

static int on_stream_close(
    ngtcp2_conn *conn, uint32_t flags, int64_t stream, uint64_t code, void *user, void *stream_user) {
    cquic_connection *connection = user;
    (void)flags;
    (void)code;
    (void)stream_user;
    // The library counts streams for ever: the peer gets a new one for each that has ended.
    if (!ngtcp2_conn_is_local_stream(conn, stream)) {
        ngtcp2_conn_extend_max_streams_bidi(conn, 1);
    }
    connection->callbacks.stream_closed(connection->user, stream);
    return 0;
}

static void on_random(uint8_t *bytes, size_t count, const ngtcp2_rand_ctx *context) {
    (void)context;
    // For padding and the like; the library's interface has no way to fail, and zeros do no harm there.
    if (gnutls_rnd(GNUTLS_RND_NONCE, bytes, count) != 0) {
        memset(bytes, 0, count);
    }
}

static int on_new_id(ngtcp2_conn *conn, ngtcp2_cid *id, uint8_t *token, size_t count, void *user) {
    cquic_connection *connection = user;
    cquic_id added;
    (void)conn;
    if (cquic_random_id(id, count) != 0 || cquic_reset_token(connection->context, id, token) != 0) {
        return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    cquic_id_from(&added, id);
    connection->callbacks.id_added(connection->user, &added);
    return 0;
}

static int on_remove_id(ngtcp2_conn *conn, const ngtcp2_cid *id, void *user) {
    cquic_connection *connection = user;
    cquic_id removed;
    (void)conn;
    cquic_id_from(&removed, id);
    connection->callbacks.id_removed(connection->user, &removed);
    return 0;
}

static int on_stateless_reset(ngtcp2_conn *conn, const ngtcp2_pkt_stateless_reset *reset, void *user) {
    (void)conn;
    (void)reset;
    ((cquic_connection *)user)->was_reset = 1;
    return 0;
}

static const ngtcp2_callbacks library_callbacks = {
    .client_initial = ngtcp2_crypto_client_initial_cb,
    .recv_client_initial = ngtcp2_crypto_recv_client_initial_cb,
    .recv_crypto_data = on_crypto_data,
    .handshake_completed = on_handshake_completed,
    .encrypt = ngtcp2_crypto_encrypt_cb,
    .decrypt = ngtcp2_crypto_decrypt_cb,
    .hp_mask = ngtcp2_crypto_hp_mask_cb,
    .recv_stream_data = on_stream_data,
    .acked_stream_data_offset = on_acknowledged,
    .stream_open = on_stream_open,
    .stream_close = on_stream_close,
    .recv_stateless_reset = on_stateless_reset,
    .recv_retry = ngtcp2_crypto_recv_retry_cb,
    .rand = on_random,
    .get_new_connection_id = on_new_id,
    .remove_connection_id = on_remove_id,
    .update_key = ngtcp2_crypto_update_key_cb,
    .stream_reset = on_stream_reset,
    .extend_max_stream_data = on_stream_writable,
    .delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb,
    .delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb,
    .get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb,
    .version_negotiation = ngtcp2_crypto_version_negotiation_cb,
};

// MARK: Making and freeing

static void fill(
    const cquic_settings *from, ngtcp2_settings *settings, ngtcp2_transport_params *params, uint64_t now) {
    ngtcp2_settings_default(settings);
    settings->initial_ts = now;
    settings->initial_rtt = from->initial_rtt;
    settings->handshake_timeout = from->handshake_timeout;
    settings->max_tx_udp_payload_size = CQUIC_MAX_DATAGRAM;
    ngtcp2_transport_params_default(params);
    params->initial_max_streams_bidi = from->incoming_streams;
    params->initial_max_streams_uni = 0;
    params->initial_max_data = from->connection_window;
    params->initial_max_stream_data_bidi_local = from->stream_window;
    params->initial_max_stream_data_bidi_remote = from->stream_window;
    params->max_idle_timeout = from->idle_timeout;
    params->max_udp_payload_size = MAX_RECEIVED_DATAGRAM;
    params->active_connection_id_limit = ACTIVE_IDS;
}

static void fill_path(const cquic_path *from, ngtcp2_path *path) {
    path->local.addr = (ngtcp2_sockaddr *)&from->local;
    path->local.addrlen = cquic_address_length(&from->local);
    path->remote.addr = (ngtcp2_sockaddr *)&from->remote;
    path->remote.addrlen = cquic_address_length(&from->remote);
    path->user_data = NULL;
}

static cquic_connection *make(
    const cquic_context *context, int is_server, const cquic_settings *settings, const cquic_callbacks *callbacks,
    void *user) {
    cquic_connection *connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->context = context;
    connection->callbacks = *callbacks;
    connection->user = user;
    connection->memory_limit = settings->memory_limit;
    connection->memory = (ngtcp2_mem){
        connection, memory_allocate, memory_free, memory_allocate_zeroed, memory_reallocate};
    connection->reference = (ngtcp2_crypto_conn_ref){connection_of, connection};
    ngtcp2_connection_close_error_default(&connection->failure);
    ngtcp2_connection_close_error_default(&connection->peer_close);
    connection->session = cquic_make_session(context, is_server);
    int configured = connection->session == NULL ? -1
        : is_server                              ? ngtcp2_crypto_gnutls_configure_server_session(connection->session)
                                                 : ngtcp2_crypto_gnutls_configure_client_session(connection->session);
    if (configured != 0) {
        cquic_free(connection);
        return NULL;
    }
    gnutls_session_set_ptr(connection->session, &connection->reference);
    return connection;
}

cquic_connection *cquic_client_new(
    const cquic_context *context, const cquic_path *path, const cquic_settings *settings,
    const cquic_callbacks *callbacks, void *user, uint64_t now) {
    ngtcp2_settings library_settings;
    ngtcp2_transport_params params;
    ngtcp2_cid destination, source;
    ngtcp2_path library_path;
    cquic_connection *connection = make(context, 0, settings, callbacks, user);
    if (connection == NULL) {
        return NULL;
    }
    fill(settings, &library_settings, &params, now);
    fill_path(path, &library_path);
    if (cquic_random_id(&destination, FIRST_DESTINATION_BYTES) != 0
        || cquic_random_id(&source, CLIENT_ID_BYTES) != 0
        || ngtcp2_conn_client_new(
               &connection->connection, &destination, &source, &library_path, NGTCP2_PROTO_VER_V1, &library_callbacks,
               &library_settings, &params, &connection->memory, connection)
            != 0) {
        connection->connection = NULL;
        cquic_free(connection);
        return NULL;
    }
    ngtcp2_conn_set_tls_native_handle(connection->connection, connection->session);
    return connection;
}

cquic_connection *cquic_server_new(
    const cquic_context *context, const cquic_path *path, const cquic_initial *initial, const cquic_id *original,
    const cquic_settings *settings, const cquic_callbacks *callbacks, void *user, uint64_t now, cquic_id *own) {
    ngtcp2_settings library_settings;
    ngtcp2_transport_params params;
    ngtcp2_cid destination, source;
    ngtcp2_path library_path;
    cquic_connection *connection = make(context, 1, settings, callbacks, user);
    if (connection == NULL) {
        return NULL;
    }
    fill(settings, &library_settings, &params, now);
    fill_path(path, &library_path);
    cquic_id_to(&destination, &initial->source);
    cquic_id_to(&params.original_dcid, original != NULL ? original : &initial->destination);
    if (original != NULL) {
        cquic_id_to(&params.retry_scid, &initial->destination);
        params.retry_scid_present = 1;
        library_settings.token.base = (uint8_t *)initial->token;
        library_settings.token.len = initial->token_count;
    }
    if (cquic_random_id(&source, CQUIC_ID_BYTES) != 0
        || cquic_reset_token(context, &source, params.stateless_reset_token) != 0) {
        cquic_free(connection);
        return NULL;
    }
    params.stateless_reset_token_present = 1;
    if (ngtcp2_conn_server_new(
            &connection->connection, &destination, &source, &library_path, initial->version, &library_callbacks,
            &library_settings, &params, &connection->memory, connection)
        != 0) {
        connection->connection = NULL;
        cquic_free(connection);
        return NULL;
    }
    ngtcp2_conn_set_tls_native_handle(connection->connection, connection->session);
    cquic_id_from(own, &source);
    return connection;
}

void cquic_release_tls(cquic_connection *connection) {
    if (connection->session == NULL) {
        return;
    }
    if (connection->connection != NULL) {
        ngtcp2_conn_set_tls_native_handle(connection->connection, NULL);
    }
    gnutls_deinit(connection->session);
    connection->session = NULL;
}

void cquic_free(cquic_connection *connection) {
    if (connection == NULL) {
        return;
    }
    if (connection->connection != NULL) {
        ngtcp2_conn_del(connection->connection);
        connection->connection = NULL;
    }
    cquic_release_tls(connection);
    free(connection);
}

// MARK: In and out

static cquic_status status_of(cquic_connection *connection, int result) {
    switch (result) {
    case 0:
        return CQUIC_OK;
    case NGTCP2_ERR_DRAINING:
        ngtcp2_conn_get_connection_close_error(connection->connection, &connection->peer_close);
        return CQUIC_DRAINING;
    case NGTCP2_ERR_RETRY:
        return CQUIC_RETRY;
    case NGTCP2_ERR_DROP_CONN:
        return CQUIC_DROP;
    case NGTCP2_ERR_IDLE_CLOSE:
        return CQUIC_IDLE;
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
        return CQUIC_HANDSHAKE_TIMEOUT;
    case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
        return CQUIC_OTHER_VERSIONS;
    case NGTCP2_ERR_CRYPTO:
        ngtcp2_connection_close_error_set_transport_error_tls_alert(
            &connection->failure, ngtcp2_conn_get_tls_alert(connection->connection), NULL, 0);
        break;
    default:
        ngtcp2_connection_close_error_set_transport_error_liberr(&connection->failure, result, NULL, 0);
    }
    connection->has_failed = 1;
    return CQUIC_FAILED;
}

cquic_status cquic_read(
    cquic_connection *connection, const cquic_path *path, const uint8_t *datagram, size_t count, uint64_t now) {
    ngtcp2_path library_path;
    ngtcp2_pkt_info info = {0};
    fill_path(path, &library_path);
    return status_of(
        connection, ngtcp2_conn_read_pkt(connection->connection, &library_path, &info, datagram, count, now));
}

uint64_t cquic_next_deadline(cquic_connection *connection) {
    return ngtcp2_conn_get_expiry(connection->connection);
}

cquic_status cquic_expire(cquic_connection *connection, uint64_t now) {
    return status_of(connection, ngtcp2_conn_handle_expiry(connection->connection, now));
}

static void copy_path(cquic_path *to, const ngtcp2_path *from) {
    if (from->local.addrlen <= sizeof(to->local)) {
        memcpy(&to->local, from->local.addr, from->local.addrlen);
    }
    if (from->remote.addrlen <= sizeof(to->remote)) {
        memcpy(&to->remote, from->remote.addr, from->remote.addrlen);
    }
}

cquic_written cquic_write(
    cquic_connection *connection, cquic_path *path, uint8_t *buffer, size_t capacity, int64_t stream,
    const cquic_chunk *chunks, size_t chunk_count, int is_last, uint64_t now) {
    ngtcp2_vec vectors[MAX_CHUNKS];
    ngtcp2_path_storage storage;
    ngtcp2_pkt_info info;
    ngtcp2_ssize taken = -1;
    uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_NONE;
    // What does not fit into the table cannot be the end either.
    if (chunk_count > MAX_CHUNKS) {
        chunk_count = MAX_CHUNKS;
        is_last = 0;
    }
    for (size_t i = 0; i < chunk_count; i++) {
        vectors[i] = (ngtcp2_vec){(uint8_t *)chunks[i].bytes, chunks[i].count};
    }
    if (stream != CQUIC_NO_STREAM) {
        flags |= NGTCP2_WRITE_STREAM_FLAG_MORE | (is_last ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0);
    }
    ngtcp2_path_storage_zero(&storage);
    ngtcp2_ssize size = ngtcp2_conn_writev_stream(
        connection->connection, &storage.path, &info, buffer, capacity, &taken, flags, stream, vectors, chunk_count,
        now);
    cquic_written written = {CQUIC_NOTHING, 0, taken};
    if (size > 0) {
        copy_path(path, &storage.path);
        written.result = CQUIC_WROTE;
        written.size = (size_t)size;
        return written;
    }
    switch (size) {
    case 0:
        break;
    case NGTCP2_ERR_WRITE_MORE:
        written.result = CQUIC_MORE;
        break;
    case NGTCP2_ERR_STREAM_DATA_BLOCKED:
        written.result = CQUIC_BLOCKED;
        break;
    case NGTCP2_ERR_STREAM_SHUT_WR:
    case NGTCP2_ERR_STREAM_NOT_FOUND:
        written.result = CQUIC_STREAM_OVER;
        break;
    default:
        (void)status_of(connection, (int)size);
        written.result = CQUIC_WRITE_FAILED;
    }
    return written;
}

void cquic_pace(cquic_connection *connection, uint64_t now) {
    // Before there is a measured round trip the library would pace by a guess, which delays every dial.
    if (ngtcp2_conn_get_handshake_completed(connection->connection)) {
        ngtcp2_conn_update_pkt_tx_time(connection->connection, now);
    }
}

// MARK: Streams

int64_t cquic_open_stream(cquic_connection *connection) {
    int64_t stream = CQUIC_NO_STREAM;
    int result = ngtcp2_conn_open_bidi_stream(connection->connection, &stream, NULL);
    return result == 0 ? stream : CQUIC_NO_STREAM;
}

void cquic_reset_stream(cquic_connection *connection, int64_t stream, uint64_t code) {
    (void)ngtcp2_conn_shutdown_stream(connection->connection, stream, code);
}

void cquic_stop_reading(cquic_connection *connection, int64_t stream, uint64_t code) {
    (void)ngtcp2_conn_shutdown_stream_read(connection->connection, stream, code);
}

void cquic_stop_writing(cquic_connection *connection, int64_t stream, uint64_t code) {
    (void)ngtcp2_conn_shutdown_stream_write(connection->connection, stream, code);
}

void cquic_consumed(cquic_connection *connection, int64_t stream, size_t count) {
    (void)ngtcp2_conn_extend_max_stream_offset(connection->connection, stream, count);
    ngtcp2_conn_extend_max_offset(connection->connection, count);
}

uint64_t cquic_stream_room(cquic_connection *connection, int64_t stream) {
    uint64_t of_stream = ngtcp2_conn_get_max_stream_data_left(connection->connection, stream);
    uint64_t of_all = ngtcp2_conn_get_max_data_left(connection->connection);
    return of_stream < of_all ? of_stream : of_all;
}

// MARK: Facts

void cquic_keep_alive(cquic_connection *connection, uint64_t interval) {
    ngtcp2_conn_set_keep_alive_timeout(connection->connection, interval);
}

uint64_t cquic_peer_idle_timeout(cquic_connection *connection) {
    const ngtcp2_transport_params *params = ngtcp2_conn_get_remote_transport_params(connection->connection);
    return params == NULL ? 0 : params->max_idle_timeout;
}

int cquic_is_established(cquic_connection *connection) {
    return ngtcp2_conn_get_handshake_completed(connection->connection);
}

int cquic_has_protocol(cquic_connection *connection) {
    gnutls_datum_t protocol;
    return connection->session != NULL && gnutls_alpn_get_selected_protocol(connection->session, &protocol) == 0;
}

int cquic_update_keys(cquic_connection *connection, uint64_t now) {
    return ngtcp2_conn_initiate_key_update(connection->connection, now);
}

uint64_t cquic_probe_timeout(cquic_connection *connection) {
    return ngtcp2_conn_get_pto(connection->connection);
}

// MARK: Closing

static cquic_close close_of(const ngtcp2_connection_close_error *error, int was_reset) {
    return (cquic_close){
        error->type == NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_APPLICATION, error->error_code, error->reason,
        error->reasonlen, was_reset};
}

cquic_close cquic_peer_close_of(cquic_connection *connection) {
    return close_of(&connection->peer_close, connection->was_reset);
}

cquic_close cquic_failure_of(cquic_connection *connection) {
    return close_of(&connection->failure, 0);
}

size_t cquic_write_close(
    cquic_connection *connection, cquic_path *path, uint8_t *buffer, size_t capacity, uint64_t code, uint64_t now) {
    ngtcp2_connection_close_error error = connection->failure;
    ngtcp2_path_storage storage;
    ngtcp2_pkt_info info;
    if (!connection->has_failed) {
        // The application has no keys of its own before the handshake is complete.
        if (ngtcp2_conn_get_handshake_completed(connection->connection)) {
            ngtcp2_connection_close_error_set_application_error(&error, code, NULL, 0);
        } else {
            ngtcp2_connection_close_error_set_transport_error(&error, NGTCP2_APPLICATION_ERROR, NULL, 0);
        }
    }
    ngtcp2_path_storage_zero(&storage);
    ngtcp2_ssize size = ngtcp2_conn_write_connection_close(
        connection->connection, &storage.path, &info, buffer, capacity, &error, now);
    if (size <= 0) {
        return 0;
    }
    copy_path(path, &storage.path);
    return (size_t)size;
}
