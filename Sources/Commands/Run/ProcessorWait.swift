import Glibc

/// How long a thread has waited for a processor that others were using.
///
/// A grace period that leaves this out is as long on a busy machine as on a quiet one.
struct ProcessorWait: Sendable {
  private let path: String

  /// Watches the calling thread.
  init() {
    var name = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &name, name.count)
    let thread = String(decoding: name.prefix(max(0, count)).map(UInt8.init), as: UTF8.self)
    path = "/proc/\(thread)/schedstat"
  }

  /// The time so far; none where the kernel does not count it.
  var duration: Duration {
    guard let file = fopen(path, "re") else { return .zero }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = fread(&bytes, 1, bytes.count, file)
    // Nanoseconds on a processor and in wait of one, then the number of turns.
    let fields = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? .nanoseconds(Int64(fields[1]) ?? 0) : .zero
  }
}
