@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite("Verifying tokens", .timeLimit(.minutes(1)))
struct TokenVerificationTests {
  /// What a verification fails with.
  private func refusal(
    _ admin: Admin, _ token: Secret, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> AdminError? {
    await #expect(throws: AdminError.self, sourceLocation: sourceLocation) {
      try await admin.verifyIDToken(token)
    }
  }

  @Test func `a good token tells its claims`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let token = try await admin.verifyIDToken(signer.idToken())
    #expect(token.uid == "ada")
    #expect(token.authTime == Signer.now - 100)
    #expect(token.claims["plan"] == "gold")
    let cookie = try await admin.verifySessionCookie(signer.cookie())
    #expect(cookie.uid == "ada")
    #expect(
      signer.requests == [
        "www.googleapis.com" + Signer.certificates,
        "www.googleapis.com" + Signer.cookieCertificates,
      ])
  }

  @Test(
    arguments: [
      (["aud": "another"], .invalidIDToken), (["aud": nil], .invalidIDToken),
      (["aud": ["demo-signer", "another"]], .invalidIDToken),
      (["iss": "https://securetoken.google.com/another"], .invalidIDToken),
      (["iss": "https://accounts.google.com"], .invalidIDToken), (["iss": nil], .invalidIDToken),
      (["sub": nil], .invalidIDToken), (["sub": ""], .invalidIDToken),
      (["sub": 7], .invalidIDToken),
      (["sub": .string(String(repeating: "u", count: 129))], .invalidIDToken),
      (["exp": .integer(Signer.now)], .idTokenExpired),
      (["exp": .integer(Signer.now - 86_400)], .idTokenExpired), (["exp": nil], .invalidIDToken),
      (["exp": "soon"], .invalidIDToken), (["iat": .integer(Signer.now + 61)], .invalidIDToken),
      (["iat": nil], .invalidIDToken), (["auth_time": .integer(Signer.now + 61)], .invalidIDToken),
      (["auth_time": nil], .invalidIDToken), (["auth_time": "now"], .invalidIDToken),
      (["auth_time": -1], .invalidIDToken),
    ] as [(JSONObject, ErrorCode)])
  func `a token with a wrong claim is refused, whoever signed it`(
    changes: JSONObject, code: ErrorCode
  ) async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let token = try signer.idToken(changes)
    let error = try #require(await refusal(admin, token))
    #expect(error.code == code)
    #expect(!error.description.contains(token.reveal()))
  }

  @Test func `clocks may differ by a minute, but nothing lives longer for it`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let ahead: JSONObject = [
      "iat": .integer(Signer.now + 60), "auth_time": .integer(Signer.now + 60),
    ]
    #expect(try await admin.verifyIDToken(signer.idToken(ahead)).uid == "ada")
    let last = try signer.idToken(["exp": .integer(Signer.now + 1)])
    #expect(try await admin.verifyIDToken(last).uid == "ada")
    signer.clock.now += 1
    #expect(await refusal(admin, last)?.code == .idTokenExpired)
  }

  @Test func `a forged token is refused`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let good = try signer.idToken().reveal()
    let parts = good.split(separator: ".").map(String.init)
    let other = try signer.idToken(["sub": "eve"]).reveal().split(separator: ".").map(String.init)
    let named: JSON = "first"
    var forged: [String: Secret] = [
      "unsigned": signer.token(header: ["alg": "none", "kid": named]),
      "unsigned with a signature": signer.token(header: ["alg": "none"], signature: [1]),
      "with another payload": Secret("\(parts[0]).\(other[1]).\(parts[2])"),
      "without a signature": Secret("\(parts[0]).\(parts[1])."),
      "with an HMAC": signer.token(header: ["alg": "HS256", "kid": named], signature: [1]),
      "with another RSA algorithm": signer.token(
        header: ["alg": "RS512", "kid": named], signature: [1]),
      "with an algorithm in small letters": signer.token(
        header: ["alg": "rs256", "kid": named], signature: [1]),
      "without an algorithm": signer.token(header: ["kid": named], signature: [1]),
      "with a key that is no name": signer.token(header: ["alg": "RS256", "kid": 7]),
      "by a key of another name": try signer.idToken(by: "stranger"),
      "by the key of session cookies": try signer.idToken(by: "cookies"),
      "cut short": Secret(String(good.dropLast(9))),
      "of two parts": Secret("\(parts[0]).\(parts[1])"), "empty": Secret(""),
      "words": Secret("a.b.c"),
      "of another shape": Secret("a b"),
    ]
    // The stranger's key under the signer's name.
    let stranger = try SigningKey(pem: signer.key("stranger").privatePEM, keyID: "first")
    let claims = try JWT(decoding: good).claims
    forged["by a stranger"] = Secret(try stranger.sign(claims))
    for (what, token) in forged {
      let error = await refusal(admin, token)
      #expect(error?.code == .invalidIDToken, "\(what)")
    }
    // A token that demands what nobody here knows.
    let nameless = signer.token(header: ["alg": "RS256"], signature: [1])
    #expect(await refusal(admin, nameless)?.message.contains("does not name the key") == true)
  }

  @Test func `what is passed by mistake is called by its name`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let cookie = await refusal(admin, try signer.cookie())
    #expect(cookie?.hint == "pass it to admin:verifySessionCookie")
    let custom = try await admin.createCustomToken("ada")
    #expect(await refusal(admin, custom)?.message == "this is a custom token, and no ID token")
    let error = await #expect(throws: AdminError.self) {
      try await admin.verifySessionCookie(signer.idToken())
    }
    #expect(error?.code == .invalidSessionCookie)
    #expect(error?.hint == "pass it to admin:verifyIDToken")
    // None of them needs keys.
    #expect(signer.requests.isEmpty)
  }

  @Test func `cookies have codes of their own`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    signer.accounts["ada"] = ["localId": "ada", "validSince": .string(String(Signer.now - 99))]
    for (cookie, code) in [
      (try signer.cookie(["exp": .integer(Signer.now)]), ErrorCode.sessionCookieExpired),
      (try signer.cookie(by: "stranger"), .invalidSessionCookie),
      (try signer.cookie(), .sessionCookieRevoked),
    ] {
      let error = await #expect(throws: AdminError.self) {
        try await admin.verifySessionCookie(cookie, checkRevoked: true)
      }
      #expect(error?.code == code)
    }
  }

  @Test func `a tenant's administrator takes its people's tokens only`() async throws {
    let signer = try Signer()
    let admin = try signer.admin(tenantID: "red")
    func token(_ tenant: JSON) throws -> Secret {
      try signer.idToken(["firebase": ["tenant": tenant]])
    }
    #expect(try await admin.verifyIDToken(token("red")).uid == "ada")
    for tenant in ["blue", nil, "", "Red"] as [JSON] {
      #expect(await refusal(admin, try token(tenant))?.code == .tenantIDMismatch)
    }
    #expect(await refusal(admin, try signer.idToken())?.code == .tenantIDMismatch)
    // The project's own takes everybody's.
    let project = try signer.admin()
    #expect(try await project.verifyIDToken(token("red")).uid == "ada")
  }

  @Test func `the backend is asked whether a session was ended, when that is asked for`()
    async throws
  {
    let signer = try Signer()
    let admin = try signer.admin()
    let token = try signer.idToken()
    let cases: [(JSONObject?, ErrorCode?)] = [
      (["localId": "ada"], nil), (["localId": "ada", "validSince": "1799999900"], nil),
      (["localId": "ada", "validSince": "1799999901"], .idTokenRevoked),
      (["localId": "ada", "disabled": true], .userDisabled), (nil, .userNotFound),
    ]
    for (account, code) in cases {
      signer.accounts["ada"] = account
      #expect(try await admin.verifyIDToken(token).uid == "ada")
      guard let code else {
        #expect(try await admin.verifyIDToken(token, checkRevoked: true).uid == "ada")
        continue
      }
      let error = await #expect(throws: AdminError.self) {
        try await admin.verifyIDToken(token, checkRevoked: true)
      }
      #expect(error?.code == code)
    }
  }

  @Test func `the account of a tenant's token is looked for in the tenant`() async throws {
    let signer = try Signer()
    signer.accounts["ada"] = ["localId": "ada"]
    let token = try signer.idToken(["firebase": ["tenant": "red"]])
    _ = try await signer.admin().verifyIDToken(token, checkRevoked: true)
    #expect(signer.requests.last?.contains("/tenants/red/accounts:lookup") == true)
  }
}
