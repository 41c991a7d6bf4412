@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// The corners of `signInWithIdp` in which Firebase's emulator is as loose as JavaScript.
@Suite(.timeLimit(.minutes(1)))
struct LooseIdentityTests {
  private func present(
    _ emulator: Fixture, _ claims: JSON, provider: String = "google.com", saml: String? = nil,
    idToken: JSON? = nil
  ) async throws -> Fixture.Reply {
    var form = FormFields([("providerId", provider), ("id_token", claims.encoded())])
    if let saml { form.append("SAMLResponse", saml) }
    var body: JSONObject = ["requestUri": "http://localhost", "postBody": .string(form.encoded)]
    if let idToken { body["idToken"] = idToken }
    return try await emulator.call(.signInWithIdp, .object(body))
  }

  @Test(
    arguments: [
      ("http://x/?providerId=a.com&providerId=b.com&id_token={\"sub\":\"q\"}", nil, "a.com q"),
      (
        "http://x/?providerId=a.com&providerId=b.com", "id_token={\"sub\":\"p\"}&id_token=no",
        "a.com p"
      ),
      (
        "http://x/?id_token=no&id_token=none", "?providerId=a.com&id_token={\"sub\":\"p\"}",
        "a.com p"
      ),
      ("app:/back#?providerId=a.com&id_token={\"sub\":\"f\"}", nil, "a.com f"),
      ("http:x", "providerId=a.com&id_token=%7B%22sub%22:%22%25+%2B%%22%7D", "a.com % +%"),
      ("\n http:///x\\y ", "providerId=a.com&id_token={\"sub\":\"p\"}", "a.com p"),
      ("ws://x:1/", "providerId=a.com&id_token={\"sub\":\"p\"}", "a.com p"),
    ] as [(String, String?, String)])
  func `the first of repeated parameters counts`(
    _ uri: String, _ body: String?, _ expected: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      var request: JSONObject = ["requestUri": .string(uri)]
      if let body { request["postBody"] = .string(body) }
      let reply = try await emulator.call(.signInWithIdp, .object(request))
      let provider = reply["providerId"]?.string ?? reply.message
      #expect("\(provider) \(reply["federatedId"]?.string ?? "")" == expected)
    }
  }

  @Test(
    arguments: [
      (["email": false, "email_verified": "false"], nil, nil),
      (["email": 0], nil, nil), (["email": ""], nil, nil),
      (["email": "A@B.test", "email_verified": "false"], "a@b.test", true),
      (["email": "a@b.test", "email_verified": []], "a@b.test", true),
      (["email": "a@b.test", "email_verified": 0], "a@b.test", false),
    ] as [(JSONObject, String?, Bool?)])
  func `claims are true as JavaScript has it`(
    _ claims: JSONObject, _ email: String?, _ isVerified: Bool?
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      var claims = claims
      claims["sub"] = "s"
      let reply = try await present(emulator, .object(claims), provider: "oidc.x")
      #expect(reply.status == 200)
      #expect(reply["email"]?.string == email)
      #expect(reply["emailVerified"]?.bool == isVerified)
    }
  }

  @Test(arguments: ["5", "[]", "\"\"", "0", "null"])
  func `a payload that is no object has no subject, or is none`(_ payload: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let token = HandmadeToken.jwt(payload)
      let form = FormFields([("providerId", "oidc.x"), ("id_token", token)])
      let reply = try await emulator.call(
        .signInWithIdp, ["requestUri": "http://localhost", "postBody": .string(form.encoded)])
      let isFalse = !["5", "[]"].contains(payload)
      #expect(
        reply.message
          == (isFalse
            ? "INVALID_IDP_RESPONSE : Unable to parse id_token: \(token) ((Auth Emulator only accepts "
              + "strict JSON or JWTs as fake id_tokens.))"
            : "INVALID_IDP_RESPONSE : Invalid Idp Response: id_token missing required fields. "
              + "((Missing \"sub\" field. This field is required and must be a unique identifier.))")
      )
    }
  }

  @Test(arguments: ["5", "true", "[]", "{}", #"{"mail":"a@b.test"}"#])
  func `a SAML name of another type is no address`(_ name: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await present(
        emulator, ["sub": "s", "email": "token@b.test"], provider: "saml.x",
        saml: #"{"assertion":{"subject":{"nameId":\#(name)}}}"#)
      #expect(reply["email"] == "token@b.test")
    }
  }

  @Test(arguments: [#"["a",1]"#, "null", "5", #"{"role":["x"]}"#])
  func `SAML attributes of any type go into the token`(_ attributes: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await present(
        emulator, ["sub": "s"], provider: "saml.x",
        saml:
          #"{"assertion":{"subject":{"nameId":"n@b.test"},"attributeStatements":\#(attributes)}}"#)
      let expected = try JSON.parse(attributes)
      let claims = try emulator.claims(reply["idToken"])
      #expect(claims["firebase"]?["sign_in_attributes"] == expected)
      #expect(try JSON.parse(reply["rawUserInfo"]?.string ?? "") == expected)
    }
  }

  @Test func `an identity that gave way to another still leads to its account`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let first = try await present(
        emulator, ["sub": "old", "email": "u@b.test", "email_verified": true])
      let second = try await present(
        emulator, ["sub": "new", "email": "u@b.test", "email_verified": true])
      #expect(second["emailRecycled"] == true)
      let again = try await present(emulator, ["sub": "old"])
      #expect(again["localId"] == first["localId"])
      #expect(again["emailRecycled"] == nil)
      let user = try await emulator.user(again["idToken"])
      #expect(user["providerUserInfo"]?.array?.count == 1)
      #expect(user["providerUserInfo"]?[0]?["rawId"] == "old")
      _ = try await emulator.admin(
        "accounts:update", ["localId": first["localId"] ?? .null, "deleteProvider": ["google.com"]])
      #expect(try await present(emulator, ["sub": "new"])["localId"] == first["localId"])
    }
  }

  @Test func `an import that overwrites an account lets nothing of it lead there`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let first = try await present(emulator, ["sub": "old"])
      let uid = try #require(first["localId"])
      let upload = try await emulator.admin(
        "accounts:batchCreate",
        [
          "allowOverwrite": true,
          "users": [
            [
              "localId": uid,
              "providerUserInfo": [["providerId": "google.com", "rawId": "imported"]],
            ]
          ],
        ])
      #expect(upload["error"] == [])
      #expect(try await present(emulator, ["sub": "imported"])["localId"] == uid)
      #expect(try await present(emulator, ["sub": "old"])["isNewUser"] == true)
    }
  }

  @Test func `a function hears of a link with the address but without the identity`() async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run(rules: .compatible) { emulator in
        let guest = try await emulator.call(.signUp)
        try await emulator.setFunctions(["beforeSignIn": "\(origin)/in"])
        let linked = try await present(
          emulator, ["sub": "s", "email": "u@b.test", "email_verified": true],
          idToken: guest["idToken"])
        #expect(linked["localId"] == guest["localId"])
        let heard = try emulator.claims(await functions.first().body["data"]?["jwt"])
        #expect(heard["user_record"]?["email"] == "u@b.test")
        #expect(heard["user_record"]?["email_verified"] == true)
        #expect(heard["user_record"]?["provider_data"] == [])
      }
    }
  }
}
