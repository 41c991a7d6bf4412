import Client
import HTTP
import IdentityToolkit
import System
import Glibc

/// A file with one session, which its owner uses from one process at a time.
///
/// It is replaced atomically, so that no process ever reads half of it. The lock is on the file itself, so after
/// waiting for the lock, a process checks whether the file was replaced meanwhile.
final class SessionFile: SessionStore {
  let path: String
  private let keyFingerprint: String
  private let loop: EventLoop
  /// The file's contents when this object last read or wrote it.
  private var known: [UInt8] = []

  /// The interval and number of attempts to lock the file: a minute in all, which is more than a renewal takes.
  private static let pause = Duration.milliseconds(10)
  private static let tries = 6000

  init(_ path: String, keyFingerprint: String, loop: EventLoop) {
    self.path = path
    self.keyFingerprint = keyFingerprint
    self.loop = loop
  }

  /// Saves the user's session in the file and keeps it up to date; replaces a session that is there.
  func save(_ user: User) async throws(AuthError) {
    let file = try await lock(mustBePrivate: false)
    defer { if let file { close(file) } }
    if let file {
      let bytes = try read(file)
      guard bytes.isEmpty || (try? SavedSession(decoding: bytes)) != nil else {
        throw failure(
          "holds something else than a session",
          hint: "choose another path, or delete the file if you do not need it")
      }
    }
    try store(user)
    user.keepSession(in: self)
  }

  /// Signs in to an Auth with the session in the file, and keeps the file up to date.
  func load(into auth: Auth) async throws(AuthError) {
    guard let file = try open() else {
      throw failure("does not exist", hint: "sign in and call auth:save with this path first")
    }
    let saved: SavedSession
    do {
      defer { close(file) }
      try check(file, mustBePrivate: true)
      known = try read(file)
      saved = try decoded(known)
    }
    do {
      try await auth.restore(saved, keyFingerprint: keyFingerprint, store: self)
    } catch {
      throw explained(error, saved)
    }
  }

  func exclusively(
    for user: User, _ change: (SessionTokens?) async throws(AuthError) -> Void
  ) async throws(AuthError) {
    // If the file was deleted or contains another session, do not save this one again.
    guard let file = try await lock(mustBePrivate: true) else { return try await change(nil) }
    defer { close(file) }
    let bytes = try read(file)
    guard let saved = try? SavedSession(decoding: bytes), saved.belongs(to: user) else {
      return try await change(nil)
    }
    try await change(bytes == known ? nil : saved.tokens)
    known = bytes
    if SavedSession(of: user, keyFingerprint: keyFingerprint).encoded != bytes { try store(user) }
  }

  private func store(_ user: User) throws(AuthError) {
    let bytes = SavedSession(of: user, keyFingerprint: keyFingerprint).encoded
    try replace(with: bytes)
    known = bytes
  }

  private func decoded(_ bytes: [UInt8]) throws(AuthError) -> SavedSession {
    do {
      return try SavedSession(decoding: bytes)
    } catch {
      throw failure(
        "cannot be used: \(error.message)",
        hint: "sign in again and save the session in this file or another")
    }
  }

  /// Adds the file to the error about a session that the backend refused.
  private func explained(_ error: AuthError, _ saved: SavedSession) -> AuthError {
    switch error.code {
    case .userTokenExpired, .invalidUserToken, .userNotFound, .userDisabled:
      let owner = saved.email ?? saved.uid
      return AuthError(
        error.code, "the session of \(owner) in \(path) is over: \(error.message)",
        hint: error.code == .userDisabled
          ? error.hint : "sign in again and save the session with auth:save",
        serverName: error.serverName, email: saved.email, details: error.details)
    case .keychainError where !error.message.contains(path):
      return failure("cannot be used: \(error.message)", hint: error.hint)
    default: return error
    }
  }

  // MARK: The lock

  /// Opens the file and locks it; nil when there is none.
  ///
  /// Closing the file releases the lock.
  private func lock(mustBePrivate: Bool) async throws(AuthError) -> Int32? {
    for _ in 0..<Self.tries {
      guard let file = try open() else { return nil }
      var isOurs = false
      defer { if !isOurs { close(file) } }
      try check(file, mustBePrivate: mustBePrivate)
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        isOurs = try isInPlace(file)
        if isOurs { return file }
        continue
      }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw failure(errno, "locked") }
      do {
        try await loop.sleep(for: Self.pause)
      } catch {
        throw failure("was not waited for", hint: "the task was cancelled meanwhile")
      }
    }
    throw failure(
      "is in use by another process for more than a minute",
      hint: "end that process, or give each process its own file")
  }

  /// Whether the path still refers to the open file.
  private func isInPlace(_ file: Int32) throws(AuthError) -> Bool {
    var (opened, named) = (stat(), stat())
    guard fstat(file, &opened) == 0 else { throw failure(errno, "examined") }
    guard lstat(path, &named) == 0 else { return false }
    return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
  }

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
        "is a symbolic link, which another user may have made",
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
    do throws(SystemError) { try AtomicFile.write(bytes, to: path) } catch {
      throw failure(error.code, "written")
    }
  }

  // MARK: Failures

  func failure(_ words: String, hint: String) -> AuthError {
    AuthError(.keychainError, "the session file \(path) \(words)", hint: hint)
  }

  func failure(_ code: Int32, _ action: String) -> AuthError {
    failure(
      "cannot be \(action): \(SystemError(code).message)", hint: ErrorCode.keychainError.hint)
  }
}
