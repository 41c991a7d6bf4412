import CFuzz
import Glibc

// libFuzzer reads the arguments and calls back for each input; see Tools/fuzz.
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let driver = LLVMFuzzerRunDriver
exit(
  driver(&count, &arguments) { bytes, size in
    EmulatorTarget.feed(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
  })
