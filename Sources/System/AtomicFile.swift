import Glibc

/// A file that appears under its name only when it is complete and on disk.
///
/// Until then it has no name (`O_TMPFILE`), so that even a killed process leaves nothing behind. If
/// the file system does not support that, it has a temporary name next to the final one. An
/// existing file is replaced in one step.
public final class AtomicFile {
  private let path: String
  private let unfinished: String
  private var descriptor: Int32
  /// Whether it has the temporary name.
  private var isNamed = false
  private var isComplete = false
  private var buffer: [UInt8] = []

  private static let blockSize = 64 << 10
  /// `O_TMPFILE` as in <asm-generic/fcntl.h>, which is not imported into Swift.
  package static let unnamed = 0o20000000 | O_DIRECTORY

  /// Opens an unnamed file in the folder of the final one.
  ///
  /// - Parameters:
  ///   - path: The final name; a link of that name is replaced, not followed.
  ///   - mode: The permissions before the umask; by default only the owner's.
  public init(_ path: String, mode: UInt32 = 0o600) throws(SystemError) {
    self.path = path
    // In the same folder, because a rename cannot cross file systems; random, so that it cannot be guessed.
    unfinished = "\(path).\(UInt64.random(in: .min ... .max)).part"
    descriptor = open(path.folder, O_WRONLY | Self.unnamed | O_CLOEXEC, mode)
    if descriptor < 0 || access(Self.name(of: descriptor), F_OK) != 0 {
      if descriptor >= 0 { close(descriptor) }
      // O_EXCL, so that an existing link is not followed.
      descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      isNamed = descriptor >= 0
    }
    guard descriptor >= 0 else { throw SystemError(errno) }
  }

  deinit { abandon() }

  /// Writes a whole file.
  public static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
  ) throws(SystemError) {
    let file = try AtomicFile(path, mode: mode)
    try file.write(bytes)
    try file.finish()
  }

  /// Appends bytes.
  public func write(_ bytes: [UInt8]) throws(SystemError) {
    buffer += bytes
    if buffer.count >= Self.blockSize { try flush() }
  }

  /// Syncs the content, gives the file its name, and syncs the folder.
  ///
  /// When it throws, nothing is left behind, and an existing file is unchanged.
  public func finish() throws(SystemError) {
    guard !isComplete else { return }
    try flush()
    guard fsync(descriptor) == 0, publish() else { throw failed() }
    isComplete = true
    close(descriptor)
    descriptor = -1
    synchronizeFolder()
  }

  /// Removes an incomplete file; has no effect on a complete one.
  public func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    buffer = []
    if isNamed { unlink(unfinished) }
  }

  /// Writes the buffer to the file.
  public func flush() throws(SystemError) {
    guard descriptor >= 0 else { throw SystemError(EBADF) }
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

  private func failed() -> SystemError {
    let failure = SystemError(errno)
    abandon()
    return failure
  }

  /// Gives the file its name, replacing an existing file; returns false with `errno` on failure.
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

  /// Waits until the new name is on disk.
  ///
  /// If that fails, the old file may come back after a power loss, and it is complete, too.
  private func synchronizeFolder() {
    let folder = open(path.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  /// The path of an open file without a name; see `O_TMPFILE` in open(2).
  private static func name(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }
}

/// The owner and permissions of a file or folder.
public struct FileAccess: Sendable {
  /// A permission.
  public enum Right: Sendable {
    case read
    case write
  }

  private let facts: stat

  /// Reads the status of a path, following symbolic links; nil when there is nothing.
  public init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.facts = facts
  }

  /// Reads the status of a path itself, which may be a symbolic link; nil when there is nothing.
  public init?(entry path: String) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else { return nil }
    self.facts = facts
  }

  /// The path with links and dots resolved; nil if it does not exist.
  public static func realPath(of path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }

  /// The user id of the owner.
  public var owner: UInt32 { facts.st_uid }

  /// The permission bits, as for `chmod`.
  public var mode: UInt32 { facts.st_mode & 0o777 }

  /// Whether it is a folder.
  public var isFolder: Bool { facts.st_mode & S_IFMT == S_IFDIR }

  /// Whether it is a regular file.
  public var isFile: Bool { facts.st_mode & S_IFMT == S_IFREG }

  /// Whether it is a symbolic link.
  public var isLink: Bool { facts.st_mode & S_IFMT == S_IFLNK }

  /// Whether the group or other users have any permission.
  public var isOpenToOthers: Bool { mode & 0o077 != 0 }

  /// Whether only owners may rename and delete files in the folder (sticky bit).
  public var isSticky: Bool { facts.st_mode & S_ISVTX != 0 }

  /// Whether any user except the owner and root has a permission.
  ///
  /// A group whose only member is the owner does not count.
  public func othersMay(_ right: Right) -> Bool {
    let (everybody, group): (UInt32, UInt32) = right == .read ? (0o004, 0o040) : (0o002, 0o020)
    return mode & everybody != 0 || mode & group != 0 && !isGroupPrivate
  }

  /// Whether the group is the owner's private group, as many systems create for each user.
  private var isGroupPrivate: Bool {
    if facts.st_gid == 0 { return true }
    var buffer = [CChar](repeating: 0, count: 16_384)
    var user = passwd()
    var foundUser: UnsafeMutablePointer<passwd>?
    guard getpwuid_r(owner, &user, &buffer, buffer.count, &foundUser) == 0, foundUser != nil,
      user.pw_gid == facts.st_gid
    else { return false }
    let name = String(cString: user.pw_name)
    var group = Glibc.group()
    var foundGroup: UnsafeMutablePointer<Glibc.group>?
    guard getgrgid_r(facts.st_gid, &group, &buffer, buffer.count, &foundGroup) == 0,
      foundGroup != nil, String(cString: group.gr_name) == name
    else { return false }
    var member = group.gr_mem
    while let next = member?.pointee {
      guard String(cString: next) == name else { return false }
      member = member?.advanced(by: 1)
    }
    return true
  }
}
