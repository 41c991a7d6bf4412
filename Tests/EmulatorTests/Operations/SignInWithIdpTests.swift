@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignInWithIdpTests {
  private static let ada: JSONObject = [
    "sub": "sub-1", "email": "Ada@Corp.example", "email_verified": false, "name": "Ada",
    "picture": "https://p.example/a.png",
  ]
  private static let verifiedAda: JSONObject = [
    "sub": "sub-1", "email": "ada@corp.example", "email_verified": true,
  ]

  // MARK: The redirect flow

  @Test func `the first sign-in makes an account and the next one finds it`() async throws {
    try await FederatedFixture.run { federation in
      let first = try await federation.signIn(Self.ada)
      #expect(first.status == 200, "\(first.message)")
      #expect(first["isNewUser"] == true)
      #expect(first["providerId"] == "oidc.corp")
      #expect(first["federatedId"] == "oidc.corp/sub-1")
      #expect(first["email"] == "ada@corp.example")
      #expect(first["emailVerified"] == false)
      #expect(first["displayName"] == "Ada")
      #expect(first["oauthExpireIn"] == 3599)
      #expect(first["oauthAccessToken"]?.string != nil)
      #expect(first["pendingToken"]?.string != nil)
      let profile = try JSON.parse(try #require(first["rawUserInfo"]?.string))
      #expect(profile["sub"] == "sub-1")
      let user = try await federation.emulator.user(first["idToken"])
      #expect(user["providerUserInfo"]?[0]?["rawId"] == "sub-1")
      #expect(user["providerUserInfo"]?[0]?["federatedId"] == "sub-1")
      #expect(user["passwordHash"] == nil)
      let claims = try federation.emulator.claims(first["idToken"])
      #expect(claims["firebase"]?["sign_in_provider"] == "oidc.corp")
      #expect(claims["firebase"]?["identities"]?["oidc.corp"] == ["sub-1"])
      let second = try await federation.signIn(Self.ada)
      #expect(second["localId"] == first["localId"])
      #expect(second["isNewUser"] == nil)
    }
  }

  @Test func `a session works once, and only for its own answer`() async throws {
    try await FederatedFixture.run { federation in
      let flow = try await federation.begin()
      let url = try await federation.comeBack(flow, Self.ada)
      #expect(try await federation.finish(flow, url).status == 200)
      #expect(try await federation.finish(flow, url).error == "INVALID_IDP_RESPONSE")

      let first = try await federation.begin()
      let second = try await federation.begin()
      let other = try await federation.comeBack(second, Self.ada)
      let mixed = try await federation.finish(first, other)
      #expect(mixed.error == "INVALID_IDP_RESPONSE")
      #expect(mixed.message.contains("state"))
    }
  }

  @Test func `answers that do not fit the sign-in are refused`() async throws {
    let changes: [(@Sendable (String) -> String, String)] = [
      ({ $0.replacing("localhost:9", with: "localhost:10") }, "continue URI"),
      ({ $0.replacing("/cb", with: "/other") }, "continue URI"),
      ({ $0.replacing("keep=1", with: "keep=2") }, "continue URI"),
      ({ $0.replacing("&state=", with: "&state=x") }, "state"),
      ({ $0.replacing("&state=", with: "&stat=") }, "state"),
      ({ $0.replacing("&code=", with: "&cod=") }, "code"),
      ({ $0.replacing("&code=", with: "&code=x") }, "redeemed"),
      (
        { $0.replacing("&code=", with: "&error=access_denied&error_description=no%0Away&code=") },
        "access_denied: no way"
      ),
    ]
    try await FederatedFixture.run { federation in
      for (change, word) in changes {
        let flow = try await federation.begin()
        let url = change(try await federation.comeBack(flow, Self.ada))
        let reply = try await federation.finish(flow, url)
        #expect(reply.error == "INVALID_IDP_RESPONSE")
        #expect(reply.message.contains(word), "\(reply.message)")
      }
    }
  }

  @Test func `a sign-in may not take longer than an hour`() async throws {
    try await FederatedFixture.run { federation in
      let flow = try await federation.begin()
      let url = try await federation.comeBack(flow, Self.ada)
      federation.emulator.clock.advance(bySeconds: 3601)
      #expect(try await federation.finish(flow, url).error == "INVALID_IDP_RESPONSE")
    }
  }

  @Test func `a page may start the flow with the hash of the session id`() async throws {
    try await FederatedFixture.run { federation in
      let started = try await federation.begin(
        "oidc.corp", ["sessionId": .string(Digest.sha256Hex("ABCDEFGHIJ"))])
      let flow = FederatedFixture.Flow(sessionID: "ABCDEFGHIJ", query: started.query)
      let url = try await federation.comeBack(flow, Self.ada)
      let reply = try await federation.finish(flow, url, ["postBody": "providerId=oidc.corp"])
      #expect(reply.status == 200, "\(reply.message)")
    }
  }

  @Test func `an id token of another sign-in is refused`() async throws {
    try await FederatedFixture.run { federation in
      var claims = Self.ada
      claims["nonce"] = "other"
      let reply = try await federation.signIn(claims)
      #expect(reply.error == "MISSING_OR_INVALID_NONCE")
    }
  }

  @Test func `a profile of another person is refused`() async throws {
    try await FederatedFixture.run { federation in
      let flow = try await federation.begin()
      let url = try await federation.comeBack(flow, Self.ada, profile: ["sub": "sub-2"])
      #expect(try await federation.finish(flow, url).error == "INVALID_IDP_RESPONSE")
    }
  }

  @Test func `the context of the flow comes back`() async throws {
    try await FederatedFixture.run { federation in
      let flow = try await federation.begin("oidc.corp", ["context": "cart 7"])
      let reply = try await federation.finish(flow, try await federation.comeBack(flow, Self.ada))
      #expect(reply["context"] == "cart 7")
    }
  }

  @Test func `the implicit flow brings its token in the fragment`() async throws {
    try await FederatedFixture.run({ $0.providers["oidc.corp"]?.flow = .idToken }) { federation in
      let flow = try await federation.begin()
      var claims = Self.ada
      claims["nonce"] = .string(flow.query["nonce"] ?? "")
      let token = try await federation.issuer.idToken(
        claims, now: federation.emulator.clock.seconds)
      let url = "\(FederatedFixture.continueURI)#id_token=\(token)&state=\(flow.state)"
      let reply = try await federation.finish(flow, url)
      #expect(reply["localId"]?.string != nil, "\(reply.message)")
    }
  }

  // MARK: Tokens the caller has

  @Test func `a token with a hashed nonce is accepted with the raw one`() async throws {
    try await FederatedFixture.run { federation in
      let now = federation.emulator.clock.seconds
      var claims = Self.ada
      #expect(
        try await federation.present(try await federation.issuer.idToken(claims, now: now)).status
          == 200)
      claims["nonce"] = .string(Digest.sha256Hex("raw"))
      let token = try await federation.issuer.idToken(claims, now: now)
      #expect(try await federation.present(token, nonce: "raw").status == 200)
      let again = try await federation.present(token, nonce: "raw")
      #expect(
        again.message
          == "MISSING_OR_INVALID_NONCE : Duplicate credential received. Please try again "
          + "with a new credential.")
      claims["nonce"] = .string(Digest.sha256Hex("another"))
      let unused = try await federation.issuer.idToken(claims, now: now)
      for nonce in [nil, "other", Digest.sha256Hex("another")] {
        let reply = try await federation.present(unused, nonce: nonce)
        #expect(reply.error == "MISSING_OR_INVALID_NONCE")
      }
      // Claims of the provider's own come with the tokens; a new name changes nothing.
      claims["nonce"] = nil
      claims["name"] = "Countess"
      claims["team"] = "engines"
      claims["aud"] = .array([.string(federation.issuer.clientID), "another"])
      claims["azp"] = "another"
      claims["nbf"] = .integer(now + 600)
      let renamed = try await federation.present(
        try await federation.issuer.idToken(claims, now: now))
      #expect(renamed["displayName"] == "Countess", "\(renamed.message)")
      let told = try federation.emulator.claims(renamed["idToken"])
      #expect(told["name"] == "Ada")
      #expect(told["firebase"]?["sign_in_attributes"] == ["team": "engines"])
      #expect(renamed["context"] == nil)
      claims["aud"] = "another"
      let foreign = try await federation.present(
        try await federation.issuer.idToken(claims, now: now))
      #expect(
        foreign.message
          == "INVALID_IDP_RESPONSE : The audience in ID Token [another] does not match the expected "
          + "audience client-1.")
    }
  }

  @Test func `a token that is old, foreign or forged is refused`() async throws {
    let changes: [JSONObject] = [
      ["aud": "other"], ["iss": "https://other.example"], ["exp": 1], ["sub": nil], ["sub": 5],
      ["iat": "x"], ["sub": ""],
    ]
    try await FederatedFixture.run { federation in
      let now = federation.emulator.clock.seconds
      for change in changes {
        var claims = Self.ada
        for (name, value) in change.entries { claims[name] = value }
        let token = try await federation.issuer.idToken(claims, now: now)
        let reply = try await federation.present(token)
        #expect(reply.error == "INVALID_IDP_RESPONSE", "\(change)")
      }
      let forged = try SigningKey.generate().sign(["sub": "sub-1"])
      #expect(try await federation.present(forged).error == "INVALID_IDP_RESPONSE")
      let reply = try await federation.present("nonsense")
      #expect(reply.error == "INVALID_IDP_RESPONSE")
      #expect(!reply.message.contains("nonsense"))
    }
  }

  @Test(arguments: ["microsoft.com", "yahoo.com"])
  func `raw tokens of Microsoft and Yahoo are refused`(provider: String) async throws {
    try await Fixture.run { emulator in
      for token in ["access_token=x", "id_token=x.y.z"] {
        let reply = try await emulator.call(
          .signInWithIdp,
          [
            "requestUri": "http://localhost",
            "postBody": .string("providerId=\(provider)&\(token)"),
          ])
        #expect(reply.error == "INVALID_CREDENTIAL_OR_PROVIDER_ID")
        #expect(reply.message.contains("audience"))
      }
    }
  }

  @Test(
    arguments: [
      ([:], "MISSING_REQUEST_URI"), (["requestUri": "cb"], "INVALID_REQUEST_URI"),
      (["requestUri": "http://localhost"], "INVALID_CREDENTIAL_OR_PROVIDER_ID"),
      (
        ["requestUri": "http://localhost", "postBody": "providerId=oidc.corp"],
        "INVALID_CREDENTIAL_OR_PROVIDER_ID"
      ),
      (
        ["requestUri": "http://localhost", "postBody": "providerId=oidc.corp&access_token=x"],
        "INVALID_CREDENTIAL_OR_PROVIDER_ID"
      ),
      (
        ["requestUri": "http://localhost", "postBody": "providerId=github.com&access_token=x"],
        "OPERATION_NOT_ALLOWED"
      ),
      (["requestUri": "http://localhost", "sessionId": "made up"], "INVALID_IDP_RESPONSE"),
      (["requestUri": "http://localhost", "pendingToken": "made up"], "INVALID_PENDING_TOKEN"),
      (["requestUri": "http://localhost", "idToken": "x"], "INVALID_ID_TOKEN"),
    ] as [(JSON, String)])
  func `bad requests are refused by name`(body: JSON, error: String) async throws {
    try await FederatedFixture.run { federation in
      let reply = try await federation.emulator.call(.signInWithIdp, body)
      #expect(reply.error == error)
    }
  }

  // MARK: One account per address

  @Test func `an untrusted address of somebody's account needs confirmation`() async throws {
    try await FederatedFixture.run { federation in
      let owner = try await federation.emulator.signUp("ada@corp.example")
      let reply = try await federation.signIn(Self.ada)
      #expect(reply.status == 200)
      #expect(reply["needConfirmation"] == true)
      #expect(reply["localId"] == owner["localId"])
      #expect(reply["email"] == "ada@corp.example")
      #expect(reply["verifiedProvider"] == nil)
      #expect(reply["federatedId"] == "oidc.corp/sub-1")
      #expect(reply["idToken"] == nil)
      let pending = try #require(reply["pendingToken"])

      // The merge: the owner signs in and links what is pending.
      let linked = try await federation.emulator.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost", "pendingToken": pending,
          "idToken": owner["idToken"] ?? .null, "returnIdpCredential": true,
        ])
      #expect(linked["localId"] == owner["localId"], "\(linked.message)")
      let ids = try await federation.emulator.user(linked["idToken"])["providerUserInfo"]?.array
      #expect(ids?.compactMap { $0["providerId"]?.string } == ["oidc.corp", "password"])
      #expect(try await federation.signIn(Self.ada)["localId"] == owner["localId"])
      let again = try await federation.emulator.call(
        .signInWithIdp, ["requestUri": "http://localhost", "pendingToken": pending])
      #expect(again["localId"] == owner["localId"])
    }
  }

  @Test func `a pending token dies after an hour`() async throws {
    try await FederatedFixture.run { federation in
      _ = try await federation.emulator.signUp("ada@corp.example")
      let reply = try await federation.signIn(Self.ada)
      federation.emulator.clock.advance(bySeconds: 3601)
      let late = try await federation.emulator.call(
        .signInWithIdp,
        ["requestUri": "http://localhost", "pendingToken": reply["pendingToken"] ?? .null])
      #expect(late.error == "INVALID_PENDING_TOKEN")
    }
  }

  @Test func `a trusted address takes the account over from whoever never proved it`() async throws
  {
    try await FederatedFixture.run { federation in
      let owner = try await federation.emulator.signUp("ada@corp.example")
      let reply = try await federation.signIn(Self.verifiedAda)
      #expect(reply["localId"] == owner["localId"])
      #expect(reply["isNewUser"] == nil)
      #expect(reply["emailVerified"] == true)
      let user = try await federation.emulator.user(reply["idToken"])
      #expect(user["emailVerified"] == true)
      #expect(user["providerUserInfo"]?.array?.count == 1)
      #expect(try await federation.emulator.lookup(owner["idToken"]).error == "TOKEN_EXPIRED")
      let password = try await federation.emulator.call(
        .signInWithPassword, ["email": "ada@corp.example", "password": "correct horse"])
      #expect(password.error == "INVALID_LOGIN_CREDENTIALS")
    }
  }

  @Test func `a trusted address leaves a proven password alone`() async throws {
    try await FederatedFixture.run { federation in
      let owner = try await federation.emulator.signUp("ada@corp.example")
      _ = try await federation.emulator.admin(
        "accounts:update", ["localId": owner["localId"] ?? .null, "emailVerified": true])
      let reply = try await federation.signIn(Self.verifiedAda)
      #expect(reply["localId"] == owner["localId"])
      let user = try await federation.emulator.user(reply["idToken"])
      #expect(user["providerUserInfo"]?.array?.count == 2)
    }
  }

  @Test func `with several accounts per address nobody is asked to confirm`() async throws {
    try await FederatedFixture.run({ $0.oneAccountPerEmail = false }) { federation in
      let owner = try await federation.emulator.signUp("ada@corp.example")
      let reply = try await federation.signIn(Self.ada)
      #expect(reply["isNewUser"] == true)
      #expect(reply["localId"] != owner["localId"])
      #expect(try await federation.emulator.user(reply["idToken"])["email"] == nil)
    }
  }

  // MARK: Link

  @Test func `an identity of another account cannot be linked`() async throws {
    try await FederatedFixture.run { federation in
      _ = try await federation.signIn(Self.ada)
      let other = try await federation.emulator.signUp("grace@corp.example")
      let token: JSONObject = ["idToken": other["idToken"] ?? .null]
      let reply = try await federation.signIn(Self.ada, token)
      #expect(reply.status == 200)
      #expect(reply["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
      #expect(reply["email"] == "ada@corp.example")
      #expect(reply["pendingToken"]?.string != nil)
      #expect(reply["idToken"] == nil)
      var plain = token
      plain["returnIdpCredential"] = false
      let refused = try await federation.signIn(Self.ada, plain)
      #expect(refused.status == 400)
      #expect(refused.error == "FEDERATED_USER_ID_ALREADY_LINKED")
    }
  }

  @Test func `an identity with another account's address cannot be linked`() async throws {
    try await FederatedFixture.run { federation in
      _ = try await federation.emulator.signUp("ada@corp.example")
      let other = try await federation.emulator.signUp("grace@corp.example")
      let reply = try await federation.signIn(Self.ada, ["idToken": other["idToken"] ?? .null])
      #expect(reply["errorMessage"] == "EMAIL_EXISTS")
      #expect(reply["oauthIdToken"]?.string != nil)
    }
  }

  @Test func `an anonymous account keeps its uid and takes the identity's address`() async throws {
    try await FederatedFixture.run { federation in
      let guest = try await federation.emulator.call(.signUp)
      let reply = try await federation.signIn(Self.ada, ["idToken": guest["idToken"] ?? .null])
      #expect(reply["localId"] == guest["localId"])
      #expect(reply["isNewUser"] == nil)
      let user = try await federation.emulator.user(reply["idToken"])
      #expect(user["email"] == "ada@corp.example")
      #expect(user["displayName"] == "Ada")
      #expect(try federation.emulator.claims(reply["idToken"])["provider_id"] == nil)
    }
  }

  @Test func `two providers of one account both sign in to it`() async throws {
    try await FederatedFixture.run { federation in
      let first = try await federation.signIn(Self.ada)
      let linked = try await federation.signIn(
        ["sub": "sub-9"], ["idToken": first["idToken"] ?? .null], provider: "oidc.other")
      #expect(linked["localId"] == first["localId"], "\(linked.message)")
      let again = try await federation.signIn(["sub": "sub-9"], provider: "oidc.other")
      #expect(again["localId"] == first["localId"])
      let removed = try await federation.emulator.call(
        .update, ["idToken": again["idToken"] ?? .null, "deleteProvider": ["oidc.other"]])
      #expect(removed["providerUserInfo"]?.array?.count == 1)
      #expect(
        try await federation.signIn(["sub": "sub-9"], provider: "oidc.other")["isNewUser"] == true)
    }
  }

  // MARK: Reauthentication

  @Test func `without autoCreate an unknown identity makes no account`() async throws {
    try await FederatedFixture.run { federation in
      let reply = try await federation.signIn(
        Self.ada, ["autoCreate": false, "returnIdpCredential": false])
      #expect(reply.error == "USER_NOT_FOUND")
      let shown = try await federation.signIn(
        Self.ada, ["autoCreate": false, "returnIdpCredential": true])
      #expect(shown.status == 200)
      #expect(shown["errorMessage"] == "USER_NOT_FOUND")
      #expect(shown["pendingToken"] != nil)
      #expect(shown["idToken"] == nil)
      #expect(try await federation.signIn(Self.ada)["isNewUser"] == true)
    }
  }

  @Test func `signing in again renews the right to delete`() async throws {
    try await FederatedFixture.run { federation in
      let first = try await federation.signIn(Self.ada)
      federation.emulator.clock.advance(bySeconds: 400)
      let late = try await federation.emulator.call(.delete, ["idToken": first["idToken"] ?? .null])
      #expect(late.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
      let now = federation.emulator.clock.seconds
      let token = try await federation.issuer.idToken(Self.ada, now: now)
      let again = try await federation.present(token, ["autoCreate": false])
      #expect(again["localId"] == first["localId"])
      let gone = try await federation.emulator.call(.delete, ["idToken": again["idToken"] ?? .null])
      #expect(gone.status == 200)
    }
  }

  @Test func `OIDC without Identity Platform is refused here as well`() async throws {
    try await FederatedFixture.run({ $0.identityPlatform = false }) { federation in
      let token = try await federation.issuer.idToken(
        Self.ada, now: federation.emulator.clock.seconds)
      let reply = try await federation.present(token)
      #expect(reply.error == "OPERATION_NOT_ALLOWED")
      #expect(reply.message.contains("Identity Platform"))
    }
  }

  @Test func `an account keeps the identity it has at a provider`() async throws {
    try await FederatedFixture.run { federation in
      let first = try await federation.signIn(Self.ada)
      let link: JSONObject = ["idToken": first["idToken"] ?? .null]
      let other: JSONObject = ["sub": "sub-2", "email": "other@corp.example"]
      let answer = try await federation.signIn(other, link)
      #expect(answer["errorMessage"] == "PROVIDER_ALREADY_LINKED")
      #expect(answer["pendingToken"]?.string != nil)
      let user = try await federation.emulator.user(first["idToken"])
      #expect(user["providerUserInfo"]?[0]?["rawId"] == "sub-1")
      #expect(try await federation.signIn(other, link, provider: "oidc.other")["idToken"] != nil)
    }
  }
}
