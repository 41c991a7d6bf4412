import Glibc

/// The folder of Lua files that tests require.
let folderOfFixtures =
  #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Fixtures"

/// Whether `make tsan` runs the tests.
let isUnderThreadSanitizer = getenv("LUATH_SANITIZER").map { String(cString: $0) } == "thread"
