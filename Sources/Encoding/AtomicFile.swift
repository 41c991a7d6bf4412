import Glibc

/// A file that appears under its name when it is complete and on the disk, and not before.
///
/// Until then it has no name at all, so that nothing is left behind even by a process that is killed. Where the
/// file system knows no files without a name, it has another name beside the final one. A file that is there
/// already is replaced in one step.
public final class AtomicFile {
  /// Why the system would not write.
  public struct Failure: Error, Equatable {
    /// The `errno`.
    public let code: Int32

    /// Names the `errno`.
    public init(code: Int32) { self.code = code }

    /// The system's message.
    public var message: String { String(cString: strerror(code)) }
  }

  private let path: String
  private let unfinished: String
  private var descriptor: Int32
  /// Whether it has the unfinished name.
  private var isNamed = false
  private var isComplete = false
  private var buffer: [UInt8] = []

  private static let blockSize = 64 << 10
  /// `O_TMPFILE` as <asm-generic/fcntl.h> has it, which Swift does not see.
  package static let unnamed = 0o20000000 | O_DIRECTORY

  /// Opens a file in the folder of the one to be.
  ///
  /// - Parameters:
  ///   - path: The final name; a link of that name is replaced, not followed.
  ///   - mode: Who may read and write it, before the umask; only the owner, unless stated otherwise.
  public init(_ path: String, mode: UInt32 = 0o600) throws(Failure) {
    self.path = path
    // A rename does not cross file systems, and nobody can know the name before.
    unfinished = "\(path).\(UInt64.random(in: .min ... .max)).part"
    descriptor = open(Self.folder(of: path), O_WRONLY | Self.unnamed | O_CLOEXEC, mode)
    if descriptor < 0 || access(Self.name(of: descriptor), F_OK) != 0 {
      if descriptor >= 0 { close(descriptor) }
      // Exclusively, so that nobody's link is followed.
      descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      isNamed = descriptor >= 0
    }
    guard descriptor >= 0 else { throw Failure(code: errno) }
  }

  deinit { abandon() }

  /// Puts a whole file in its place.
  public static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
  ) throws(Failure) {
    let file = try AtomicFile(path, mode: mode)
    try file.write(bytes)
    try file.finish()
  }

  /// Writes bytes behind those before.
  public func write(_ bytes: [UInt8]) throws(Failure) {
    buffer += bytes
    if buffer.count >= Self.blockSize { try flush() }
  }

  /// Makes everything durable, gives the file its name, and makes that durable too.
  ///
  /// When it throws, nothing is left behind, and a file of that name is as it was.
  public func finish() throws(Failure) {
    guard !isComplete else { return }
    try flush()
    guard fsync(descriptor) == 0, publish() else { throw failed() }
    isComplete = true
    close(descriptor)
    descriptor = -1
    synchronizeFolder()
  }

  /// Leaves nothing behind; does nothing to a file that is complete.
  public func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    buffer = []
    if isNamed { unlink(unfinished) }
  }

  /// Hands everything to the system.
  public func flush() throws(Failure) {
    guard descriptor >= 0 else { throw Failure(code: EBADF) }
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      guard count >= 0 || errno == EINTR else { throw failed() }
      written += max(count, 0)
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private func failed() -> Failure {
    let failure = Failure(code: errno)
    abandon()
    return failure
  }

  /// Gives the file its name, also in place of one that is there; false with `errno` when it cannot be.
  private func publish() -> Bool {
    if !isNamed {
      if link(to: path) { return true }
      guard errno == EEXIST, link(to: unfinished) else { return false }
      isNamed = true
    }
    return rename(unfinished, path) == 0
  }

  private func link(to path: String) -> Bool {
    linkat(AT_FDCWD, Self.name(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
  }

  /// Waits until the disk has the new name.
  ///
  /// Where that cannot be asked for, the old file may come back after a loss of power, which is a
  /// whole one too.
  private func synchronizeFolder() {
    let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What stands for an open file that has no name; see open(2) for `O_TMPFILE`.
  private static func name(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }
}
