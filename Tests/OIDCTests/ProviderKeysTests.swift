@testable import System
@testable import HTTP
@testable import OIDC
import Synchronization
import Testing

@Suite("A provider's signing keys", .timeLimit(.minutes(1)))
struct ProviderKeysTests {
  /// What verifying ends with.
  private func verdict(
    _ client: OIDCClient, _ token: String, nonce: IDTokenRules.NonceRule = .unchecked
  ) async -> OIDCError.Code? {
    await failure { () async throws(OIDCError) in
      _ = try await client.verify(Secret(token), nonce: nonce)
    }?.code
  }

  private static func keys(_ keys: SigningKey...) -> ScriptedProvider.Answer {
    ScriptedProvider.json(["keys": .array(keys.map { .object($0.publicJWK) })])
  }

  @Test func `keys are fetched once and kept`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    #expect(provider.requests(to: "/keys").isEmpty)
    for _ in 0..<3 { #expect(await verdict(client, try ScriptedProvider.idToken()) == nil) }
    #expect(provider.requests(to: "/keys").count == 1)
  }

  @Test func `a key that is new in the middle is found`() async throws {
    let provider = try ScriptedProvider()
    provider.answer("/keys", [Self.keys(try Vectors.key), Self.keys(try Vectors.otherKey)])
    let client = try await provider.client()
    #expect(await verdict(client, try ScriptedProvider.idToken()) == nil)
    let fresh = try ScriptedProvider.idToken(key: Vectors.otherKey)
    #expect(await verdict(client, fresh) == nil)
    #expect(provider.requests(to: "/keys").count == 2)
    // The old key was taken back.
    #expect(await verdict(client, try ScriptedProvider.idToken()) == .unknownKey)
  }

  @Test func `strangers' tokens do not make us ask without end`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    let strange = try ScriptedProvider.idToken(key: Vectors.otherKey)
    for _ in 0..<20 { #expect(await verdict(client, strange) == .unknownKey) }
    #expect(provider.requests(to: "/keys").count == 5)
    #expect(await verdict(client, try ScriptedProvider.idToken()) == nil)
  }

  /// The key of `jwk` under the name that our own key has.
  private static func renamed(_ jwk: JSONObject) throws -> ScriptedProvider.Answer {
    var jwk = jwk
    jwk["kid"] = .string(try Vectors.key.keyID)
    return ScriptedProvider.json(["keys": [.object(jwk)]])
  }

  @Test func `a key that changed under its old name is found`() async throws {
    let provider = try ScriptedProvider()
    let old = try Self.renamed(Vectors.otherKey.publicJWK)
    provider.answer("/keys", [old, Self.keys(try Vectors.key)])
    let client = try await provider.client()
    let token = try ScriptedProvider.idToken()
    #expect(await verdict(client, token) == .badSignature)
    #expect(await verdict(client, token) == nil)
    #expect(provider.requests(to: "/keys").count == 2)
  }

  @Test func `forged signatures do not make us ask without end`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    let forged = Vectors.token(
      header: ["alg": "RS256", "kid": .string(try Vectors.key.keyID)],
      claims: ScriptedProvider.claims, signature: [UInt8](repeating: 1, count: 256))
    for _ in 0..<20 { #expect(await verdict(client, forged) == .badSignature) }
    #expect(provider.requests(to: "/keys").count == 5)
    #expect(await verdict(client, try ScriptedProvider.idToken()) == nil)
  }

  @Test func `after a minute the keys are fetched again`() async throws {
    let provider = try ScriptedProvider()
    let time = Mutex(ScriptedProvider.now)
    let settings = OIDCClientSettings(
      issuer: ScriptedProvider.issuer, clientID: ScriptedProvider.clientID, leeway: 1_000_000)
    let client = try await OIDCClient.discover(
      settings, over: provider, now: { time.withLock { $0 } })
    let strange = try ScriptedProvider.idToken(key: Vectors.otherKey)
    for _ in 0..<9 { #expect(await verdict(client, strange) == .unknownKey) }
    time.withLock { $0 += 61 }
    #expect(await verdict(client, strange) == .unknownKey)
    #expect(provider.requests(to: "/keys").count == 6)
    // Also when the clock goes back.
    time.withLock { $0 -= 10_000 }
    #expect(await verdict(client, strange) == .unknownKey)
    #expect(provider.requests(to: "/keys").count == 7)
  }

  @Test func `a token that proves nothing is refused without asking`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    #expect(await verdict(client, try ScriptedProvider.idToken()) == nil)
    let claims = ScriptedProvider.claims
    let kid = JSON.string(try Vectors.key.keyID)
    // `none`, though the provider's description lists it.
    for algorithm in ["none", "None", "HS256", "RS1", ""] {
      let token = Vectors.token(
        header: ["alg": .string(algorithm), "kid": kid], claims: claims,
        signature: algorithm.lowercased() == "none" ? [] : [1])
      #expect(await verdict(client, token) == .unsupportedAlgorithm)
    }
    // HS256 with the public key as the secret, the classic.
    let header = Base64URL.encode(
      JSON.object(["alg": "HS256", "kid": kid]).encodedBytes())
    let text = header + "." + Base64URL.encode(JSON.object(claims).encodedBytes())
    let secret = Array(JSON.object(try Vectors.key.publicJWK).encoded().utf8)
    let forged = Digest.hmacSHA256(key: secret, message: Array(text.utf8))
    #expect(
      await verdict(client, text + "." + Base64URL.encode(forged)) == .unsupportedAlgorithm)
    #expect(await verdict(client, "a.b") == .badSignature)
    #expect(provider.requests(to: "/keys").count == 1)
  }

  @Test(arguments: [
    (ScriptedProvider.json([:], status: 500), OIDCError.Code.keysUnavailable),
    (ScriptedProvider.json(["keys": 1]), .keysUnavailable),
    (ScriptedProvider.json(["keys": []]), .unknownKey),
    (ScriptedProvider.fail(.connect), .transport),
    (ScriptedProvider.fail(.tooLarge), .keysUnavailable),
    (ScriptedProvider.fail(.cancelled), .cancelled),
  ])
  func `keys that cannot be had are an error`(
    answer: @escaping ScriptedProvider.Answer, code: OIDCError.Code
  ) async throws {
    let provider = try ScriptedProvider()
    provider.answer("/keys", [answer])
    let client = try await provider.client()
    #expect(await verdict(client, try ScriptedProvider.idToken()) == code)
  }
}
