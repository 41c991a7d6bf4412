@testable import System
import Foundation
@testable import HTTP
@testable import IdentityToolkit
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminModuleTests {
  @Test func `an administrator of an emulator needs no key, and takes one all the same`()
    async throws
  {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: path) }
    let trace = try await Flow().run(
      """
      local account = emulator.serviceAccount()
      local file = assert(io.open("\(path.path)", "w"))
      file:write(json.encode(account))
      file:close()
      for _, key in ipairs { false, account, "\(path.path)" } do
        local admin = admin.admin { serviceAccount = key or nil }
        assert(#admin:createUser().uid > 0)
      end
      equal(admin.admin { tenantID = "t-1" }.tenantID, "t-1")
      equal(admin.admin().tenantID, nil)
      equal(tostring(admin.admin { tenantID = "t-1" }), "Admin(demo-luath, tenant t-1)")
      """)
    // An emulator's administrator has a token that needs no exchange.
    #expect(!trace.contains { $0.contains("oauth2") })
  }

  @Test func `the key that is given says what is wrong with it`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(#"{"type": "service_account", "private_k"#.utf8)
      .write(to: folder.appending(path: "cut.json"))
    try await Flow().run(
      """
      local function refuse(words, key)
        local err = refused("invalidServiceAccount", admin.admin, { serviceAccount = key })
        assert(err.message:find(words, 1, true), err.message)
        equal(err.rawValue, 18120)
        equal(err.webCode, "auth/invalid-service-account")
      end
      refuse("No such file", "\(folder.path)/none.json")
      refuse("cut.json is not JSON", "\(folder.path)/cut.json")
      refuse("no client_email", {})
      refuse("of the kind authorized_user", { type = "authorized_user", client_id = "x" })
      refuse("no private_key", { client_email = "a@b.example" })
      local account = emulator.serviceAccount()
      account.private_key = account.private_key:sub(1, 200)
      refuse("cannot be used", account)
      account.token_uri = "http://example.com/token"
      refuse("not an https address", account)
      refused("invalidArgument", admin.admin, { tenantID = "" })
      mistake("no target 'staging'", admin.admin, { target = "staging" })
      mistake("bad argument", admin.admin, { serviceAccount = 7 })
      mistake("no option 'tenant'", admin.admin, { tenant = "t-1" })
      """)
  }

  @Test func `the environment's key is used on a real project and named when it is bad`()
    async throws
  {
    // Nothing is sent: the key is looked at when the administrator is made.
    for (environment, words) in [
      ([:], "needs a service account's key"),
      (["GOOGLE_APPLICATION_CREDENTIALS": ""], "needs a service account's key"),
      (["GOOGLE_APPLICATION_CREDENTIALS": "/nonexistent/key.json"], "/nonexistent/key.json"),
    ] {
      var runner = ScriptRunner(environment: environment)
      runner.targets = [
        "real": Target(projectID: "real-project", apiKey: Secret("x"), backend: .production)
      ]
      let failure = try await runner.failure(
        of: "require('luath.admin').admin { target = 'real' }")
      #expect(failure.code == "invalidServiceAccount")
      #expect(failure.message.contains(words), "\(failure.message)")
    }
  }

  @Test func `a key file that was replaced is read again`() async throws {
    try await Flow().run(
      """
      local Admin <const> = require "luath.admin"
      local account, path <const> = emulator.serviceAccount(), os.tmpname()
      local function write(text)
        local file <const> = assert(io.open(path, "w"))
        file:write(text)
        file:close()
      end
      -- The head of a token names the key.
      local function headWith(keyID)
        account.private_key_id = keyID
        write(json.encode(account))
        return Admin.admin { serviceAccount = path }:createCustomToken("ada"):match "^[^.]+"
      end
      local first <const> = headWith "first"
      equal(headWith "first", first)
      assert(headWith "second" ~= first)
      write "{"
      refused("invalidServiceAccount", Admin.admin, { serviceAccount = path })
      os.remove(path)
      """)
  }

  @Test func `answers that are none of the interface fail in plain words`() async throws {
    for (status, body, code, words) in [
      (200, "", "internalError", "is empty"), (200, "<html>", "internalError", "web page"),
      (200, #"{"users": [{"#, "internalError", "ends too early"),
      (200, #"{"users": [{}]}"#, "internalError", "without an id"),
      (403, "<html>", "internalError", "web page"),
      (
        401, #"{"error": {"code": 401, "message": "No.", "status": "UNAUTHENTICATED"}}"#,
        "insufficientPermission", "No."
      ),
      (
        400, #"{"error": {"code": 400, "message": "NEW_NAME : words"}}"#, "internalError",
        "NEW_NAME"
      ),
    ] {
      try await CannedServer.run({ _ in ServerResponse(status: status, body: Array(body.utf8)) }) {
        server in
        var runner = ScriptRunner()
        runner.origin = server.origin
        let failure = try await runner.failure(of: "require('luath.admin').admin():getUser 'ada'")
        #expect(failure.code == code, "\(status) \(body): \(failure)")
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(server.received.allSatisfy { $0.headers["Authorization"] == "Bearer owner" })
      }
    }
  }
}
