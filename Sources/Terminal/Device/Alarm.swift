internal import Glibc

/// A pipe by which signals and other threads end a wait for input.
final class Alarm: Sendable {
  /// Becomes readable when it rings.
  let reading: Int32
  /// Takes a byte for each ring.
  let writing: Int32

  /// An alarm; one that never rings when the process has no descriptors left.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Rings with a byte, which is lost when nobody has listened for very long.
  func ring(_ byte: UInt8) {
    var byte = byte
    _ = write(writing, &byte, 1)
  }

  /// The byte of the next ring; nil when there is none.
  func next() -> UInt8? {
    var byte: UInt8 = 0
    return read(reading, &byte, 1) == 1 ? byte : nil
  }
}
