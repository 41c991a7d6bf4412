@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("Sign-in on another device", .timeLimit(.minutes(1)))
struct DeviceFlowTests {
  private static let device: JSONObject = [
    "device_code": "d-s3cret", "user_code": "WDJB-MJHT",
    "verification_uri": "https://issuer.example/device", "expires_in": 600, "interval": 5,
    "verification_uri_complete": "https://issuer.example/device?user_code=WDJB-MJHT",
  ]

  private static func refuse(_ name: String) -> ScriptedProvider.Answer {
    ScriptedProvider.json(
      ["error": .string(name), "error_description": "about d-s3cret"], status: 400)
  }

  private static func tokens() throws -> ScriptedProvider.Answer {
    ScriptedProvider.json([
      "id_token": .string(try ScriptedProvider.idToken()), "access_token": "a",
    ])
  }

  /// Begins and finishes one sign-in with these answers of the token endpoint.
  private func run(
    _ answers: [ScriptedProvider.Answer], limit: Duration? = nil,
    device: JSONObject = Self.device
  ) async throws -> (Result<OIDCTokens, OIDCError>, ScriptedProvider) {
    let provider = try ScriptedProvider()
    provider.answer("/device", json: .object(device))
    provider.answer("/token", answers)
    let client = try await provider.client()
    let flow = try await client.beginDevice()
    do throws(OIDCError) {
      return (.success(try await client.finishDevice(flow, limit: limit)), provider)
    } catch {
      return (.failure(error), provider)
    }
  }

  @Test func `the code is asked for, shown and turned into tokens`() async throws {
    let provider = try ScriptedProvider()
    provider.answer("/device", json: .object(Self.device))
    provider.answer("/token", [Self.refuse("authorization_pending"), try Self.tokens()])
    let client = try await provider.client()
    let flow = try await client.beginDevice(scopes: ["email"])
    #expect(flow.userCode == "WDJB-MJHT")
    #expect(flow.verificationURI.description == "https://issuer.example/device")
    #expect(flow.verificationURIComplete?.query == "user_code=WDJB-MJHT")
    #expect(flow.expiresIn == 600)
    #expect("\(flow)".contains("s3cret") == false)
    let tokens = try await client.finishDevice(flow)
    #expect(tokens.claims?["sub"] == "barbara")
    #expect(
      provider.requests(to: "/device").map(\.form)
        == [FormFields([("scope", "openid email"), ("client_id", "luath-client")])])
    #expect(
      provider.requests(to: "/token").map(\.form)
        == Array(
          repeating: FormFields([
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ("device_code", "d-s3cret"), ("client_id", "luath-client"),
          ]), count: 2))
    #expect(provider.pauses == [.seconds(5), .seconds(5)])
  }

  @Test func `a server that is asked too often is asked less often from then on`() async throws {
    let (result, provider) = try await run([
      Self.refuse("slow_down"), Self.refuse("authorization_pending"), try Self.tokens(),
    ])
    _ = try result.get()
    #expect(provider.pauses == [.seconds(5), .seconds(10), .seconds(10)])
  }

  @Test func `a server that cannot be reached for a while is asked again, later`() async throws {
    let (result, provider) = try await run([
      ScriptedProvider.fail(.timedOut), ScriptedProvider.fail(.connect), try Self.tokens(),
    ])
    _ = try result.get()
    #expect(provider.pauses == [.seconds(5), .seconds(10), .seconds(20)])
    let (failed, other) = try await run([ScriptedProvider.fail(.connect)])
    #expect(throws: OIDCError.self) { try failed.get() }
    #expect(other.requests(to: "/token").count == 4)
  }

  @Test(arguments: [
    ("expired_token", OIDCError.Code.deviceCodeExpired), ("access_denied", .denied),
    ("authorization_declined", .denied), ("bad_verification_code", .refused),
    ("invalid_grant", .refused), ("invalid_client", .clientRefused),
  ])
  func `an end has its own code`(name: String, code: OIDCError.Code) async throws {
    let (result, provider) = try await run([Self.refuse(name)])
    let error = #expect(throws: OIDCError.self) { try result.get() }
    #expect(error?.code == code)
    #expect(error?.providerError == name)
    #expect(error?.description.contains("s3cret") == false)
    #expect(provider.requests(to: "/token").count == 1)
  }

  @Test func `a code that nobody enters expires without the server's help`() async throws {
    var device = Self.device
    device["expires_in"] = 12
    let (result, provider) = try await run([Self.refuse("authorization_pending")], device: device)
    #expect(#expect(throws: OIDCError.self) { try result.get() }?.code == .deviceCodeExpired)
    #expect(provider.pauses == [.seconds(5), .seconds(5), .seconds(2)])
  }

  @Test func `the caller's own limit comes first`() async throws {
    let (result, provider) = try await run(
      [Self.refuse("authorization_pending")], limit: .seconds(6))
    #expect(#expect(throws: OIDCError.self) { try result.get() }?.code == .timedOut)
    #expect(provider.pauses == [.seconds(5), .seconds(1)])
  }

  @Test func `a lifetime may be a string, as some servers write it`() async throws {
    let provider = try ScriptedProvider()
    provider.answer("/device", json: .object(Self.device.with(["expires_in": "900"])))
    let client = try await provider.client()
    #expect(try await client.beginDevice().expiresIn == 900)
  }

  @Test func `an access token that the ID token does not fit is refused`() async throws {
    for (hash, code) in [("P24o46m2NgcPKOhQQmhPmA", OIDCError.Code.wrongHash), (nil, nil)]
      as [(String?, OIDCError.Code?)]
    {
      let own = Base64URL.encode(Array(Digest.sha256(Array("a".utf8)).prefix(16)))
      let token = try ScriptedProvider.idToken(["at_hash": .string(hash ?? own)])
      let answer = ScriptedProvider.json(["id_token": .string(token), "access_token": "a"])
      let (result, _) = try await run([answer])
      let error: OIDCError? = if case .failure(let error) = result { error } else { nil }
      #expect(error?.code == code)
    }
  }

  @Test func `a document that is too large is not asked for again`() async throws {
    let (result, provider) = try await run([ScriptedProvider.fail(.tooLarge)])
    let error = try #require(throws: OIDCError.self) { try result.get() }
    #expect(error.code == .unexpectedAnswer)
    #expect(error.hint.contains("mebibyte"))
    #expect(provider.requests(to: "/token").count == 1)
  }

  @Test func `a cancelled task asks no more`() async throws {
    let task = Task {
      let provider = try ScriptedProvider()
      provider.answer("/device", json: .object(Self.device))
      let client = try await provider.client()
      let flow = try await client.beginDevice()
      withUnsafeCurrentTask { $0?.cancel() }
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.finishDevice(flow)
      }
      #expect(provider.requests(to: "/token").isEmpty)
      return error?.code
    }
    #expect(try await task.value == .cancelled)
  }

  @Test func `an ID token that proves nothing is refused, and not asked for again`() async throws {
    let forged = try ScriptedProvider.idToken(key: Vectors.otherKey)
    let (result, provider) = try await run([ScriptedProvider.json(["id_token": .string(forged)])])
    #expect(#expect(throws: OIDCError.self) { try result.get() }?.code == .unknownKey)
    #expect(provider.requests(to: "/token").count == 1)
    let (bare, _) = try await run([ScriptedProvider.json(["access_token": "a"])])
    #expect(#expect(throws: OIDCError.self) { try bare.get() }?.code == .unexpectedAnswer)
  }

  @Test(
    arguments: [
      ("device_code", nil), ("device_code", ""), ("user_code", nil), ("user_code", "A\u{1B}[2J"),
      ("expires_in", nil), ("expires_in", 0), ("expires_in", "soon"),
    ] as [(String, JSON?)])
  func `an answer without a usable code is refused`(name: String, value: JSON?) async throws {
    var device = Self.device
    device[name] = value
    let error = try await beginning(device)
    #expect(error?.code == .unexpectedAnswer)
  }

  @Test(arguments: ["http://issuer.example/device", "javascript:alert(1)", ""])
  func `a page that cannot be trusted is not shown`(address: String) async throws {
    for name in ["verification_uri", "verification_uri_complete"] {
      var device = Self.device
      device[name] = .string(address)
      #expect(try await beginning(device)?.code == .unusableAddress)
    }
  }

  @Test func `a provider without it is named`() async throws {
    let provider = try ScriptedProvider()
    provider.describe("device_authorization_endpoint", nil)
    let client = try await provider.client()
    let error = await failure { () async throws(OIDCError) in _ = try await client.beginDevice() }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("device_authorization_endpoint") == true)
  }

  private func beginning(_ device: JSONObject) async throws -> OIDCError? {
    let provider = try ScriptedProvider()
    provider.answer("/device", json: .object(device))
    let client = try await provider.client()
    return await failure { () async throws(OIDCError) in _ = try await client.beginDevice() }
  }
}
