import CFuzz
import Glibc

// With `--seeds FOLDER` it writes first inputs. Otherwise libFuzzer reads the arguments and calls back for each
// input; see Tools/fuzz.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--seeds" {
  try InputTarget.writeSeeds(to: CommandLine.arguments[2])
  exit(0)
}
var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let driver = LLVMFuzzerRunDriver
exit(
  driver(&count, &arguments) { bytes, size in
    InputTarget.feed(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
  })
