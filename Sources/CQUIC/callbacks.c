// What the library calls while it works on a connection.
#include "internal.h"

#include <gnutls/crypto.h>
#include <string.h>

// The first stream of a dialer (protocol.md §5).
#define CREDENTIALS_STREAM 0

ngtcp2_conn *cquic_connection_of(ngtcp2_crypto_conn_ref *reference) {
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
    // The library counts streams for ever: the peer gets a new one for each that has ended. The credentials' stream had
    // a place of its own, so that the others need not wait until word of its end has arrived.
    if (!ngtcp2_conn_is_local_stream(conn, stream) && stream != CREDENTIALS_STREAM) {
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

const ngtcp2_callbacks cquic_library_callbacks = {
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
