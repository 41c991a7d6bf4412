internal import System
internal import OIDC
internal import CShims
internal import Glibc

/// The folder of a user with the key pairs of emulators, so that not every process has to generate them.
///
/// The keys protect nothing: an emulator has no access control, and no other server accepts its tokens. Nevertheless
/// only the owner can read them, and a folder or file that others can use is ignored. No failure is reported: the
/// process then generates its own keys.
public struct KeyCache: Sendable {
  /// The age after which a key pair is replaced, in seconds: 30 days.
  static let lifetime = 30 * 86_400

  /// The cache folder of all programs of this user, and luath's in it.
  private let parents: [String]
  private let folder: String

  /// The cache in `$XDG_CACHE_HOME/luath/emulator-keys`, by default `~/.cache/luath/emulator-keys`; nil without a home.
  public init?(environment: [String: String]) {
    // The XDG Base Directory Specification requires that relative paths are ignored.
    let named = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    guard let base = named ?? home.map({ "\($0)/.cache" }) else { return nil }
    parents = [base, "\(base)/luath"]
    folder = "\(base)/luath/emulator-keys"
  }

  /// The stored key pair of this name; nil if there is none that may be used.
  func read(_ name: String) -> SigningKey? {
    guard isUsable else { return nil }
    let file = open(path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    let now = time(nil)
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
      facts.st_mode & 0o077 == 0, facts.st_mtim.tv_sec <= now,
      facts.st_mtim.tv_sec > now - Self.lifetime,
      let bytes = try? WholeFile.read(file, atMost: 16 << 10)
    else { return nil }
    return try? SigningKey(pem: Secret(String(decoding: bytes, as: UTF8.self)))
  }

  /// Stores a key pair, if the folder is usable or can be created.
  func write(_ key: SigningKey, _ name: String) {
    makeFolder()
    guard isUsable else { return }
    try? AtomicFile.write(Array(key.privatePEM.reveal().utf8), to: path(name))
  }

  private func path(_ name: String) -> String { "\(folder)/\(name).pem" }

  /// Whether the folder belongs to this user, and nobody else can use it.
  private var isUsable: Bool {
    guard let access = FileAccess(entry: folder) else { return false }
    return access.isFolder && access.owner == geteuid() && !access.isOpenToOthers
  }

  private func makeFolder() {
    // With `sudo` the home may be that of another user, who could not use our folders there.
    guard let base = parents.first,
      let nearest = FileAccess(path: base) ?? FileAccess(path: base.folder),
      nearest.owner == geteuid()
    else { return }
    for path in parents + [folder] { mkdir(path, 0o700) }
  }
}
