@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

/// Tokens nobody issued, as Firebase's emulator reads them: by what JavaScript makes of them.
@Suite(.timeLimit(.minutes(1)))
struct HandmadeTokenTests {
  // MARK: ID tokens

  @Test func `an ID token by hand needs no more than the firebase claim and the account`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin("accounts", ["localId": "u", "email": "u@b.test"])
      let reply = try await emulator.lookup(
        HandmadeToken.jwt(["user_id": "u", "firebase": [:]]))
      #expect(reply["users"]?[0]?["localId"] == "u")
      let header = HandmadeToken.jwt(header: "{}", #"{"user_id":"u","firebase":{}}"#)
      #expect(try await emulator.lookup(.string(header)).status == 200)
      #expect(try await emulator.lookup(.string(header + "c2ln")).status == 200)
    }
  }

  @Test(
    arguments: [
      (["firebase": [:]], "USER_NOT_FOUND"),
      (["sub": "u", "firebase": [:]], "USER_NOT_FOUND"),
      (["user_id": 5, "firebase": [:]], "USER_NOT_FOUND"),
      (["user_id": "u"], "INVALID_ID_TOKEN"),
      (["user_id": "u", "firebase": [:]], "TOKEN_EXPIRED"),
      (["user_id": "u", "iat": "soon", "firebase": [:]], "TOKEN_EXPIRED"),
      (["user_id": "u", "iat": "99999999999", "firebase": [:]], ""),
      (
        ["user_id": "u", "iat": 99_999_999_999, "firebase": ["tenant": "t"]], "USER_NOT_FOUND"
      ),
      (["user_id": "u", "iat": 99_999_999_999, "firebase": ["tenant": ""]], ""),
    ] as [(JSONObject, String)])
  func `the claims of an ID token are read in one order`(
    _ claims: JSONObject, _ message: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin(
        "accounts", ["localId": "u", "email": "u@b.test", "password": "123456"])
      #expect(try await emulator.lookup(HandmadeToken.jwt(claims)).message == message)
    }
  }

  @Test(arguments: ["a.b", "a.b.c.d", "e30=.e30=.", "!.e30.", "e30.e30.s!g", "bnVsbA.e30."])
  func `what is no JWT is no ID token`(_ text: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.lookup(.string(text))
      #expect(reply.message == "INVALID_ID_TOKEN")
    }
  }

  @Test func `a token of the project finds nobody in a tenant`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let token = try #require(try await emulator.signUp("u@b.test")["idToken"])
      let reply = try await emulator.call(.lookup, ["idToken": token, "tenantId": "t"])
      #expect(reply.message == "USER_NOT_FOUND")
    }
  }

  // MARK: Custom tokens

  @Test(
    arguments: [
      (#"{"uid":1e3}"#, "1000"), (#"{"uid":1.0}"#, "1"), (#"{"uid":-0.5}"#, "-0.5"),
      (#"{"uid":123456789012345680000}"#, "123456789012345680000"),
      (#"{"uid":9007199254740993}"#, "9007199254740992"), (#"{"uid":1e21}"#, "1e+21"),
      (#"{"uid":1.5e-7}"#, "1.5e-7"), (#"{"uid":0.000001}"#, "0.000001"),
      (#"{"uid":12345.678}"#, "12345.678"), (#"{"uid":false}"#, "false"),
      (#"{"uid":null,"user_id":"x"}"#, "x"), (#"{"uid":{},"user_id":0}"#, "0"),
    ])
  func `a uid is what JavaScript writes`(_ token: String, _ uid: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(.signInWithCustomToken, ["token": .string(token)])
      #expect(try emulator.claims(reply["idToken"])["sub"]?.string == uid)
    }
  }

  @Test(
    arguments: [
      (#"{}"#, "undefined"), (#"{"aud":null}"#, "null"), (#"{"aud":["a",null,["b"]]}"#, "a,,b"),
      (#"{"aud":{}}"#, "[object Object]"), (#"{"aud":true}"#, "true"), (#"5"#, "undefined"),
      (#"[]"#, "undefined"), ("no JSON", "undefined"),
    ])
  func `a wrong audience is quoted as JavaScript writes it`(
    _ payload: String, _ audience: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(
        .signInWithCustomToken, ["token": .string(HandmadeToken.jwt(payload))])
      #expect(
        reply.message
          == "INVALID_CUSTOM_TOKEN : ((Invalid aud (audience): \(audience) Note: Firebase ID "
          + "Tokens / third-party tokens cannot be used with signInWithCustomToken.))")
    }
  }

  @Test func `claims do not stand in for what the account has not`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let claims: JSON = [
        "uid": "u",
        "claims": [
          "email": "e@b.test", "email_verified": true, "phone_number": "+1", "provider_id": "p",
          "user_id": "other", "name": "Name", "picture": "Picture", "role": "r",
        ],
      ]
      let reply = try await emulator.call(
        .signInWithCustomToken, ["token": .string(claims.encoded())])
      let token = try emulator.claims(reply["idToken"])
      for name in ["email", "email_verified", "phone_number", "provider_id"] {
        #expect(token[name] == nil)
      }
      #expect(token["user_id"] == "u")
      #expect(token["name"] == "Name")
      #expect(token["picture"] == "Picture")
      #expect(token["role"] == "r")
    }
  }

  // MARK: Refresh tokens

  private func refresh(
    _ emulator: Fixture, _ token: JSON, _ more: JSONObject = ["grantType": "refresh_token"]
  ) async throws -> Fixture.Reply {
    var body = more
    body["refreshToken"] = token
    return try await emulator.call(.token, .object(body))
  }

  @Test func `a refresh token by hand may lack all but account and project`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin("accounts", ["localId": "u", "email": "u@b.test"])
      let fields: JSONObject = [
        "_AuthEmulatorRefreshToken": true, "localId": "u", "projectId": "demo-luath",
      ]
      let reply = try await refresh(emulator, HandmadeToken.base64(fields))
      let claims = try emulator.claims(reply["id_token"])
      #expect(claims["sub"] == "u")
      #expect(claims["firebase"]?["sign_in_provider"] == nil)
      var further = fields
      further["extraClaims"] = ["role": "r", "email": "x"]
      further["provider"] = "google.com"
      let spaced = (HandmadeToken.base64(further).string ?? "").map { "\($0)" }
        .joined(separator: "\n")
      let more = try await refresh(emulator, .string(spaced))
      let other = try emulator.claims(more["id_token"])
      #expect(other["role"] == "r")
      #expect(other["email"] == "u@b.test")
      #expect(other["firebase"]?["sign_in_provider"] == "google.com")
    }
  }

  @Test(
    arguments: [
      ["localId": "u", "projectId": "demo-luath"],
      ["_AuthEmulatorRefreshToken": "", "localId": "u", "projectId": "demo-luath"],
      ["_AuthEmulatorRefreshToken": "x", "localId": "u", "projectId": "other"],
      ["_AuthEmulatorRefreshToken": "x", "localId": "nobody", "projectId": "demo-luath"],
      ["_AuthEmulatorRefreshToken": "x", "projectId": "demo-luath"],
    ] as [JSONObject])
  func `a refresh token of nobody or elsewhere is invalid`(_ fields: JSONObject) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.admin("accounts", ["localId": "u"])
      let reply = try await refresh(emulator, HandmadeToken.base64(fields))
      #expect(reply.message == "INVALID_REFRESH_TOKEN")
    }
  }

  @Test func `an unreadable refresh token is refused before anything else is looked at`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      #expect(try await refresh(emulator, "junk", [:]).message == "INVALID_REFRESH_TOKEN")
      let signUp = try await emulator.call(.signUp, ["refreshToken": "junk"])
      #expect(signUp.message == "INVALID_REFRESH_TOKEN")
      let token = HandmadeToken.base64(
        [
          "_AuthEmulatorRefreshToken": "x", "localId": "u", "projectId": "demo-luath",
          "tenantId": "t",
        ])
      #expect(
        try await refresh(emulator, token, ["tenantId": "other"]).message
          == "TENANT_ID_MISMATCH: ((Refresh token tenant ID does not match target tenant ID.))")
      #expect(try await refresh(emulator, token, [:]).message == "MISSING_GRANT_TYPE")
    }
  }

  @Test func `a refresh token of no tenant is none of the tenant a request names`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let token = try #require(try await emulator.signUp("u@b.test")["refreshToken"])
      let body: JSONObject = ["grantType": "refresh_token", "tenantId": "t"]
      #expect(try await refresh(emulator, token, body).message == "TENANT_ID_MISMATCH")
      #expect(try await refresh(emulator, token).status == 200)
    }
  }

  @Test func `the token service takes a project from anybody`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let token = HandmadeToken.base64(
        ["_AuthEmulatorRefreshToken": "x", "localId": "u", "projectId": "other"])
      let body: JSONObject = ["grant_type": "refresh_token", "targetProjectId": "other"]
      #expect(try await refresh(emulator, token, body).message == "INVALID_REFRESH_TOKEN")
      _ = try await emulator.post(
        "identitytoolkit.googleapis.com/v1/projects/other/accounts", ["localId": "u"], key: nil,
        headers: ["Authorization": "Bearer owner"])
      let reply = try await refresh(emulator, token, body)
      #expect(try emulator.claims(reply["id_token"])["aud"] == "other")
    }
  }
}
