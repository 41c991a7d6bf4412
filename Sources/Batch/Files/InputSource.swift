import System
import Glibc

final class InputSource {
  /// The source's name in messages.
  let name: String
  private let descriptor: Int32
  private let isOwned: Bool
  /// The read position, for a file that is read from its start independently of the shared descriptor position.
  private var position: off_t?

  /// Opens a file or a named pipe.
  init(path: String) throws(BatchProblem) {
    guard !path.utf8.contains(0) else {
      throw BatchProblem(.usage, "a path has a zero byte in it", hint: "name an existing file")
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    name = path
    isOwned = true
    guard descriptor >= 0 else {
      let reason = errno
      throw BatchProblem(
        reason == ENOENT || reason == ENOTDIR ? .usage : .unavailable,
        "\(path) cannot be opened: \(SystemError(reason).message)",
        hint: reason == ENOENT || reason == ENOTDIR
          ? "name an existing file" : "let the user who runs luath read it")
    }
  }

  /// Reads an open descriptor without taking ownership.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    isOwned = false
  }

  /// Reads the file of another source from its start, without changing that source's position.
  init(again source: InputSource) throws(BatchProblem) {
    name = source.name
    descriptor = dup(source.descriptor)
    isOwned = true
    position = 0
    guard descriptor >= 0 else {
      throw BatchProblem(
        .unavailable, "\(name) cannot be opened: \(SystemError(errno).message)",
        hint: "close some files, or raise the limit of open files")
    }
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Whether it is a regular file, which can be read twice.
  var isFile: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Reads bytes into the buffer; returns 0 at the end.
  func read(into room: UnsafeMutableRawBufferPointer) throws(BatchProblem) -> Int {
    while true {
      let count =
        if let position {
          pread(descriptor, room.baseAddress, room.count, position)
        } else {
          Glibc.read(descriptor, room.baseAddress, room.count)
        }
      if count >= 0 {
        if let position { self.position = position + off_t(count) }
        return count
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Another process set the pipe to non-blocking.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&waiting, 1, -1)
      case let reason:
        throw BatchProblem(
          reason == EISDIR ? .usage : .unavailable,
          "\(name) cannot be read: \(SystemError(reason).message)",
          hint: reason == EISDIR ? "name a file" : "put this right and try again")
      }
    }
  }
}

final class LineReader {
  /// A line, or the marker of a skipped line.
  enum Line {
    /// The line's bytes with the line feed, which the last line may lack; valid until the next call.
    case text(UnsafeBufferPointer<UInt8>)
    /// The line is longer than the limit, and was skipped.
    case tooLong
  }

  private let window: ByteWindow
  private let limit: Int
  private let skipsLong: Bool
  /// The length of the current line in bytes.
  private var length = 0
  /// The number of the current line, from 1.
  private(set) var number: Int64 = 0

  /// Reads lines of at most `limit` bytes.
  ///
  /// - Parameter skipsLong: Whether longer lines are skipped; otherwise the first one must be the last that is asked for.
  init(_ window: ByteWindow, limit: Int, skipsLong: Bool = true) {
    self.window = window
    self.limit = limit
    self.skipsLong = skipsLong
  }

  /// The next line; nil after the last.
  func next() throws(BatchProblem) -> Line? {
    window.drop(length)
    length = 0
    var seen = 0
    while true {
      let bytes = window.bytes
      if let end = Self.end(of: bytes, from: seen) {
        number += 1
        length = end + 1
        return length > limit ? .tooLong : .text(UnsafeBufferPointer(rebasing: bytes[..<length]))
      }
      guard bytes.count <= limit else { return try skip() }
      seen = bytes.count
      guard try !window.fill() else { continue }
      guard seen > 0 else { return nil }
      number += 1
      length = seen
      return .text(window.bytes)
    }
  }

  private static func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count, let first = bytes.baseAddress,
      let found = memchr(first + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(first)
  }

  /// Skips the rest of a line without buffering it.
  private func skip() throws(BatchProblem) -> Line {
    number += 1
    guard skipsLong else { return .tooLong }
    while true {
      if let end = Self.end(of: window.bytes, from: 0) {
        length = end + 1
        return .tooLong
      }
      window.drop(window.count)
      guard try window.fill() else { return .tooLong }
    }
  }
}
