internal import System
internal import CShims
internal import Glibc

/// An open folder; its methods apply to this folder, even if its path leads elsewhere meanwhile.
final class OpenFolder {
  /// The path, for messages.
  let path: String
  private let descriptor: Int32

  convenience init(at path: String) throws(ExportError) {
    try self.init(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path)
  }

  private init(_ descriptor: Int32, _ path: String) throws(ExportError) {
    guard descriptor >= 0 else { throw ExportError(errno: errno, at: path) }
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    close(descriptor)
  }

  /// Locks the folder until this object is released; `exclusively` for writing, otherwise for reading.
  func lock(exclusively: Bool) throws(ExportError) {
    let kind = exclusively ? LOCK_EX : LOCK_SH
    guard flock(descriptor, kind | LOCK_NB) == 0 else { throw ExportError(errno: errno, at: path) }
  }

  /// The names in the folder, sorted by their bytes.
  func names() throws(ExportError) -> [String] {
    // `fdopendir` takes over its descriptor, and a duplicate would share the directory position.
    let own = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0, let list = fdopendir(own) else { throw ExportError(errno: errno, at: path) }
    defer { closedir(list) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(list) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw ExportError(errno: errno, at: path) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// A subfolder; nil when it does not exist, an error when it is a symbolic link.
  func folder(_ name: String) throws(ExportError) -> OpenFolder? {
    let child = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if child < 0, errno == ENOENT { return nil }
    return try OpenFolder(child, "\(path)/\(name)")
  }

  /// Creates a folder that only its owner can use.
  func makeFolder(_ name: String) throws(ExportError) -> OpenFolder {
    guard mkdirat(descriptor, name, 0o700) == 0 else {
      throw ExportError(errno: errno, at: "\(path)/\(name)")
    }
    guard let made = try folder(name) else {
      throw ExportError(errno: ENOENT, at: "\(path)/\(name)")
    }
    return made
  }

  /// The contents of a file; nil when it does not exist.
  func read(_ name: String) throws(ExportError) -> [UInt8]? {
    // If it is a pipe, do not wait for a writer.
    let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if file < 0, errno == ENOENT { return nil }
    let path = "\(path)/\(name)"
    guard file >= 0 else { throw ExportError(errno: errno, at: path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ExportError(errno: errno, at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .init(.malformed, "\(path) is not a plain file", hint: "remove it")
    }
    do throws(SystemError) { return try WholeFile.read(file) } catch {
      throw ExportError(errno: error.code, at: path)
    }
  }

  /// Creates a file that only its owner can read, and waits until it is on the disk.
  func write(_ bytes: [UInt8], to name: String) throws(ExportError) {
    let path = "\(path)/\(name)"
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw ExportError(errno: errno, at: path) }
    defer { close(file) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      guard count >= 0 || errno == EINTR else { throw ExportError(errno: errno, at: path) }
      written += max(count, 0)
    }
    guard fsync(file) == 0 else { throw ExportError(errno: errno, at: path) }
  }

  /// Waits until the folder's entries are on the disk.
  func synchronize() throws(ExportError) {
    guard fsync(descriptor) == 0 else { throw ExportError(errno: errno, at: path) }
  }

  /// Moves a file or a folder into another folder; an existing file of that name is replaced.
  func move(_ name: String, into other: OpenFolder, as newName: String) throws(ExportError) {
    guard renameat(descriptor, name, other.descriptor, newName) == 0 else {
      throw ExportError(errno: errno, at: "\(other.path)/\(newName)")
    }
  }

  /// Exchanges two entries of two folders, so that both names exist at any time.
  ///
  /// If the file system cannot exchange them in one step, the name is missing for a moment.
  func exchange(
    _ name: String, with other: OpenFolder, _ otherName: String, inOneStep: Bool = true
  ) throws(ExportError) {
    if inOneStep {
      if luath_exchange_names(descriptor, name, other.descriptor, otherName) == 0 { return }
      guard errno == EINVAL || errno == ENOSYS else {
        throw ExportError(errno: errno, at: "\(path)/\(name)")
      }
    }
    let aside = "\(otherName)-aside"
    try move(name, into: other, as: aside)
    do {
      try other.move(otherName, into: self, as: name)
    } catch {
      try other.move(aside, into: self, as: name)
      throw error
    }
    try other.move(aside, into: other, as: otherName)
  }

  /// Removes a file, or a folder and its contents; does nothing when it does not exist.
  func remove(_ name: String) throws(ExportError) {
    if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { return }
    guard errno == EISDIR || errno == EPERM, let child = try folder(name) else {
      throw ExportError(errno: errno, at: "\(path)/\(name)")
    }
    for entry in try child.names() { try child.remove(entry) }
    guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 else {
      throw ExportError(errno: errno, at: "\(path)/\(name)")
    }
  }
}
