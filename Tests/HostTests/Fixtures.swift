import Glibc

/// The folder of the Lua specs, whose support files Swift tests require too.
let folderOfSpecs =
  #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/stdlib/spec"

/// Whether `make tsan` runs the tests.
let isUnderThreadSanitizer = getenv("LUATH_SANITIZER").map { String(cString: $0) } == "thread"
