// Making and freeing connections.
#include "internal.h"

#include <ngtcp2/ngtcp2_crypto_gnutls.h>
#include <stdlib.h>
#include <string.h>

// What a client's first destination id has: the longest that everybody takes, since it also keys the first packets.
#define FIRST_DESTINATION_BYTES 18
#define CLIENT_ID_BYTES 8
// No peer is told that we take more in one datagram.
#define MAX_RECEIVED_DATAGRAM 2048
#define ACTIVE_IDS 4

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
    connection->memory = cquic_memory_of(connection);
    connection->reference = (ngtcp2_crypto_conn_ref){cquic_connection_of, connection};
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
    cquic_path_to(&library_path, path);
    if (cquic_random_id(&destination, FIRST_DESTINATION_BYTES) != 0
        || cquic_random_id(&source, CLIENT_ID_BYTES) != 0
        || ngtcp2_conn_client_new(
               &connection->connection, &destination, &source, &library_path, NGTCP2_PROTO_VER_V1, &cquic_library_callbacks,
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
    cquic_path_to(&library_path, path);
    cquic_id_to(&destination, &initial->source);
    cquic_id_to(&params.original_dcid, original != NULL ? original : &initial->destination);
    params.initial_max_streams_bidi += 1;
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
            &connection->connection, &destination, &source, &library_path, initial->version, &cquic_library_callbacks,
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
