import Client
import System
import Glibc
import IdentityToolkit

extension SessionFile {
  /// The maximum size; sessions are much smaller.
  private static let limit = 1 << 20

  func open() throws(AuthError) -> Int32? {
    // Do not follow a link, and do not wait for a writer if it is a pipe.
    let file = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if file >= 0 { return file }
    switch errno {
    case ENOENT: return nil
    case ELOOP:
      throw failure(
        "is a symbolic link, which somebody else may have laid",
        hint: "give the path of the file itself")
    case let code: throw failure(code, "opened")
    }
  }

  /// Throws if it is not a plain file; `mustBePrivate` also refuses one that other users own or can access.
  func check(_ file: Int32, mustBePrivate: Bool) throws(AuthError) {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure(errno, "examined") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw failure("is not a plain file", hint: "give the path of a file")
    }
    guard mustBePrivate else { return }
    guard status.st_uid == geteuid() else {
      throw failure(
        "belongs to another user of this machine", hint: "sign in and save a session of your own")
    }
    let mode = status.st_mode & 0o777
    guard mode & 0o077 == 0 else {
      throw failure(
        "is open to others (mode \(String(mode, radix: 8)))",
        hint: "run chmod 600 on it if only you could reach it; otherwise end the session and sign "
          + "in again")
    }
  }

  func read(_ file: Int32) throws(AuthError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = pread(file, &block, block.count, off_t(bytes.count))
      if count == 0 { return bytes }
      guard count > 0 || errno == EINTR else { throw failure(errno, "read") }
      bytes += block.prefix(max(count, 0))
      guard bytes.count <= Self.limit else {
        throw failure("is too large for a session", hint: "give the path of a saved session")
      }
    }
  }

  func replace(with bytes: [UInt8]) throws(AuthError) {
    do throws(AtomicFile.Failure) { try AtomicFile.write(bytes, to: path) } catch {
      throw failure(error.code, "written")
    }
  }

  // MARK: Failures

  func failure(_ words: String, hint: String) -> AuthError {
    AuthError(.keychainError, "the session file \(path) \(words)", hint: hint)
  }

  func failure(_ code: Int32, _ action: String) -> AuthError {
    failure(
      "cannot be \(action): \(String(cString: strerror(code)))", hint: ErrorCode.keychainError.hint)
  }
}
