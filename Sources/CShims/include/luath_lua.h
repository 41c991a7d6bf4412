// Typed wrappers that Swift needs; see the room that uses them.
#ifndef LUATH_LUA_H
#define LUATH_LUA_H
#endif
