import Glibc

/// Whether `make tsan` runs the tests: it holds the signals back that stop Lua.
let isUnderThreadSanitizer = getenv("LUATH_SANITIZER").map { String(cString: $0) } == "thread"
