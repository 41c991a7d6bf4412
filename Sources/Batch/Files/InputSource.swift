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
        "\(path) cannot be opened: \(String(cString: strerror(reason)))",
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
        .unavailable, "\(name) cannot be opened: \(String(cString: strerror(errno)))",
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
          "\(name) cannot be read: \(String(cString: strerror(reason)))",
          hint: reason == EISDIR ? "name a file" : "put this right and try again")
      }
    }
  }
}
