import Glibc

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

  /// The user id of the owner.
  public var owner: UInt32 { facts.st_uid }

  /// The permission bits, as for `chmod`.
  public var mode: UInt32 { facts.st_mode & 0o777 }

  /// Whether it is a regular file.
  public var isPlainFile: Bool { facts.st_mode & S_IFMT == S_IFREG }

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
