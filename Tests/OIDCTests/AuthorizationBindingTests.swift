@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("What binds an answer to its request", .timeLimit(.minutes(1)))
struct AuthorizationBindingTests {
  private typealias Mode = AuthorizationOptions.ResponseMode
  private static let callback = "http://127.0.0.1:8910/callback"

  private static func query(_ flow: OIDCFlow, _ more: String = "code=c0de") -> String {
    "\(more)&state=\(flow.state.reveal())&iss=https://issuer.example"
  }

  private static func tokens(_ flow: OIDCFlow, type: String = "Bearer") throws
    -> ScriptedProvider.Answer
  {
    let idToken = try ScriptedProvider.idToken(["nonce": .string(flow.sentNonce)])
    return ScriptedProvider.json([
      "id_token": .string(idToken), "access_token": "access", "token_type": .string(type),
    ])
  }

  @Test func `another client does not finish a flow, and sends nothing`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    var elsewhere = ScriptedProvider.description.object ?? [:]
    elsewhere["issuer"] = "https://issuer.example/other"
    provider.answer("/other/.well-known/openid-configuration", json: .object(elsewhere))
    let others = [
      try await provider.client { $0.clientID = "another" },
      try await provider.client { $0.issuer = "https://issuer.example/other" },
    ]
    let flow = try client.begin()
    provider.answer("/token", [try Self.tokens(flow)])
    let address = "\(Self.callback)?\(Self.query(flow))"
    for other in others {
      let error = await failure { () async throws(OIDCError) in
        _ = try await other.finish(flow, finalURL: address)
      }
      #expect(error?.code == .unusableRequest)
      #expect(error?.message.contains("another client") == true)
    }
    #expect(provider.requests(to: "/token").isEmpty)
    // The flow is still good for its own client, and for that client made anew.
    _ = try await provider.client().finish(flow, finalURL: address)
  }

  @Test(arguments: AuthorizationOptions.ResponseMode.allCases)
  func `an answer comes by the way that was asked for`(
    asked: AuthorizationOptions.ResponseMode
  ) async throws {
    for used in Mode.allCases {
      let provider = try ScriptedProvider()
      let client = try await provider.client()
      var options = AuthorizationOptions()
      options.responseMode = asked
      let flow = try client.begin(options)
      provider.answer("/token", [try Self.tokens(flow)])
      let error = await failure { () async throws(OIDCError) in
        _ = try await Self.finish(flow, client, Self.query(flow), by: used)
      }
      #expect(error?.code == (asked == used ? nil : .unexpectedAnswer))
      #expect(provider.requests(to: "/token").count == (asked == used ? 1 : 0))
    }
  }

  private static func finish(
    _ flow: OIDCFlow, _ client: OIDCClient, _ fields: String, by mode: Mode
  ) async throws(OIDCError) -> OIDCTokens {
    switch mode {
    case .query: try await client.finish(flow, finalURL: "\(callback)?\(fields)")
    case .fragment: try await client.finish(flow, finalURL: "\(callback)#\(fields)")
    case .formPost: try await client.finish(flow, finalURL: callback, postBody: Secret(fields))
    }
  }

  @Test func `without a wish the type decides the way`() async throws {
    for (type, mode) in [
      (.code, .query), (.idToken, .fragment), (.codeAndIDToken, .fragment),
    ] as [(AuthorizationOptions.ResponseType, Mode)] {
      let client = try await ScriptedProvider().client()
      var options = AuthorizationOptions()
      options.responseType = type
      for used in Mode.allCases {
        let flow = try client.begin(options)
        let error = await failure { () async throws(OIDCError) in
          _ = try await Self.finish(flow, client, Self.query(flow, "id_token=a&code="), by: used)
        }
        // What comes the right way is looked at, and found to be worth nothing.
        let isWay = error?.message.contains("the response came by") == true
        #expect(isWay == (used != mode))
      }
    }
  }

  @Test func `parts of an answer in two places are refused`() async throws {
    let client = try await ScriptedProvider().client()
    let flow = try client.begin()
    let address = "\(Self.callback)?\(Self.query(flow))"
    for (url, body) in [(address + "#id_token=x", nil), (address, "error=x"), (address, "state=x")]
      as [(String, String?)]
    {
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.finish(flow, finalURL: url, postBody: body.map { Secret($0) })
      }
      #expect(error?.code == .unexpectedAnswer)
      #expect(error?.message == "the response came in more than one place")
    }
  }

  @Test func `an error may come by the provider's default way`() async throws {
    let client = try await ScriptedProvider().client()
    var options = AuthorizationOptions()
    options.responseMode = .formPost
    let flow = try client.begin(options)
    let smuggled = await failure { () async throws(OIDCError) in
      _ = try await Self.finish(flow, client, Self.query(flow, "error=x&code=c"), by: .query)
    }
    #expect(smuggled?.code == .unexpectedAnswer)
    let error = await failure { () async throws(OIDCError) in
      _ = try await Self.finish(
        flow, client, Self.query(flow, "error=unsupported_response_mode"), by: .query)
    }
    #expect(error?.providerError == "unsupported_response_mode")
  }

  @Test func `an error without a state does not use the flow up`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    let flow = try client.begin()
    provider.answer("/token", [try Self.tokens(flow)])
    for _ in 1...2 {
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.finish(flow, finalURL: "\(Self.callback)?error=access_denied")
      }
      #expect(error?.code == .denied)
      #expect(error?.message.contains("may not be the response to this sign-in") == true)
    }
    let foreign = await failure { () async throws(OIDCError) in
      _ = try await client.finish(flow, finalURL: "\(Self.callback)?error=x&iss=https://other.x")
    }
    #expect(foreign?.code == .wrongIssuer)
    _ = try await client.finish(flow, finalURL: "\(Self.callback)?\(Self.query(flow))")
    // An error with the state is the answer.
    let other = try client.begin()
    let denied = "\(Self.callback)?error=access_denied&state=\(other.state.reveal())"
    for code in [OIDCError.Code.denied, .answerReplayed] {
      let error = await failure { () async throws(OIDCError) in
        _ = try await client.finish(other, finalURL: denied)
      }
      #expect(error?.code == code)
      #expect(error?.message.contains("may not be") == false)
    }
  }

  @Test(arguments: [("bearer", nil), ("BEARER", nil), ("DPoP", OIDCError.Code.unexpectedAnswer)])
  func `an access token is a Bearer token`(type: String, code: OIDCError.Code?) async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    let flow = try client.begin()
    provider.answer("/token", [try Self.tokens(flow, type: type)])
    let error = await failure { () async throws(OIDCError) in
      _ = try await client.finish(flow, finalURL: "\(Self.callback)?\(Self.query(flow))")
    }
    #expect(error?.code == code)
    #expect(error.map { $0.message.contains("Bearer") } ?? true)
  }

  @Test func `a refused refresh token has its own hint`() async throws {
    let provider = try ScriptedProvider()
    provider.answer("/token", status: 400, json: ["error": "invalid_grant"])
    let client = try await provider.client()
    let error = await failure { () async throws(OIDCError) in
      _ = try await client.refresh(Secret("r-token"))
    }
    #expect(error?.hint == "sign in again: the refresh token is used, expired or withdrawn")
  }

  @Test(arguments: [
    ("https://app.example/back#x", "the redirect address has a fragment"),
    ("https://ada:pw@app.example/back", "the redirect address holds a user name"),
    ("http://app.example/@back", "the redirect address is not an https address"),
  ])
  func `a redirect address that cannot be used says why`(
    address: String, message: String
  ) async throws {
    let client = try await ScriptedProvider().client { $0.redirectURI = address }
    let error = #expect(throws: OIDCError.self) { try client.begin() }
    #expect(error?.code == .unusableAddress)
    #expect(error?.message == message)
  }

  @Test func `Microsoft's personal accounts have an issuer of their own`() async throws {
    let provider = try ScriptedProvider()
    let personal = "https://issuer.example/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"
    let path = "/consumers/v2.0/.well-known/openid-configuration"
    var description = ScriptedProvider.description.object ?? [:]
    for (issuer, code) in [
      (personal, nil), ("https://issuer.example/{tenantid}/v2.0", .issuerMismatch),
    ] as [(String, OIDCError.Code?)] {
      description["issuer"] = .string(issuer)
      provider.answer(path, json: .object(description))
      let error = await failure { () async throws(OIDCError) in
        let client = try await provider.client {
          $0.issuer = "https://issuer.example/consumers/v2.0"
        }
        #expect(client.metadata.issuer == personal)
      }
      #expect(error?.code == code)
    }
  }
}
