// Datagrams in and out of a connection, its streams, and its end.
#include "internal.h"

#include <string.h>

#define MAX_CHUNKS 16

void cquic_path_to(ngtcp2_path *to, const cquic_path *from) {
    to->local.addr = (ngtcp2_sockaddr *)&from->local;
    to->local.addrlen = cquic_address_length(&from->local);
    to->remote.addr = (ngtcp2_sockaddr *)&from->remote;
    to->remote.addrlen = cquic_address_length(&from->remote);
    to->user_data = NULL;
}

void cquic_path_from(cquic_path *to, const ngtcp2_path *from) {
    if (from->local.addrlen <= sizeof(to->local)) {
        memcpy(&to->local, from->local.addr, from->local.addrlen);
    }
    if (from->remote.addrlen <= sizeof(to->remote)) {
        memcpy(&to->remote, from->remote.addr, from->remote.addrlen);
    }
}

cquic_status cquic_status_of(cquic_connection *connection, int result) {
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
    cquic_path_to(&library_path, path);
    return cquic_status_of(
        connection, ngtcp2_conn_read_pkt(connection->connection, &library_path, &info, datagram, count, now));
}

uint64_t cquic_next_deadline(cquic_connection *connection) {
    return ngtcp2_conn_get_expiry(connection->connection);
}

cquic_status cquic_expire(cquic_connection *connection, uint64_t now) {
    return cquic_status_of(connection, ngtcp2_conn_handle_expiry(connection->connection, now));
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
        cquic_path_from(path, &storage.path);
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
        (void)cquic_status_of(connection, (int)size);
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
    cquic_path_from(path, &storage.path);
    return (size_t)size;
}
