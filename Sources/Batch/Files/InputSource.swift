import Glibc

/// Where the bytes of a file or a stream come from.
final class InputSource {
  /// What messages call it.
  let name: String
  private let descriptor: Int32
  private let isOwned: Bool
  /// Where the next bytes are, in a file that is read from the start whatever others did with the descriptor.
  private var position: off_t?

  /// Opens a file; a named pipe is one too.
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

  /// Reads an open descriptor, and leaves it open.
  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    isOwned = false
  }

  /// Reads the file of another source from its start, without disturbing that.
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

  /// Whether it is a file on a disk, which can be read twice.
  var isFile: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Reads at most as much as there is room for; 0 at the end.
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
        // Somebody else made the pipe so that reading it does not wait.
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
