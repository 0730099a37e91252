// What the files of this target share.
#ifndef ANYPUSH_CQUIC_INTERNAL_H
#define ANYPUSH_CQUIC_INTERNAL_H

#include "CQUIC.h"

#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#define CQUIC_RETRY_SECRET_BYTES 32
#define CQUIC_RESET_SECRET_MAX_BYTES 64

struct cquic_context {
    gnutls_certificate_credentials_t credentials;
    gnutls_priority_t priority;
    uint8_t retry_secret[CQUIC_RETRY_SECRET_BYTES];
    uint8_t reset_secret[CQUIC_RESET_SECRET_MAX_BYTES];
    size_t reset_secret_count;
};

// A TLS session of a context, without what ties it to a connection; NULL when it cannot be had.
gnutls_session_t cquic_make_session(const cquic_context *context, int is_server);

// Reaches the connection that a TLS session belongs to.
int cquic_judge(gnutls_session_t session, const uint8_t *const *certificates, const size_t *counts, size_t count);

// Fills `id` with random bytes; 0 on success.
int cquic_random_id(ngtcp2_cid *id, size_t count);
// Derives the reset token of one of our ids; 0 on success.
int cquic_reset_token(const cquic_context *context, const ngtcp2_cid *id, uint8_t *token);

// A connection with its TLS session and the memory that it was given.
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

// The library's allocator for a connection, which counts and bounds what it takes.
ngtcp2_mem cquic_memory_of(cquic_connection *connection);
// What the library calls.
extern const ngtcp2_callbacks cquic_library_callbacks;
ngtcp2_conn *cquic_connection_of(ngtcp2_crypto_conn_ref *reference);
// Turns a result of the library into a status, and keeps what there is to say about a failure.
cquic_status cquic_status_of(cquic_connection *connection, int result);

void cquic_id_from(cquic_id *to, const ngtcp2_cid *from);
void cquic_id_to(ngtcp2_cid *to, const cquic_id *from);
socklen_t cquic_address_length(const struct sockaddr_storage *address);

void cquic_path_to(ngtcp2_path *to, const cquic_path *from);
void cquic_path_from(cquic_path *to, const ngtcp2_path *from);

#endif
