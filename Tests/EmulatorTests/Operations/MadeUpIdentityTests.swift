@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

/// `signInWithIdp` under the compatible rules, where a test writes down who the person is.
@Suite(.timeLimit(.minutes(1)))
struct MadeUpIdentityTests {
  private func present(
    _ emulator: Fixture, _ claims: JSON, provider: String = "google.com",
    saml: JSON? = nil, _ more: JSONObject = [:]
  ) async throws -> Fixture.Reply {
    var form = FormFields([("providerId", provider), ("id_token", claims.encoded())])
    if let saml { form.append("SAMLResponse", saml.encoded()) }
    var body: JSONObject = [
      "requestUri": "http://localhost", "postBody": .string(form.encoded),
      "returnSecureToken": true,
    ]
    for (name, value) in more.entries { body[name] = value }
    return try await emulator.call(.signInWithIdp, .object(body))
  }

  @Test func `the query, the posted body and the fragment override one another in that order`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(
        .signInWithIdp,
        [
          "requestUri": .string(
            "http://localhost/?providerId=github.com&id_token=x#id_token=%7B%22sub%22%3A%22f%22%7D"
          ),
          "postBody": "providerId=Yahoo.COM&id_token=%7B%22sub%22%3A%22p%22%7D",
        ])
      #expect(reply["providerId"] == "yahoo.com")
      #expect(reply["federatedId"] == "f")
      #expect(reply["pendingToken"] == nil)
    }
  }

  @Test(
    arguments: [
      ("http://localhost/a b?x=~%20*", nil, "http://localhost/a%20b?x=~%20*"),
      ("http://localhost/p?x=~", "y=%20z&x=2", "http://localhost/p?x=2&y=+z"),
      ("com.app://back/?a=1#b=~", nil, "com.app://back/?a=1&b=%7E"),
    ] as [(String, String?, String)])
  func `an answer without a provider is quoted as one address`(
    _ uri: String, _ body: String?, _ expected: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      var request: JSONObject = ["requestUri": .string(uri)]
      if let body { request["postBody"] = .string(body) }
      let reply = try await emulator.call(.signInWithIdp, .object(request))
      #expect(
        reply.message
          == "INVALID_CREDENTIAL_OR_PROVIDER_ID : Invalid IdP response/credential: \(expected)")
    }
  }

  @Test(arguments: ["localhost", "/here", "http://", "://x"])
  func `a request URI is absolute`(_ uri: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(
        .signInWithIdp, ["requestUri": .string(uri), "postBody": "providerId=google.com"])
      #expect(reply.message == "INVALID_REQUEST_URI")
    }
  }

  @Test(arguments: ["email", "name", "picture", "screen_name", "given_name"])
  func `a claim of another type than text is refused`(_ name: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let claims: JSONObject = ["sub": "s", name: 5]
      let reply = try await present(emulator, .object(claims))
      #expect(reply.status == 400)
      #expect(reply.message == "INVALID_IDP_RESPONSE : ((The \"\(name)\" field must be a string.))")
    }
  }

  @Test(arguments: [
    ("[]", "INVALID_IDP_RESPONSE ((Missing assertion in SAMLResponse.))"),
    (#"{"assertion":{}}"#, "INVALID_IDP_RESPONSE ((Missing assertion.subject in SAMLResponse.))"),
    (
      #"{"assertion":{"subject":{"nameId":""}}}"#,
      "INVALID_IDP_RESPONSE ((Missing assertion.subject.nameId in SAMLResponse.))"
    ),
    (
      #"{"assertion":{"subject":{"nameId":["a@b.test"]}}}"#,
      "INVALID_IDP_RESPONSE ((assertion.subject.nameId must be a string.))"
    ),
  ])
  func `a SAML answer has a subject with a name`(_ saml: String, _ message: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await present(
        emulator, ["sub": "s"], provider: "saml.corp", saml: try JSON.parse(saml))
      #expect(reply.message == message)
    }
  }

  @Test
  func `a SAML name that is no address leaves the one of the token, which counts as verified`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await present(
        emulator, ["sub": "s", "email": "Ada@Corp.test"], provider: "saml.corp",
        saml: ["assertion": ["subject": ["nameId": "ada"]]])
      #expect(reply["email"] == "ada@corp.test")
      #expect(reply["emailVerified"] == true)
      #expect(reply["rawUserInfo"] == nil)
      let claims = try emulator.claims(reply["idToken"])
      #expect(claims["firebase"]?["sign_in_attributes"] == nil)
    }
  }

  @Test func `a takeover erases password, phone and the profile the provider does not know`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin(
        "accounts",
        [
          "localId": "u", "email": "u@b.test", "password": "123456", "displayName": "Old",
          "photoUrl": "http://p.test/old", "phoneNumber": "+15550001111",
        ])
      let reply = try await present(
        emulator, ["sub": "s", "email": "u@b.test", "email_verified": true])
      #expect(reply["localId"] == "u")
      #expect(reply["emailRecycled"] == nil)
      let user = try await emulator.user(reply["idToken"])
      #expect(user["displayName"] == nil)
      #expect(user["photoUrl"] == nil)
      #expect(user["phoneNumber"] == nil)
      #expect(user["passwordHash"] == nil)
      #expect(user["salt"] != nil)
      let other = try await present(
        emulator, ["sub": "s2", "email": "u@b.test", "email_verified": true])
      #expect(other["emailRecycled"] == true)
      #expect(try await emulator.user(other["idToken"])["providerUserInfo"]?[0]?["rawId"] == "s2")
    }
  }

  @Test func `an account without any way in has no verified providers`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin("accounts", ["localId": "u", "email": "u@b.test"])
      let reply = try await present(emulator, ["sub": "s", "email": "u@b.test"])
      #expect(reply["needConfirmation"] == true)
      #expect(reply["verifiedProvider"] == nil)
      #expect(reply["localId"] == "u")
      #expect(reply["idToken"] == nil)
    }
  }

  @Test func `a disabled account is refused after the identity was kept`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let first = try await present(emulator, ["sub": "s", "name": "Before"])
      let uid = try #require(first["localId"])
      _ = try await emulator.admin("accounts:update", ["localId": uid, "disableUser": true])
      let again = try await present(emulator, ["sub": "s", "name": "After"])
      #expect(again.message == "USER_DISABLED")
      let user = try await emulator.admin("accounts:lookup", ["localId": [uid]])["users"]?[0]
      #expect(user?["displayName"] == "Before")
      #expect(user?["providerUserInfo"]?[0]?["displayName"] == "After")
    }
  }

  @Test func `with several accounts per address only the identity counts`() async throws {
    try await Fixture.run(rules: .compatible, { $0.oneAccountPerEmail = false }) { emulator in
      let password = try await emulator.call(
        .signUp, ["email": "u@b.test", "password": "123456"])
      let reply = try await present(
        emulator, ["sub": "s", "email": "u@b.test", "email_verified": true])
      #expect(reply["isNewUser"] == true)
      #expect(reply["localId"] != password["localId"])
      #expect(reply["emailVerified"] == true)
      #expect(try await emulator.user(reply["idToken"])["email"] == nil)
      let link = try await present(
        emulator, ["sub": "s2", "email": "u@b.test"], provider: "github.com",
        ["idToken": reply["idToken"] ?? .null])
      #expect(link["localId"] == reply["localId"])
      let ways = try await emulator.call(
        .createAuthUri, ["identifier": "u@b.test", "continueUri": "http://localhost"])
      #expect(ways["allProviders"] == ["password"])
    }
  }

  @Test func `refusals of a link come as answers when the credential is wanted back`() async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let first = try await present(emulator, ["sub": "s", "email": "a@b.test"])
      let same = try await present(
        emulator, ["sub": "s"],
        ["idToken": first["idToken"] ?? .null, "returnIdpCredential": true])
      #expect(same.status == 200)
      #expect(same["errorMessage"] == "FEDERATED_USER_ID_ALREADY_LINKED")
      #expect(same["oauthAccessToken"] == "FirebaseAuthEmulatorFakeAccessToken_google.com")
      #expect(same["localId"] == nil)
      #expect(same["idToken"] == nil)
      let second = try await present(
        emulator, ["sub": "s2"], ["idToken": first["idToken"] ?? .null])
      #expect(second["localId"] == first["localId"])
      let user = try await emulator.user(second["idToken"])
      #expect(user["providerUserInfo"]?.array?.count == 1)
    }
  }

  @Test func `a tenant answers with its id, and its tokens are its own`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await present(emulator, ["sub": "s"], ["tenantId": "t"])
      #expect(reply["tenantId"] == "t")
      #expect(try emulator.claims(reply["idToken"])["firebase"]?["tenant"] == "t")
      let elsewhere = try await present(emulator, ["sub": "s"], ["tenantId": "other"])
      #expect(elsewhere["isNewUser"] == true)
    }
  }
}
