import Glibc

/// Removes other users' permissions from files that hold accounts.
enum PrivateMode {
  private static let others: mode_t = 0o077

  /// Removes other users' access to an open file; false if others can still access it.
  ///
  /// Leaves pipes, terminals and other special files unchanged.
  static func set(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard status.st_mode & others != 0 else { return true }
    _ = fchmod(descriptor, status.st_mode & 0o700)
    // Some file systems report success but do not store modes.
    return fstat(descriptor, &status) == 0 && status.st_mode & others == 0
  }

  /// The same for a file by its path, without opening it, because closing it again would release the process's locks
  /// on it (fcntl_locking(2)).
  static func set(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard status.st_mode & others != 0 else { return true }
    _ = chmod(path, status.st_mode & 0o700)
    return stat(path, &status) == 0 && status.st_mode & others == 0
  }
}
