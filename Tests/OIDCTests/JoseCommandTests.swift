@testable import System
import Foundation
@testable import OIDC
import Testing

/// José's command-line tool, an implementation of JOSE that shares no code with ours but libcrypto.
struct JoseCommand {
  static let path = "/usr/bin/jose"
  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "jose-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Keeps a text in a file and gives the file's path.
  func file(_ name: String, _ text: String) throws -> String {
    let url = folder.appending(path: name)
    try text.write(to: url, atomically: true, encoding: .utf8)
    return url.path
  }

  /// Runs the tool and gives what it printed; nil when it failed.
  func run(_ arguments: String...) throws -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: Self.path)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}

@Suite(
  "Agreement with the jose command", .timeLimit(.minutes(1)),
  .enabled(if: JoseCommand.isInstalled, "the jose command is not installed"))
struct JoseCommandTests {
  @Test func `jose accepts what we sign and refuses it changed`() throws {
    let jose = try JoseCommand()
    defer { jose.remove() }
    let key = try jose.file("key", JSON.object(Vectors.key.publicJWK).encoded())
    let claims: JSONObject = ["sub": "ada", "name": "Ada é 😀"]
    let token = try Vectors.key.sign(claims)
    let payload = try jose.run(
      "jws", "ver", "-i", jose.file("token", token), "-k", key, "-O", "-")
    #expect(try payload.map { try JSON.parse($0) } == .object(claims))
    let changed = try JWT(decoding: Vectors.otherKey.sign(claims))
    #expect(changed.claims == claims)
    let other = try jose.file("other", Vectors.otherKey.sign(claims))
    #expect(try jose.run("jws", "ver", "-i", other, "-k", key, "-O", "-") == nil)
  }

  @Test(arguments: Algorithm.allCases.map(\.rawValue))
  func `we accept what jose signs`(algorithm: String) throws {
    let jose = try JoseCommand()
    defer { jose.remove() }
    let template: JSON = ["alg": .string(algorithm), "kid": "k1"]
    let key = try #require(try jose.run("jwk", "gen", "-i", template.encoded()))
    let keyFile = try jose.file("key", key)
    let publicKey = try #require(try jose.run("jwk", "pub", "-i", keyFile))
    let keys = try KeySet(json: ["keys": [JSON.parse(publicKey)]])
    #expect(keys.count == 1)
    for number in 0..<8 {
      let claims: JSONObject = ["n": .integer(Int64(number))]
      let text = try #require(
        try jose.run(
          "jws", "sig", "-I", jose.file("claims", JSON.object(claims).encoded()), "-k", keyFile,
          "-s", #"{"protected":{"kid":"k1"}}"#, "-c"))
      let token = try JWT(decoding: text.trimmingCharacters(in: .whitespacesAndNewlines))
      #expect(token.claims == claims)
      let all = Set(Algorithm.allCases)
      try token.verify(keys, algorithms: all)
      #expect(throws: JOSEError.self) {
        try token.verify(keys, algorithms: all.filter { $0.rawValue != algorithm })
      }
      #expect(throws: JOSEError.self) {
        try token.verify(KeySet([try Vectors.key]), algorithms: all)
      }
    }
  }

  @Test(arguments: ["HS256", "RS512", "PS256", "ES384"])
  func `we refuse what jose signs in other ways`(algorithm: String) throws {
    let jose = try JoseCommand()
    defer { jose.remove() }
    let template: JSON = ["alg": .string(algorithm)]
    let key = try #require(try jose.run("jwk", "gen", "-i", template.encoded()))
    let keyFile = try jose.file("key", key)
    let text = try #require(
      try jose.run("jws", "sig", "-I", jose.file("claims", "{}"), "-k", keyFile, "-c"))
    let token = try JWT(decoding: text.trimmingCharacters(in: .whitespacesAndNewlines))
    let error = try #require(throws: JOSEError.self) {
      try token.verify(KeySet(json: ["keys": [JSON.parse(key)]]))
    }
    #expect(error.code == .unsupportedAlgorithm)
  }

  @Test(arguments: ["ES256", "ES384", "PS256", "RS512"])
  func `a foreign signer's hashes are those of its algorithm`(algorithm: String) async throws {
    let jose = try JoseCommand()
    defer { jose.remove() }
    let template: JSON = ["alg": .string(algorithm), "kid": "k1"]
    let key = try #require(try jose.run("jwk", "gen", "-i", template.encoded()))
    let keyFile = try jose.file("key", key)
    let publicKey = try JSON.parse(#require(try jose.run("jwk", "pub", "-i", keyFile)))
    let provider = try ScriptedProvider()
    provider.answer("/keys", json: ["keys": [publicKey]])
    let client = try await provider.client()
    for (claim, isRight) in [("right", true), ("wrong", false)] {
      var claims = ScriptedProvider.claims
      claims["at_hash"] = .string(try Self.half(of: claim, algorithm))
      let text = try #require(
        try jose.run(
          "jws", "sig", "-I", jose.file("claims", JSON.object(claims).encoded()), "-k", keyFile,
          "-s", #"{"protected":{"kid":"k1"}}"#, "-c"))
      let token = Secret(text.trimmingCharacters(in: .whitespacesAndNewlines))
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.verify(token, nonce: .unchecked, accessToken: Secret("right"))
      }
      #expect(error?.code == (isRight ? nil : .wrongHash))
    }
  }

  /// The left half of a hash, by the command of the coreutils.
  private static func half(of text: String, _ algorithm: String) throws -> String {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/sha\(algorithm.dropFirst(2))sum")
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let words = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let hash = try #require(Hex.decode(String(words.prefix { $0 != " " })))
    return Base64URL.encode(Array(hash.prefix(hash.count / 2)))
  }

  @Test func `thumbprints agree`() throws {
    let jose = try JoseCommand()
    defer { jose.remove() }
    for key in [try Vectors.key.publicJWK, Vectors.p256Key, Vectors.rsaKey] {
      let file = try jose.file("key", JSON.object(key).encoded())
      let text = try #require(try jose.run("jwk", "thp", "-i", file, "-a", "S256"))
      let thumbprint = try Thumbprint.sha256(of: key)
      #expect(text.trimmingCharacters(in: .whitespacesAndNewlines) == thumbprint)
    }
  }
}
