// Datagrams that belong to no connection yet, or no more.
#include "internal.h"

#include <gnutls/crypto.h>
#include <netinet/in.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <string.h>

// How long a peer may take to come back with its token.
#define RETRY_TOKEN_LIFETIME (10 * NGTCP2_SECONDS)
// A stateless reset has at least this many unpredictable bytes before its token (RFC 9000 §10.3), and is smaller than
// what it answers, so that two sides cannot answer each other for ever.
#define RESET_TOKEN_BYTES NGTCP2_STATELESS_RESET_TOKENLEN
#define RESET_LEAST_RANDOM 5
#define RESET_MOST_RANDOM 20

void cquic_id_from(cquic_id *to, const ngtcp2_cid *from) {
    to->count = (uint8_t)from->datalen;
    memcpy(to->bytes, from->data, from->datalen);
}

void cquic_id_to(ngtcp2_cid *to, const cquic_id *from) {
    to->datalen = from->count <= NGTCP2_MAX_CIDLEN ? from->count : NGTCP2_MAX_CIDLEN;
    memcpy(to->data, from->bytes, to->datalen);
}

socklen_t cquic_address_length(const struct sockaddr_storage *address) {
    return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

cquic_datagram_kind cquic_classify(const uint8_t *datagram, size_t count, cquic_id *destination) {
    ngtcp2_version_cid header;
    // The library asserts that there is a byte.
    if (count == 0) {
        return CQUIC_DATAGRAM_OTHER;
    }
    int result = ngtcp2_pkt_decode_version_cid(&header, datagram, count, CQUIC_ID_BYTES);
    if (result == NGTCP2_ERR_VERSION_NEGOTIATION) {
        return CQUIC_DATAGRAM_OTHER_VERSION;
    }
    if (result != 0 || header.dcidlen > CQUIC_MAX_ID_BYTES) {
        return CQUIC_DATAGRAM_OTHER;
    }
    destination->count = (uint8_t)header.dcidlen;
    memcpy(destination->bytes, header.dcid, header.dcidlen);
    if ((datagram[0] & 0x80) == 0) {
        return CQUIC_DATAGRAM_SHORT;
    }
    if (header.version == 0) {
        return CQUIC_DATAGRAM_OTHER;
    }
    // Versions that the library knows and that are not spoken here.
    return header.version == NGTCP2_PROTO_VER_V1 ? CQUIC_DATAGRAM_LONG
        : count >= CQUIC_MIN_INITIAL_DATAGRAM    ? CQUIC_DATAGRAM_OTHER_VERSION
                                                 : CQUIC_DATAGRAM_OTHER;
}

cquic_accept_result cquic_accept(const uint8_t *datagram, size_t count, cquic_initial *initial) {
    ngtcp2_pkt_hd header;
    int result = ngtcp2_accept(&header, datagram, count);
    if (result != 0 && result != NGTCP2_ERR_RETRY) {
        return CQUIC_ACCEPT_NO;
    }
    // A retry answers an Initial; early data, which nobody may send here, gets nothing.
    if (result == NGTCP2_ERR_RETRY && header.type != NGTCP2_PKT_INITIAL) {
        return CQUIC_ACCEPT_NO;
    }
    if (header.version != NGTCP2_PROTO_VER_V1) {
        return CQUIC_ACCEPT_NO;
    }
    initial->version = header.version;
    cquic_id_from(&initial->destination, &header.dcid);
    cquic_id_from(&initial->source, &header.scid);
    initial->token = header.token.base;
    initial->token_count = header.token.len;
    return result == 0 ? CQUIC_ACCEPT_YES : CQUIC_ACCEPT_AFTER_RETRY;
}

cquic_token_kind cquic_token_kind_of(const cquic_initial *initial) {
    if (initial->token_count == 0) {
        return CQUIC_TOKEN_NONE;
    }
    return initial->token[0] == NGTCP2_CRYPTO_TOKEN_MAGIC_RETRY ? CQUIC_TOKEN_RETRY : CQUIC_TOKEN_OTHER;
}

int cquic_verify_retry_token(
    const cquic_context *context, const cquic_initial *initial, const struct sockaddr_storage *remote, uint64_t now,
    cquic_id *original) {
    ngtcp2_cid destination, first;
    cquic_id_to(&destination, &initial->destination);
    int result = ngtcp2_crypto_verify_retry_token(
        &first, initial->token, initial->token_count, context->retry_secret, sizeof(context->retry_secret),
        initial->version, (const ngtcp2_sockaddr *)remote, cquic_address_length(remote), &destination,
        RETRY_TOKEN_LIFETIME, now);
    if (result != 0) {
        return -1;
    }
    cquic_id_from(original, &first);
    return 0;
}

size_t cquic_write_retry(
    const cquic_context *context, uint8_t *buffer, size_t capacity, const cquic_initial *initial,
    const struct sockaddr_storage *remote, uint64_t now) {
    uint8_t token[NGTCP2_CRYPTO_MAX_RETRY_TOKENLEN];
    ngtcp2_cid destination, source, own;
    cquic_id_to(&destination, &initial->destination);
    cquic_id_to(&source, &initial->source);
    if (cquic_random_id(&own, CQUIC_ID_BYTES) != 0) {
        return 0;
    }
    ngtcp2_ssize token_count = ngtcp2_crypto_generate_retry_token(
        token, context->retry_secret, sizeof(context->retry_secret), initial->version,
        (const ngtcp2_sockaddr *)remote, cquic_address_length(remote), &own, &destination, now);
    if (token_count < 0) {
        return 0;
    }
    ngtcp2_ssize size = ngtcp2_crypto_write_retry(
        buffer, capacity, initial->version, &source, &own, &destination, token, (size_t)token_count);
    return size > 0 ? (size_t)size : 0;
}

size_t cquic_write_invalid_token(uint8_t *buffer, size_t capacity, const cquic_initial *initial) {
    ngtcp2_cid destination, source;
    cquic_id_to(&destination, &initial->destination);
    cquic_id_to(&source, &initial->source);
    ngtcp2_ssize size = ngtcp2_crypto_write_connection_close(
        buffer, capacity, initial->version, &source, &destination, NGTCP2_INVALID_TOKEN, NULL, 0);
    return size > 0 ? (size_t)size : 0;
}

size_t cquic_write_version_negotiation(uint8_t *buffer, size_t capacity, const uint8_t *datagram, size_t count) {
    static const uint32_t versions[] = {NGTCP2_PROTO_VER_V1};
    ngtcp2_version_cid header;
    uint8_t unpredictable;
    int result = ngtcp2_pkt_decode_version_cid(&header, datagram, count, CQUIC_ID_BYTES);
    if ((result != 0 && result != NGTCP2_ERR_VERSION_NEGOTIATION) || header.scid == NULL
        || gnutls_rnd(GNUTLS_RND_NONCE, &unpredictable, 1) != 0) {
        return 0;
    }
    ngtcp2_ssize size = ngtcp2_pkt_write_version_negotiation(
        buffer, capacity, unpredictable, header.scid, header.scidlen, header.dcid, header.dcidlen, versions, 1);
    return size > 0 ? (size_t)size : 0;
}

size_t cquic_write_stateless_reset(
    const cquic_context *context, uint8_t *buffer, size_t capacity, const cquic_id *id, size_t trigger_count) {
    uint8_t token[RESET_TOKEN_BYTES], unpredictable[RESET_MOST_RANDOM];
    ngtcp2_cid own;
    if (trigger_count < RESET_LEAST_RANDOM + RESET_TOKEN_BYTES + 1) {
        return 0;
    }
    size_t random_count = trigger_count - 1 - RESET_TOKEN_BYTES;
    if (random_count > RESET_MOST_RANDOM) {
        random_count = RESET_MOST_RANDOM;
    }
    cquic_id_to(&own, id);
    if (cquic_reset_token(context, &own, token) != 0
        || gnutls_rnd(GNUTLS_RND_NONCE, unpredictable, random_count) != 0) {
        return 0;
    }
    ngtcp2_ssize size = ngtcp2_pkt_write_stateless_reset(buffer, capacity, token, unpredictable, random_count);
    return size > 0 ? (size_t)size : 0;
}
