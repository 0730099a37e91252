// The `any` server inside another program: one server for each process, started and stopped any number of times.
//
//   if (AnyServerStart("/var/lib/my-app/any", "127.0.0.1:0", "") != ANY_SERVER_OK) {
//       char *why = AnyServerLastError();
//       fprintf(stderr, "%s\n", why);
//       AnyServerFree(why);
//   }
//
// Link with libanyserver.so. Every function may be called from any thread; those that start and stop block it for as
// long as they take. Texts are UTF-8, or are refused, and end with a zero byte; NULL stands for the empty
// text. No configuration file
// and no environment variable is read. What the server has to say goes to standard error, a line at a time.

#ifndef ANYSERVER_H
#define ANYSERVER_H

#ifdef __cplusplus
extern "C" {
#endif

// What the functions that start a server give back.
enum {
    // It answers requests.
    ANY_SERVER_OK = 0,
    // A server runs already, in this process or on the same account's directory.
    ANY_SERVER_ALREADY_RUNNING = -1,
    // The data directory can not be used.
    ANY_SERVER_BAD_DATA_DIRECTORY = -2,
    // Something else is in the way; AnyServerLastError says what.
    ANY_SERVER_BOOT_FAILED = -3
};

// Starts a server for the account whose wallet is in the data directory.
//
//   data_directory      where the accounts are
//   listen_address      a loopback address and port; empty for "127.0.0.1:0", where the system picks the port
//   node_configuration  the network's nodes in YAML; empty for the production network, whose push node is used then
int AnyServerStart(const char *data_directory, const char *listen_address, const char *node_configuration);

// The same with a push node of one's own.
//
//   push_peer_id    the node's peer id, 12D3KooW…
//   push_addresses  where it listens, separated by commas
int AnyServerStartWithPush(
    const char *data_directory, const char *listen_address, const char *node_configuration, const char *push_peer_id,
    const char *push_addresses);

// Starts a server that has no account yet: the host brings one with POST /v1/auth, and no key is ever on the disk. The
// arguments are those of AnyServerStartWithPush, and
//
//   control_token  what the host proves itself with in X-Any-Control-Token, 16 to 256 visible ASCII characters; empty
//                  for a fresh one, which AnyServerControlToken gives
int AnyServerStartManaged(
    const char *data_directory, const char *listen_address, const char *node_configuration, const char *push_peer_id,
    const char *push_addresses, const char *control_token);

// Stops the server, giving requests and notifications under way a few seconds. Notifications that are not sent by then
// wait on the disk for the next start, for ten minutes. Returns when nothing of it is left, at once when none runs.
void AnyServerStop(void);

// Stops the server without waiting for what is under way. What was acknowledged is on the disk in any case.
void AnyServerStopNow(void);

// Where the server listens, such as "127.0.0.1:40123"; NULL when none runs. To be given to AnyServerFree.
char *AnyServerAddress(void);

// The control token of a managed server; NULL when none runs. To be given to AnyServerFree.
char *AnyServerControlToken(void);

// Why the last start failed, a line for a log; NULL when it did not fail. To be given to AnyServerFree.
char *AnyServerLastError(void);

// The version of the server, such as "0.1.0". To be given to AnyServerFree.
char *AnyServerVersion(void);

// Zeroes and frees a text that one of these functions gave. NULL is fine.
void AnyServerFree(char *text);

#ifdef __cplusplus
}
#endif

#endif
