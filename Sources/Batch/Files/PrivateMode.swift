import Glibc

/// Takes from others what they may do with files that hold accounts.
enum PrivateMode {
  private static let others: mode_t = 0o077

  /// Makes an open file its owner's alone; false when others can still reach it.
  ///
  /// What is no plain file, such as a pipe or a terminal, is left as it is.
  static func set(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard status.st_mode & others != 0 else { return true }
    _ = fchmod(descriptor, status.st_mode & 0o700)
    // Some file systems say yes and keep no modes.
    return fstat(descriptor, &status) == 0 && status.st_mode & others == 0
  }

  /// The same for a file by its path, which is not opened: to close it again would give up its locks
  /// (fcntl_locking(2)).
  static func set(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard status.st_mode & others != 0 else { return true }
    _ = chmod(path, status.st_mode & 0o700)
    return stat(path, &status) == 0 && status.st_mode & others == 0
  }
}
