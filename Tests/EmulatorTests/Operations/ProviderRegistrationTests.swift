@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ProviderRegistrationTests {
  private static let path = "v2/projects/demo-luath/oauthIdpConfigs"
  private static let body: JSON = [
    "clientId": "app", "clientSecret": "s3cret", "issuer": "http://127.0.0.1:9/issuer",
    "displayName": "Sea", "enabled": true, "responseType": ["code": true],
  ]

  private func methods(_ emulator: Fixture, _ id: String) async throws -> String? {
    let reply = try await emulator.call(
      .createAuthUri, ["providerId": .string(id), "continueUri": "http://localhost/cb"])
    return reply.status == 200 ? nil : reply.message
  }

  @Test func `a provider that is registered can be signed in with, until it is removed`()
    async throws
  {
    try await Fixture.run { emulator in
      let unknown = try await methods(emulator, "oidc.sea")
      #expect(unknown?.hasPrefix("OPERATION_NOT_ALLOWED") == true)
      let made = try await emulator.asAdmin(
        "POST", "\(Self.path)?oauthIdpConfigId=oidc.sea", Self.body)
      #expect(made["name"]?.string?.hasSuffix("/oauthIdpConfigs/oidc.sea") == true)
      #expect(made["responseType"] == ["code": true])
      #expect(made["clientSecret"] == "s3cret")
      // Nobody answers at the issuer, which is as far as a known provider gets.
      let known = try await methods(emulator, "oidc.sea")
      #expect(known?.hasPrefix("INVALID_IDP_RESPONSE") == true)
      let again = try await emulator.asAdmin(
        "POST", "\(Self.path)?oauthIdpConfigId=oidc.sea", Self.body)
      #expect(again.error == "CONFIGURATION_EXISTS")
      let changed = try await emulator.asAdmin(
        "PATCH", "\(Self.path)/oidc.sea?updateMask=enabled,clientId",
        ["enabled": false, "clientId": "other", "displayName": "ignored"])
      #expect(changed["clientId"] == "other")
      #expect(changed["displayName"] == "Sea")
      let off = try await methods(emulator, "oidc.sea")
      #expect(off?.contains("disabled") == true)
      #expect(try await emulator.asAdmin("DELETE", "\(Self.path)/oidc.sea").json == [:])
      let gone = try await emulator.asAdmin("GET", "\(Self.path)/oidc.sea")
      #expect(gone.status == 404)
      #expect(gone.error == "CONFIGURATION_NOT_FOUND")
    }
  }

  @Test(
    arguments: [
      ("saml.sea", body, "INVALID_CONFIG_ID"), ("", body, "INVALID_CONFIG_ID"),
      ("oidc.sea", ["issuer": "http://a.example"], "MISSING_OAUTH_CLIENT_ID"),
      ("oidc.sea", ["clientId": "a"], "MISSING_ISSUER"),
      ("oidc.sea", ["clientId": "a", "issuer": "a.example"], "INVALID_ISSUER"),
      (
        "oidc.sea",
        ["clientId": "a", "issuer": "http://a.example", "responseType": ["code": true]],
        "MISSING_OAUTH_CLIENT_SECRET"
      ),
    ] as [(String, JSON, String)])
  func `a registration that cannot work is refused`(
    _ id: String, _ body: JSON, _ error: String
  ) async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.asAdmin(
        "POST", "\(Self.path)?oauthIdpConfigId=\(id)", body)
      #expect(reply.error == error)
    }
  }

  @Test func `lists go by kind, page by page`() async throws {
    try await Fixture.run { emulator in
      let first = try await emulator.asAdmin("GET", "\(Self.path)?pageSize=1")
      #expect(first["oauthIdpConfigs"]?.array?.count == 1)
      #expect(first["nextPageToken"] == "oidc.corp")
      let rest = try await emulator.asAdmin("GET", "\(Self.path)?pageToken=oidc.corp")
      #expect(rest["oauthIdpConfigs"]?.array?.count == 2)
      #expect(rest["nextPageToken"] == nil)
      let known = try await emulator.asAdmin(
        "GET", "v2/projects/demo-luath/defaultSupportedIdpConfigs")
      #expect(
        known["defaultSupportedIdpConfigs"]?.array?.compactMap {
          $0["name"]?.string?.split(separator: "/").last
        } == ["google.com", "microsoft.com", "yahoo.com"])
      let all = try await emulator.asAdmin("GET", "v2/defaultSupportedIdps")
      #expect(all["defaultSupportedIdps"]?.array?.contains { $0["idpId"] == "apple.com" } == true)
    }
  }

  @Test func `a tenant's provider is its own`() async throws {
    try await Fixture.run { emulator in
      let id = try await emulator.makeTenant(["displayName": "north"])
      let path = "v2/projects/demo-luath/tenants/\(id)/inboundSamlConfigs"
      let made = try await emulator.asAdmin(
        "POST", "\(path)?inboundSamlConfigId=saml.sea",
        [
          "enabled": true, "displayName": "Sea",
          "idpConfig": ["idpEntityId": "sea", "ssoUrl": "https://sea.example/sso"],
          "spConfig": ["spEntityId": "app"],
        ])
      #expect(
        made["name"]?.string?.hasSuffix("/tenants/\(id)/inboundSamlConfigs/saml.sea") == true)
      #expect(made["idpConfig"]?["ssoUrl"] == "https://sea.example/sso")
      let outside = try await emulator.asAdmin(
        "GET", "v2/projects/demo-luath/inboundSamlConfigs")
      #expect(outside.json == [:])
    }
  }

  @Test func `Firebase's emulator has none of it`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.asAdmin("GET", Self.path)
      #expect(reply.status == 501)
      #expect(
        reply.message == "identitytoolkit.projects.oauthIdpConfigs.list is not implemented in the "
          + "Auth Emulator.")
      let keys = try await emulator.request("GET", "identitytoolkit.googleapis.com/v1/publicKeys")
      #expect(keys.status == 404)
    }
  }
}
