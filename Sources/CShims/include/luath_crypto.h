// Typed wrappers that Swift needs; see the room that uses them.
#ifndef LUATH_CRYPTO_H
#define LUATH_CRYPTO_H
#endif
