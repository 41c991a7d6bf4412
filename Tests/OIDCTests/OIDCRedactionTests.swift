@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("What errors of an OIDC provider show", .timeLimit(.minutes(1)))
struct OIDCRedactionTests {
  private static let callback = "http://127.0.0.1:8910/callback"
  private static let secret = "p&ss w0rd/s3cret"
  private static let encoded = PercentEncoding.encode(secret)
  private static let basic = Base64.encode(Array("luath-client:\(encoded)".utf8))
  private static let plainBasic = Base64.encode(Array("luath-client:\(secret)".utf8))
  private static let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.c2ln"
  private static let opaque = "a0Zx91kdQ_77-hPqLwmN30vbTTe2"

  /// Texts with something in them that no error may show.
  private static let leaks: [(words: String, secret: String)] = [
    ("bad \(secret)!", secret), ("bad \(encoded)!", encoded),
    ("bad p%26ss+w0rd%2Fs3cret!", "s3cret"), ("got Basic \(basic)", basic),
    ("got \(plainBasic)", plainBasic), ("token \(jwt) is bad", "eyJ"),
    ("token=\(jwt)", "eyJ"), ("ya29.\(opaque) expired", opaque), ("'\(opaque)'", opaque),
    ("x \(opaque)/\(opaque)+Qq==", opaque),
  ]

  private static func refusal(_ name: String, _ words: String) -> ScriptedProvider.Answer {
    ScriptedProvider.json(
      ["error": .string(name), "error_description": .string(words)], status: 400)
  }

  @Test func `a refusal shows no client secret and no token`() async throws {
    for (words, secret) in Self.leaks {
      let provider = try ScriptedProvider()
      provider.answer("/token", [Self.refusal("invalid_client", words)])
      let client = try await provider.client { $0.clientSecret = Secret(Self.secret) }
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.refresh(Secret("r-token"))
      }
      #expect(error?.providerError == "invalid_client")
      #expect(error?.message.contains("[secret]") == true)
      #expect(error?.description.contains(secret) == false)
    }
  }

  @Test func `an error's name is a plain word, or is not shown`() async throws {
    let names = [
      "r-token", "refused-r-token", Self.secret, Self.basic, Self.jwt, Self.opaque, "a b", "é",
      "<b>", "x=y", String(repeating: "a", count: 65),
    ]
    for name in names {
      let provider = try ScriptedProvider()
      provider.answer("/token", [Self.refusal(name, "no")])
      let challenge = #"Bearer error="\#(name)""#
      provider.answer(
        "/userinfo",
        [{ HTTPResponse(status: 401, headers: ["WWW-Authenticate": challenge], url: $0.url) }])
      let client = try await provider.client { $0.clientSecret = Secret(Self.secret) }
      let flow = try client.begin()
      let address = "\(Self.callback)?state=\(flow.state.reveal())&code=r-token&error="
      let errors = [
        await failure { () async throws(OIDCError) in
          _ = try await client.refresh(Secret("r-token"))
        },
        await failure { () async throws(OIDCError) in
          _ = try await client.userinfo(Secret("r-token"), subject: nil)
        },
        await failure { () async throws(OIDCError) in
          _ = try await client.finish(flow, finalURL: address + PercentEncoding.encode(name))
        },
      ]
      for error in errors {
        #expect(error != nil)
        #expect(error?.providerError == nil)
        #expect(error?.description.contains(name) == false)
      }
    }
  }

  @Test func `names and GUIDs that help stay`() async throws {
    let words = "AADSTS50011: app 11111111-aaaa-4bbb-8ccc-222222222222 is not invalid_request-able"
    let provider = try ScriptedProvider()
    provider.answer("/token", [Self.refusal("temporarily_unavailable", words)])
    let client = try await provider.client()
    let error = await failure { () async throws(OIDCError) in
      _ = try await client.refresh(Secret("r-token"))
    }
    #expect(error?.message.contains(words) == true)
    #expect(error?.providerError == "temporarily_unavailable")
  }

  @Test func `an answer's words do not show what its flow keeps`() async throws {
    let client = try await ScriptedProvider().client { $0.clientSecret = Secret(Self.secret) }
    let secrets: [(OIDCFlow) -> Secret?] = [{ $0.nonce }, { $0.rawNonce }, { $0.state }]
    for secret in secrets {
      let flow = try client.begin()
      let hidden = try #require(secret(flow)).reveal()
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.finish(
          flow,
          finalURL:
            "\(Self.callback)?error=server_error&error_description=\(hidden)%20\(Self.encoded)"
            + "&state=\(flow.state.reveal())")
      }
      #expect(error?.message.hasSuffix("([secret] [secret])") == true)
    }
  }

  @Test func `a sign-out's error does not show its ID token`() async throws {
    let client = try await ScriptedProvider().client()
    var options = LogoutOptions()
    options.idToken = Secret("i-s3cret")
    options.redirectURI = Self.callback
    let logout = try client.logout(options)
    for query in ["error=i-s3cret", "error=server_error&error_description=bad+i-s3cret"] {
      let error = #expect(throws: OIDCError.self) {
        try logout.finish(finalURL: "\(Self.callback)?\(query)")
      }
      #expect(error?.code == .providerError)
      #expect(error?.description.contains("s3cret") == false)
    }
  }
}
