@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("Discovery", .timeLimit(.minutes(1)))
struct DiscoveryTests {
  /// The description of an issuer at this server.
  private static func description(_ issuer: String, _ origin: String) -> JSON {
    [
      "issuer": .string(issuer), "authorization_endpoint": "\(origin)/authorize",
      "token_endpoint": "\(origin)/token", "jwks_uri": "\(origin)/keys",
    ]
  }

  @Test(arguments: ["", "/", "/tenant", "/tenant/"])
  func `an issuer is asked at its well-known address`(path: String) async throws {
    try await withProvider { request, origin in
      ServerResponse(json: Self.description(origin + path, origin))
    } _: { _, client, origin, log in
      let metadata = try await ProviderMetadata.discover(issuer: origin + path, over: client)
      #expect(metadata.issuer == origin + path)
      #expect(metadata.tokenEndpoint.description == "\(origin)/token")
      let base = path.hasSuffix("/") ? String(path.dropLast()) : path
      #expect(log.all.map(\.url.path) == [base + "/.well-known/openid-configuration"])
      #expect(log.all.first?.method == "GET")
    }
  }

  @Test func `an issuer that calls itself otherwise is refused`() async throws {
    try await withProvider { _, origin in
      ServerResponse(json: Self.description(origin + "/", origin))
    } _: { _, client, origin, _ in
      let error = await failure { () async throws(OIDCError) in
        _ = try await ProviderMetadata.discover(issuer: origin, over: client)
      }
      #expect(error?.code == .issuerMismatch)
    }
  }

  @Test(arguments: [
    ServerResponse(status: 404), ServerResponse(status: 500), ServerResponse(status: 204),
    ServerResponse(status: 302, headers: ["Location": "/elsewhere"]),
    ServerResponse(text: "<html>"), ServerResponse(json: []), ServerResponse(json: [:]),
    ServerResponse(text: String(repeating: "[", count: 10_000)),
  ])
  func `an answer that is no description is refused`(answer: ServerResponse) async throws {
    try await withProvider { _, _ in
      answer
    } _: { _, client, origin, log in
      let error = await failure { () async throws(OIDCError) in
        _ = try await ProviderMetadata.discover(issuer: origin, over: client)
      }
      #expect(error?.code == .discoveryFailed)
      let address = "\(origin)/.well-known/openid-configuration"
      #expect(error?.hint.contains(address) == true)
      #expect(log.all.count == 1)
    }
  }

  @Test func `an endless description is cut off`() async throws {
    try await withProvider { _, _ in
      ServerResponse(text: String(repeating: " ", count: 2 << 20))
    } _: { _, client, origin, _ in
      let error = await failure { () async throws(OIDCError) in
        _ = try await ProviderMetadata.discover(issuer: origin, over: client)
      }
      #expect(error?.code == .discoveryFailed)
    }
  }

  @Test(arguments: [
    "http://issuer.example", "issuer.example", "", "ftp://issuer.example",
    "https://issuer.example?a=b", "https://issuer.example#a",
  ])
  func `an issuer that cannot be trusted is not asked`(issuer: String) async throws {
    let error = await failure { () async throws(OIDCError) in
      _ = try await ProviderMetadata.discover(issuer: issuer, over: NoTransport())
    }
    #expect(error?.code == .unusableAddress)
  }

  @Test func `a server that is not there is named`() async throws {
    try await withProvider { _, _ in
      ServerResponse()
    } _: { _, client, _, _ in
      let error = await failure { () async throws(OIDCError) in
        _ = try await ProviderMetadata.discover(issuer: "http://127.0.0.1:1", over: client)
      }
      #expect(error?.code == .issuerUnreachable)
      #expect(error?.message.contains("127.0.0.1") == true)
    }
  }

  @Test func `the keys are fetched and verify`() async throws {
    let key = try Vectors.key
    try await withProvider { request, origin in
      request.url.path == "/keys"
        ? ServerResponse(json: ["keys": [.object(key.publicJWK)]])
        : ServerResponse(json: Self.description(origin, origin))
    } _: { _, client, origin, _ in
      let metadata = try await ProviderMetadata.discover(issuer: origin, over: client)
      let keys = try await KeySet.fetch(from: metadata.jwksURI, over: client)
      try JWT(decoding: key.sign(["sub": "ada"])).verify(keys)
    }
  }

  @Test func `a key set that is none is refused`() async throws {
    try await withProvider { _, _ in
      ServerResponse(json: ["keys": "none"])
    } _: { _, client, origin, _ in
      let url = try #require(WebURL(origin + "/keys"))
      let error = await failure { () async throws(OIDCError) in
        _ = try await KeySet.fetch(from: url, over: client)
      }
      #expect(error?.code == .keysUnavailable)
    }
  }
}

/// Fails the test that sends anything.
private struct NoTransport: Transport {
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    Issue.record("a request was sent to \(request.url.origin)")
    throw HTTPError(.unsupported, "nothing is sent in this test", hint: "")
  }
}
