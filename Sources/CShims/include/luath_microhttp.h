// Typed wrappers that Swift needs; see the room that uses them.
#ifndef LUATH_MICROHTTP_H
#define LUATH_MICROHTTP_H
#endif
