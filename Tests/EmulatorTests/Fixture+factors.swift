@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

/// Shorthands for second factors and functions.
extension Fixture {
  /// A signed-up account with a verified address: its uid and a fresh ID token.
  func verified(_ email: String) async throws -> (uid: JSON, idToken: JSON) {
    let uid = try #require(try await signUp(email)["localId"])
    _ = try await admin("accounts:update", ["localId": uid, "emailVerified": true])
    return (uid, try #require(try await signIn(email)["idToken"]))
  }

  /// Signs in as every SDK does: without `returnSecureToken` there would be a legacy token.
  func signIn(_ email: String) async throws -> Reply {
    try await call(
      .signInWithPassword,
      ["email": .string(email), "password": "correct horse", "returnSecureToken": true])
  }

  /// The newest code that went out by SMS.
  func lastCode() async throws -> JSON {
    let reply = try await request("GET", "emulator/v1/projects/demo-luath/verificationCodes")
    return try #require(reply["verificationCodes"]?.array?.last?["code"])
  }

  /// Enrols a telephone and answers what the emulator said in the end.
  func enroll(phone number: String, _ idToken: JSON) async throws -> Reply {
    let started = try await call(
      .startMfaEnrollment,
      ["idToken": idToken, "phoneEnrollmentInfo": ["phoneNumber": .string(number)]])
    let session = try #require(
      started["phoneSessionInfo"]?["sessionInfo"], "\(started.message)")
    return try await call(
      .finalizeMfaEnrollment,
      [
        "idToken": idToken, "displayName": "phone",
        "phoneVerificationInfo": ["sessionInfo": session, "code": try await lastCode()],
      ])
  }

  /// Enrols an authenticator app and answers its codes.
  func enrollApp(_ idToken: JSON) async throws -> TOTP {
    let started = try await call(
      .startMfaEnrollment, ["idToken": idToken, "totpEnrollmentInfo": [:]])
    let info = try #require(started["totpSessionInfo"], "\(started.message)")
    let secret = try #require(Base32.decode(info["sharedSecretKey"]?.string ?? ""))
    let totp = TOTP(secret: SecretBytes(secret))
    let ended = try await call(
      .finalizeMfaEnrollment,
      [
        "idToken": idToken, "displayName": "app",
        "totpVerificationInfo": [
          "sessionInfo": info["sessionInfo"] ?? .null,
          "verificationCode": .string(code(of: totp)),
        ],
      ])
    try #require(ended.status == 200, "\(ended.message)")
    return totp
  }

  func code(of totp: TOTP) -> String { totp.code(at: totp.step(at: clock.seconds)) }

  /// Makes a tenant and returns its id.
  func makeTenant(_ settings: JSON) async throws -> String {
    let made = try await post(
      "identitytoolkit.googleapis.com/v2/projects/demo-luath/tenants", settings, key: nil,
      headers: ["Authorization": "Bearer owner"])
    let name = try #require(made["name"]?.string, "\(made.message)")
    return String(try #require(name.split(separator: "/").last))
  }

  /// Changes the project as an administrator does over Google's API.
  func configure(_ mask: String, _ body: JSON) async throws {
    var request = HTTPRequest.post(
      try #require(
        WebURL(
          "\(origin)/identitytoolkit.googleapis.com/v2/projects/demo-luath/config?updateMask=\(mask)"
        )), json: body, headers: ["Authorization": "Bearer owner"])
    request.method = "PATCH"
    let reply = try await send(request)
    try #require(reply.status == 200, "\(reply.message)")
  }

  func setFunctions(_ addresses: [String: String]) async throws {
    var triggers = JSONObject()
    for (event, address) in addresses { triggers[event] = ["functionUri": .string(address)] }
    try await configure(
      "blockingFunctions", ["blockingFunctions": ["triggers": .object(triggers)]])
  }
}
