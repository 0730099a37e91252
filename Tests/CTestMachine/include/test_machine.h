#pragma once

#include <stddef.h>

// An open file that lies in memory: one that cannot grow, as on a full disk, or one that can; -1 when there is none.
int full_disk_open(int has_room);

// Holds up whoever opens the file of a descriptor, which no other may have open, as a disk that hangs does; until the
// descriptor is closed. 0, or -1 when the system does not do that.
int hung_disk_hold(int descriptor);

// A terminal without anybody in front of it, and the path that its programs open; -1 when there is none.
int terminal_open(char *path, size_t size);
