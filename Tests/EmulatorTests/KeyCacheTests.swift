@testable import System
@testable import OIDC
import Foundation
import Testing

@testable import Emulator

/// The key pairs that processes of one user share.
@Suite(.timeLimit(.minutes(2))) struct KeyCacheTests {
  private static let made = Result { (try SigningKey.generate(), try SigningKey.generate()) }

  private let home: URL
  private let cache: KeyCache
  private var folder: URL { home.appending(path: ".cache/luath/emulator-keys") }
  private var file: URL { folder.appending(path: "tokens.pem") }

  init() throws {
    home = FileManager.default.temporaryDirectory.appending(path: "luath-keys-\(UUID())")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
    cache = try #require(KeyCache(environment: ["HOME": home.path]))
  }

  private func mode(_ url: URL) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: url.path)
    return try #require(facts[.posixPermissions] as? Int)
  }

  private func cleanUp() { try? FileManager.default.removeItem(at: home) }

  @Test func `a process continues with the keys of an earlier one`() async throws {
    defer { cleanUp() }
    var ids: [String] = []
    for _ in 1...2 {
      let keys = SigningKeys(cache: cache)
      let emulator = try Emulator(keys: keys)
      _ = try await emulator.start()
      await emulator.waitForKeys()
      ids.append(try keys.key(for: .idTokens).keyID)
      await emulator.stop()
      #expect(keys.delayCount == 0)
    }
    #expect(ids[0] == ids[1])
    #expect(try mode(file) == 0o600)
    #expect(try mode(folder) == 0o700)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains("tokens.pem"))
  }

  @Test func `a file or folder that others can use is ignored`() throws {
    defer { cleanUp() }
    let (key, other) = try Self.made.get()
    cache.write(key, "tokens")
    #expect(cache.read("tokens")?.keyID == key.keyID)
    for (url, mode, right) in [(file, 0o644, 0o600), (folder, 0o750, 0o700)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      #expect(cache.read("tokens") == nil, "\(url.lastPathComponent)")
      if url == folder { cache.write(other, "tokens") }
      try FileManager.default.setAttributes([.posixPermissions: right], ofItemAtPath: url.path)
      #expect(cache.read("tokens")?.keyID == key.keyID, "\(url.lastPathComponent)")
    }
  }

  @Test func `an old file, a link, and a file without a key are replaced`() throws {
    defer { cleanUp() }
    let (key, other) = try Self.made.get()
    let day = 86_400.0
    for age in [31 * day, -day] {
      cache.write(key, "tokens")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
      #expect(cache.read("tokens") == nil)
    }
    cache.write(other, "tokens")
    #expect(cache.read("tokens")?.keyID == other.keyID)
    let away = home.appending(path: "away.pem")
    try FileManager.default.moveItem(at: file, to: away)
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: away)
    #expect(cache.read("tokens") == nil)
    cache.write(key, "tokens")
    #expect(cache.read("tokens")?.keyID == key.keyID)
    try Data("no key".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(cache.read("tokens") == nil)
  }

  @Test func `without a folder that can be written, a process has its own keys`() async throws {
    defer { cleanUp() }
    let blocked = home.appending(path: "blocked")
    try Data().write(to: blocked)
    let cache = try #require(KeyCache(environment: ["XDG_CACHE_HOME": blocked.path]))
    let keys = SigningKeys(cache: cache)
    let emulator = try Emulator(keys: keys)
    _ = try await emulator.start()
    await emulator.waitForKeys()
    #expect(keys.isMade(.tokens))
    await emulator.stop()
  }

  @Test func `the folder follows the XDG Base Directory Specification`() throws {
    defer { cleanUp() }
    let named = home.appending(path: "cache")
    let cache = try #require(KeyCache(environment: ["XDG_CACHE_HOME": named.path, "HOME": "/"]))
    cache.write(try Self.made.get().0, "tokens")
    #expect(try mode(named.appending(path: "luath/emulator-keys/tokens.pem")) == 0o600)
    #expect(try mode(named) == 0o700)
    #expect(KeyCache(environment: [:]) == nil)
    #expect(KeyCache(environment: ["HOME": "relative"]) == nil)
    #expect(KeyCache(environment: ["XDG_CACHE_HOME": "cache"]) == nil)
  }
}
