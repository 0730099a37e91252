#pragma once

// How often the tests' process was kept from reaching another machine.
unsigned long loopback_only_refusals(void);
