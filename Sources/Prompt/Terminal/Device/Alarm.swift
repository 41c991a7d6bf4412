internal import Glibc

/// A pipe with which signal handlers and other threads end a wait for input.
final class Alarm: Sendable {
  /// Becomes readable after a call of `ring`.
  let reading: Int32
  let writing: Int32

  /// Creates the pipe; without free descriptors the alarm never rings.
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

  /// Writes a byte to the pipe; the byte is lost when the pipe is full.
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
