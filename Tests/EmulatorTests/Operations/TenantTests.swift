import Emulator
import Encoding
import IdentityToolkit
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
      #expect(reply.error == "TENANT_NOT_FOUND")
    }
  }

  @Test func `a project may forbid tenants`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.asAdmin(
        "PATCH", "v2/projects/demo-luath/config?updateMask=multiTenant.allowTenants",
        ["multiTenant": ["allowTenants": false]])
      let reply = try await emulator.asAdmin("POST", Self.path, [:])
      #expect(reply.error == "OPERATION_NOT_ALLOWED")
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
