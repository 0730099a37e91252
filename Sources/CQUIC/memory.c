// The memory that the library takes for a connection: counted, and bounded.
#include "internal.h"

#include <malloc.h>
#include <stdlib.h>

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

ngtcp2_mem cquic_memory_of(cquic_connection *connection) {
    return (ngtcp2_mem){
        connection, memory_allocate, memory_free, memory_allocate_zeroed, memory_reallocate};
}
