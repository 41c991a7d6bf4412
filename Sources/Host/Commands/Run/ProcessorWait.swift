import Glibc

/// Measures how long a thread has waited for a processor.
///
/// A grace period that does not count this time is as fair on a busy machine as on an idle one.
struct ProcessorWait: Sendable {
  private let path: String

  /// Measures the calling thread.
  init() {
    var name = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &name, name.count)
    let thread = String(decoding: name.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
    path = "/proc/\(thread)/schedstat"
  }

  /// The waiting time so far; zero if the kernel does not measure it.
  var duration: Duration {
    guard let file = fopen(path, "re") else { return .zero }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = fread(&bytes, 1, bytes.count, file)
    // The fields are nanoseconds on a processor, nanoseconds waiting for one, and the number of time slices.
    let fields = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? .nanoseconds(Int64(fields[1]) ?? 0) : .zero
  }
}
