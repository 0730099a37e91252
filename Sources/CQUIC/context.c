// Certificates, TLS sessions and secrets.
#include "internal.h"

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <stdlib.h>
#include <string.h>

// TLS 1.3 only, the groups and ciphers that QUIC version 1 and the network's other implementations share, and none of
// the compatibility records that QUIC forbids.
static const char priorities[] =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:-GROUP-ALL:+GROUP-X25519:"
    "+GROUP-SECP256R1:+GROUP-SECP384R1:%DISABLE_TLS13_COMPAT_MODE";

// An honest handshake message of this network is well below this.
#define MAX_HANDSHAKE_MESSAGE (16 * 1024)
// Certificates are told apart from their count; more than this are not even looked at.
#define MAX_CERTIFICATES 8

static int verify(gnutls_session_t session) {
    unsigned int count = 0;
    const gnutls_datum_t *chain = gnutls_certificate_get_peers(session, &count);
    const uint8_t *certificates[MAX_CERTIFICATES];
    size_t counts[MAX_CERTIFICATES];
    if (chain == NULL || count == 0 || count > MAX_CERTIFICATES) {
        return -1;
    }
    for (unsigned int i = 0; i < count; i++) {
        certificates[i] = chain[i].data;
        counts[i] = chain[i].size;
    }
    return cquic_judge(session, certificates, counts, count) == 0 ? 0 : -1;
}

// Presents the certificates as they are: the library's plainer calls sort a chain and leave out what does not belong to it.
static int use_chain(
    gnutls_certificate_credentials_t credentials, const uint8_t *certificates, const size_t *counts, size_t count,
    const gnutls_datum_t *key_datum) {
    gnutls_pcert_st chain[MAX_CERTIFICATES];
    gnutls_privkey_t key = NULL;
    unsigned int made = 0;
    if (count == 0) {
        return 0;
    }
    int status = count > MAX_CERTIFICATES ? -1 : gnutls_privkey_init(&key);
    if (status == 0) {
        status = gnutls_privkey_import_x509_raw(key, key_datum, GNUTLS_X509_FMT_DER, NULL, 0);
    }
    for (; status == 0 && made < count; made++) {
        gnutls_datum_t datum = {(unsigned char *)certificates, (unsigned int)counts[made]};
        status = gnutls_pcert_import_x509_raw(&chain[made], &datum, GNUTLS_X509_FMT_DER, 0);
        if (status != 0) {
            break;
        }
        certificates += counts[made];
    }
    // On success key and certificates belong to the credentials.
    if (status == 0 && gnutls_certificate_set_key(credentials, NULL, 0, chain, (int)count, key) >= 0) {
        return 0;
    }
    while (made > 0) {
        gnutls_pcert_deinit(&chain[--made]);
    }
    if (key != NULL) {
        gnutls_privkey_deinit(key);
    }
    return -1;
}

cquic_context *cquic_context_new(
    const uint8_t *certificates, const size_t *counts, size_t count, const uint8_t *key, size_t key_count,
    const uint8_t *reset_secret, size_t reset_secret_count) {
    if (reset_secret_count == 0 || reset_secret_count > CQUIC_RESET_SECRET_MAX_BYTES) {
        return NULL;
    }
    cquic_context *context = calloc(1, sizeof(*context));
    if (context == NULL) {
        return NULL;
    }
    gnutls_datum_t key_datum = {(unsigned char *)key, (unsigned int)key_count};
    memcpy(context->reset_secret, reset_secret, reset_secret_count);
    context->reset_secret_count = reset_secret_count;
    if (gnutls_certificate_allocate_credentials(&context->credentials) != 0) {
        context->credentials = NULL;
    }
    if (context->credentials == NULL
        || gnutls_rnd(GNUTLS_RND_KEY, context->retry_secret, sizeof(context->retry_secret)) != 0
        || use_chain(context->credentials, certificates, counts, count, &key_datum) != 0
        || gnutls_priority_init(&context->priority, priorities, NULL) != 0) {
        cquic_context_free(context);
        return NULL;
    }
    gnutls_certificate_set_verify_function(context->credentials, verify);
    return context;
}

void cquic_context_free(cquic_context *context) {
    if (context == NULL) {
        return;
    }
    if (context->priority != NULL) {
        gnutls_priority_deinit(context->priority);
    }
    if (context->credentials != NULL) {
        gnutls_certificate_free_credentials(context->credentials);
    }
    gnutls_memset(context->retry_secret, 0, sizeof(context->retry_secret));
    gnutls_memset(context->reset_secret, 0, sizeof(context->reset_secret));
    free(context);
}

gnutls_session_t cquic_make_session(const cquic_context *context, int is_server) {
    gnutls_session_t session = NULL;
    gnutls_datum_t protocol = {(unsigned char *)"anysync", 7};
    unsigned int flags = is_server ? GNUTLS_SERVER | GNUTLS_NO_TICKETS | GNUTLS_NO_AUTO_SEND_TICKET
                                   : GNUTLS_CLIENT | GNUTLS_NO_TICKETS | GNUTLS_FORCE_CLIENT_CERT;
    if (gnutls_init(&session, flags) != 0) {
        return NULL;
    }
    if (gnutls_priority_set(session, context->priority) != 0
        || gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, context->credentials) != 0
        || gnutls_alpn_set_protocols(session, &protocol, 1, GNUTLS_ALPN_MANDATORY) != 0) {
        gnutls_deinit(session);
        return NULL;
    }
    gnutls_handshake_set_max_packet_length(session, MAX_HANDSHAKE_MESSAGE);
    if (is_server) {
        gnutls_certificate_server_set_request(session, GNUTLS_CERT_REQUIRE);
    }
    return session;
}

int cquic_random_id(ngtcp2_cid *id, size_t count) {
    id->datalen = count;
    return gnutls_rnd(GNUTLS_RND_RANDOM, id->data, count);
}

int cquic_reset_token(const cquic_context *context, const ngtcp2_cid *id, uint8_t *token) {
    return ngtcp2_crypto_generate_stateless_reset_token(
        token, context->reset_secret, context->reset_secret_count, id);
}
