@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TenantTests {
  private static let path = "v2/projects/demo-luath/tenants"

  @Test func `a new tenant has everything off, a tenant that is only named everything on`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let made = try await emulator.asAdmin("POST", Self.path, ["displayName": "harbour"])
      let id = try #require(made["tenantId"]?.string)
      #expect(id.utf8.count == 28)
      #expect(made["name"] == .string("projects/demo-luath/tenants/\(id)"))
      #expect(made["allowPasswordSignup"] == false)
      #expect(made["mfaConfig"] == ["state": "DISABLED", "enabledProviders": []])
      let named = try await emulator.asAdmin("GET", "\(Self.path)/north")
      #expect(named["allowPasswordSignup"] == true)
      #expect(named["mfaConfig"]?["enabledProviders"] == ["PHONE_SMS"])
    }
  }

  @Test func `production knows only tenants that were made`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.asAdmin("GET", "\(Self.path)/north")
      #expect(reply.status == 404)
      #expect(reply.error == "TENANT_NOT_FOUND")
      #expect(try await emulator.call(.signUp, ["tenantId": "north"]).error == "INVALID_TENANT_ID")
    }
  }

  @Test func `production names a tenant for its display name, and inherits it nothing`()
    async throws
  {
    try await Fixture.run { emulator in
      #expect(try await emulator.asAdmin("POST", Self.path, [:]).error == "MISSING_DISPLAY_NAME")
      for name in ["abc", "1abc", "a b c d", "abcdefghijklmnopqrstu"] {
        let refused = try await emulator.asAdmin(
          "POST", Self.path, ["displayName": .string(name)])
        #expect(refused.error == "INVALID_DISPLAY_NAME", "\(name)")
      }
      try await emulator.configure(
        "client.permissions,passwordPolicyConfig",
        [
          "client": ["permissions": ["disabledUserSignup": true]],
          "passwordPolicyConfig": [
            "passwordPolicyEnforcementState": "ENFORCE",
            "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 20]]],
          ],
        ])
      let id = try await emulator.makeTenant([
        "displayName": "North-1", "allowPasswordSignup": true, "testPhoneNumbers": [:],
      ])
      #expect(id.utf8.starts(with: "North-1-".utf8) && id.utf8.count == 13)
      let read = try await emulator.asAdmin("GET", "\(Self.path)/\(id)")
      #expect(read["hashConfig"]?["algorithm"] == "SCRYPT")
      #expect(read["tenantId"] == nil)
      #expect(read["disableAuth"] == nil)
      let made = try await emulator.call(
        .signUp, ["tenantId": .string(id), "email": "a@t.example", "password": "correct horse"])
      try #require(made.status == 200, "\(made.message)")
      func signIn(_ password: String) async throws -> Fixture.Reply {
        try await emulator.call(
          .signInWithPassword,
          ["tenantId": .string(id), "email": "a@t.example", "password": .string(password)])
      }
      #expect(try await signIn("wrong horse").error == "INVALID_PASSWORD")
      let factor = try await emulator.call(
        .startMfaEnrollment,
        ["idToken": made["idToken"] ?? .null, "totpEnrollmentInfo": [:]])
      #expect(factor.message == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
      let uri: JSON = ["providerId": "google.com", "continueUri": "http://localhost/cb"]
      var inTenant = try #require(uri.object)
      inTenant["tenantId"] = .string(id)
      #expect(try await emulator.call(.createAuthUri, uri).status == 200)
      #expect(
        try await emulator.call(.createAuthUri, .object(inTenant)).message
          == "OPERATION_NOT_ALLOWED : The identity provider configuration is not found.")
      // The token decides, and must be of the tenant that is named.
      let other = try await emulator.makeTenant(["displayName": "South"])
      for named in [other, "nowhere"] {
        let reply = try await emulator.call(
          .lookup, ["idToken": made["idToken"] ?? .null, "tenantId": .string(named)])
        #expect(
          reply.message
            == "TENANT_ID_MISMATCH : Specified tenant ID mismatches with the ID token.")
      }
      let refresh: JSON = [
        "grantType": "refresh_token", "refreshToken": made["refreshToken"] ?? .null,
      ]
      _ = try await emulator.asAdmin(
        "PATCH", "\(Self.path)/\(id)?updateMask=disableAuth", ["disableAuth": true])
      #expect(try await signIn("correct horse").error == "TENANT_DISABLED")
      #expect(try await emulator.call(.token, refresh).error == "TENANT_DISABLED")
      _ = try await emulator.asAdmin("DELETE", "\(Self.path)/\(id)")
      #expect(try await signIn("correct horse").error == "TENANT_DELETED")
      #expect(try await emulator.call(.token, refresh).error == "TENANT_DELETED")
      #expect(try await emulator.lookup(made["idToken"]).error == "TENANT_DELETED")
      #expect(
        try await emulator.asAdmin("DELETE", "\(Self.path)/\(id)").error == "TENANT_NOT_FOUND")
    }
  }

  @Test func `a project may forbid tenants`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.asAdmin(
        "PATCH", "v2/projects/demo-luath/config?updateMask=multiTenant.allowTenants",
        ["multiTenant": ["allowTenants": false]])
      let reply = try await emulator.asAdmin("POST", Self.path, [:])
      #expect(reply.error == "INVALID_PROJECT_ID")
    }
  }

  @Test func `a change with a mask leaves the rest; one without sets everything`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let made = try await emulator.asAdmin(
        "POST", Self.path,
        ["displayName": "harbour", "allowPasswordSignup": true, "mfaConfig": ["state": "ENABLED"]])
      let one = "\(Self.path)/\(try #require(made["tenantId"]?.string))"
      #expect(made["mfaConfig"] == ["state": "ENABLED", "enabledProviders": []])
      let masked = try await emulator.asAdmin(
        "PATCH", "\(one)?updateMask=disableAuth,mfaConfig.enabledProviders",
        ["disableAuth": true, "displayName": "x", "mfaConfig": ["enabledProviders": ["PHONE_SMS"]]])
      #expect(masked["displayName"] == "harbour")
      #expect(masked["mfaConfig"] == ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]])
      #expect(masked["name"] == made["name"])
      let bare = try await emulator.asAdmin("PATCH", one, ["enableAnonymousUser": true])
      #expect(bare["displayName"] == nil)
      #expect(bare["allowPasswordSignup"] == false)
      #expect(bare["disableAuth"] == false)
      #expect(bare["tenantId"] == made["tenantId"])
    }
  }

  @Test func `a tenant that is switched off refuses accounts but not its administration`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.asAdmin(
        "PATCH", "\(Self.path)/north?updateMask=disableAuth", ["disableAuth": true])
      let inside = "v1/projects/demo-luath/tenants/north/accounts"
      for name in ["lookup", "query", "batchCreate", "update", "delete"] {
        let reply = try await emulator.asAdmin("POST", "\(inside):\(name)", [:])
        #expect(reply.error == "PROJECT_DISABLED", "\(name)")
      }
      #expect(try await emulator.asAdmin("GET", "\(inside):batchGet").error == "PROJECT_DISABLED")
      let deletion = try await emulator.asAdmin("POST", "\(inside):batchDelete", [:])
      #expect(deletion.error == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
      let on = try await emulator.asAdmin(
        "PATCH", "\(Self.path)/north?updateMask=disableAuth", ["disableAuth": false])
      #expect(on["disableAuth"] == false)
    }
  }

  @Test func `tenants are listed by id, page by page, and forgotten with their accounts`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      for id in ["c", "a", "b"] { _ = try await emulator.asAdmin("GET", "\(Self.path)/\(id)") }
      _ = try await emulator.call(.signUp, ["tenantId": "a"])
      let first = try await emulator.asAdmin("GET", "\(Self.path)?pageSize=2")
      #expect(first["tenants"]?.array?.map { $0["tenantId"]?.string } == ["a", "b"])
      #expect(first["nextPageToken"] == "b")
      let rest = try await emulator.asAdmin("GET", "\(Self.path)?pageToken=b")
      #expect(rest["tenants"]?.array?.map { $0["tenantId"]?.string } == ["c"])
      #expect(rest["nextPageToken"] == nil)
      #expect(try await emulator.asAdmin("DELETE", "\(Self.path)/a").json == [:])
      let count = try await emulator.asAdmin(
        "POST", "v1/projects/demo-luath/tenants/a/accounts:query", ["returnUserInfo": false])
      #expect(count["recordsCount"] == "0")
    }
  }
}
