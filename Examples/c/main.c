// Runs the `any` server inside a C program: starts it, asks it how it is, and stops it.
//
//   cc -I Sources/CAnyServer Examples/c/main.c -L .build/debug -lanyserver -Wl,-rpath,$PWD/.build/debug -o example
//   ./example DATA_DIRECTORY

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "anyserver.h"

// A host names its own network, N… as its node configuration has it; this one has no nodes, so nothing leaves the machine.
static const char *const network = "networkId: N5iH7YhfmeEeUEbbw8TiQYtZHkPGz45Am62Tjcii5sJgJA64\nnodes: []\n";

// Prints what the server answers to GET /v1/health. Returns whether it was 200.
static int ask_health(const char *address)
{
    char host[64];
    const char *colon = strrchr(address, ':');
    if (colon == NULL || (size_t)(colon - address) >= sizeof host) return 0;
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = 0;

    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(colon + 1))};
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1) return 0;
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    if (connection < 0) return 0;
    static const char request[] = "GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    char answer[4096];
    size_t length = 0;
    if (connect(connection, (struct sockaddr *)&to, sizeof to) == 0
        && write(connection, request, sizeof request - 1) == (ssize_t)(sizeof request - 1)) {
        ssize_t count;
        while (length < sizeof answer - 1
               && (count = read(connection, answer + length, sizeof answer - 1 - length)) > 0) {
            length += (size_t)count;
        }
    }
    close(connection);
    answer[length] = 0;
    const char *body = strstr(answer, "\r\n\r\n");
    if (body != NULL) printf("health: %s\n", body + 4);
    return strncmp(answer, "HTTP/1.1 200", 12) == 0;
}

static int complain(const char *what, int code)
{
    char *why = AnyServerLastError();
    fprintf(stderr, "%s: %d: %s\n", what, code, why != NULL ? why : "no reason given");
    AnyServerFree(why);
    return 1;
}

int main(int count, char **words)
{
    if (count != 2) {
        fprintf(stderr, "usage: %s DATA_DIRECTORY\n", words[0]);
        return 1;
    }
    char *version = AnyServerVersion();
    printf("version: %s\n", version);
    AnyServerFree(version);

    // As often as one likes.
    for (int round = 1; round <= 3; round++) {
        int code = AnyServerStartManaged(words[1], "127.0.0.1:0", network, "", "", "a-token-of-the-host");
        if (code != ANY_SERVER_OK) return complain("can not start", code);
        char *address = AnyServerAddress();
        printf("listening: %s\n", address);
        int is_healthy = ask_health(address);
        AnyServerFree(address);

        // There is one server for each process.
        code = AnyServerStart(words[1], "", network);
        if (code != ANY_SERVER_ALREADY_RUNNING) return complain("a second server started", code);

        AnyServerStop();
        if (!is_healthy) return complain("not healthy", 0);
    }

    // What is in the way is named.
    int code = AnyServerStart("/dev/null/nowhere", "127.0.0.1:0", network);
    if (code != ANY_SERVER_BAD_DATA_DIRECTORY) return complain("expected a bad data directory", code);
    printf("bad data directory: %d\n", code);
    code = AnyServerStart("/tmp/\xff", "127.0.0.1:0", network);
    if (code != ANY_SERVER_BOOT_FAILED) return complain("expected a text that is not UTF-8 to be refused", code);
    return 0;
}
