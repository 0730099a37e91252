#define _GNU_SOURCE
#include "test_machine.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

int full_disk_open(int has_room) {
    int file = memfd_create("full", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && !has_room) fcntl(file, F_ADD_SEALS, F_SEAL_GROW);
    return file;
}

int hung_disk_hold(int descriptor) {
    // The system tells by a signal that someone waits; by one that does nothing where it is not wanted.
    if (fcntl(descriptor, F_SETSIG, SIGURG) != 0) return -1;
    return fcntl(descriptor, F_SETLEASE, F_WRLCK);
}

int terminal_open(char *path, size_t size) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) return -1;
    return ptsname_r(terminal, path, size) == 0 ? terminal : -1;
}
