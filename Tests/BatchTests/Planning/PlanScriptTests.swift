@testable import System
import Testing

@testable import Batch

/// What scripts may say, and what is said to those who say something else.
@Suite(.timeLimit(.minutes(1))) struct PlanScriptTests {
  private static let broken: [(String, String)] = [
    ("", "plan.lua: the script returns nothing"),
    ("return 7", "plan.lua: the script returns a number that batch.define did not make"),
    (
      "return { plan = print }",
      "plan.lua: the script returns a table that batch.define did not make"
    ),
    ("local x = = 1", "plan.lua:1: unexpected symbol near '='"),
    ("error 'no'", "plan.lua:1: no"),
    (
      "local batch = require 'luath.batch'\nreturn batch.define {}",
      "plan.lua: batch.define needs plan = function(row, accounts) … end"
    ),
    (
      "return require('luath.batch').define { plan = print, keys = 'uid' }",
      "plan.lua: unknown setting 'keys' of batch.define; there are columns, key, oneAccountPerEmail, operations, plan"
    ),
    (
      "return require('luath.batch').define { plan = print, operations = { link = {} } }",
      "plan.lua: the operation 'link' is luath's own; choose another name"
    ),
    (
      "return require('luath.batch').define { plan = print, operations = { tell = { undo = print } } }",
      "plan.lua: the operation 'tell' needs run = function(op, account) … end"
    ),
    ("os.exit(1)", "plan.lua called os.exit while it was loaded"),
  ]

  @Test(arguments: broken) func `a script that describes no batch is told what is missing`(
    _ script: String, _ message: String
  ) async throws {
    let result = try await PlanRunner().plan(script, [[:]])
    #expect(result.problem?.message == message)
    #expect(result.problem?.code == .notLoaded)
    #expect(result.rows.isEmpty)
  }

  private static let mistakes: [(String, String)] = [
    ("batch.link { uid = 'a', providerId = 'google.com' }", "batch.link needs 'rawId'"),
    (
      "batch.link { uid = 'a', providerId = 'x', rawID = 7 }",
      "field 'rawID' of batch.link: string expected, got number"
    ),
    (
      "batch.link { uid = 'a', provider = 'x', rawId = 'r' }",
      "unknown field 'provider' of batch.link; there are displayName, email, photoUrl, providerId, rawId, uid"
    ),
    ("batch.unlink { uid = '', providerId = 'x' }", "field 'uid' of batch.unlink is empty"),
    ("batch.merge { survivor = 'a' }", "batch.merge needs 'loser', or 'losers' with several"),
    (
      "batch.merge { survivor = 'a', losers = { 'b', 'a' } }",
      "batch.merge: the account a cannot be merged into itself"
    ),
    (
      "batch.update { uid = 'a', displayName = true }",
      "field 'displayName' of batch.update: only false, which clears it, is a boolean"
    ),
    ("batch.disable 'a'", "bad argument #1 to 'batch.disable' (a table expected, got string)"),
    (
      "batch.linkAsUser { uid = 'a', providerId = 'x' }",
      "batch.linkAsUser needs 'idToken', 'accessToken' or 'pendingToken'"
    ),
    ("batch.operation('tell')", "batch.define has no operation 'tell'"),
    ("batch.operation('link')", "batch.operation cannot be named 'link': call batch.link"),
    (
      "batch.refuse('no such customer')",
      "bad argument #1 to 'batch.refuse' (a word such as noSuchCustomer expected, got \"no such customer\")"
    ),
    ("batch.links {}", "luath.batch has no 'links'"),
    ("{ op = 'link' }", "plan returned a table with op = \"link\"; make it by batch.link { … }"),
    ("{ a = 1 }", "plan returned a table that is no list of operations"),
    ("7", "plan returned a number; let it return operations, batch.skip or batch.refuse"),
    ("{ batch.skip 'x' }", "batch.skip stands among operations; return it alone"),
    (
      "accounts:byName('x')",
      "accounts has no 'byName'; it looks up: byUID, byEmail, byPhone, byProvider, allByUID, allByEmail"
    ),
    ("accounts:byUID(7)", "bad argument #1 to 'accounts:byUID' (a string expected, got number)"),
  ]

  @Test(arguments: mistakes) func `a wrong call is the row's refusal, and says what is right`(
    _ call: String, _ message: String
  ) async throws {
    let result = try await PlanRunner().plan(
      """
      local batch = require "luath.batch"
      return batch.define { plan = function(row, accounts)
        return \(call)
      end }
      """, [[:]])
    let fault = try #require(result.fault(1))
    #expect(fault.code == "scriptError")
    let place = fault.message.hasPrefix("plan.lua:3: ") ? "plan.lua:3: " : "plan.lua:2: in plan: "
    #expect(fault.message == place + message)
  }

  private static let tailCalls: [(call: String, place: String)] = [
    ("return batch.link { uid = 'a' }", "plan.lua:6: batch.link needs"),
    ("return batch.link {\n uid = 'a',\n}", "plan.lua:6: batch.link needs"),
    ("return batch.refuse('no such')", "plan.lua:6: bad argument"),
    ("return accounts:byUID(7)", "plan.lua:6: bad argument"),
    ("do return help() end", "plan.lua:3: batch.link needs"),
    ("return cached { uid = 'a' }", "plan.lua:4: in plan: batch.link needs"),
    ("batch.skip()\n return cached { uid = 'a' }", "plan.lua:4: in plan: batch.link needs"),
    ("batch.skip()\n return 7", "plan.lua:4: in plan: plan returned a number"),
  ]

  @Test(arguments: tailCalls) func `a call that takes the place of its caller is found by its line`(
    _ call: String, _ place: String
  ) async throws {
    let result = try await PlanRunner().plan(
      """
      local batch = require "luath.batch"
      local cached = batch.link
      local function help() return batch.link { uid = 'a' } end
      return batch.define { plan = function(row, accounts)
        assert(row.n == 1)
        \(call)
      end }
      """, [["n": 1]])
    #expect(result.fault(1)?.message.hasPrefix(place) == true, "\(result.fault(1)?.message ?? "")")
  }

  @Test func `an empty cell is no value where none is needed`() async throws {
    let result = try await PlanRunner(accounts: [["uid": "a"]]).plan(
      """
      local batch = require "luath.batch"
      return batch.define { plan = function(row)
        local none = row.none
        return {
          batch.link {
            uid = "a", providerId = "x.com", rawId = "1", email = none, displayName = none,
            photoUrl = none,
          },
          batch.import { account = {
            uid = "b", email = none, displayName = none, phoneNumber = none, photoURL = none,
            customClaims = { note = "" },
            providerData = { { providerID = "y.com", uid = "2", displayName = none } },
          } },
          row.n == 2 and batch.update { uid = "a", displayName = none } or nil,
        }
      end }
      """, [["n": 1, "none": ""], ["n": 2, "none": ""]])
    #expect(
      result.operations(1) == [
        #"{"op":"link","uid":"a","providerId":"x.com","rawId":"1"}"#,
        #"{"op":"import","account":{"customClaims":{"note":""},"providerData":[{"providerID":"y.com","uid":"2"}],"uid":"b"}}"#,
      ])
    #expect(
      result.fault(2)?.message
        == "plan.lua:14: field 'displayName' of batch.update is empty: false clears it, nil leaves it"
    )
  }

  @Test func `operations come out as a plan has them`() async throws {
    let result = try await PlanRunner(accounts: [["uid": "a"], ["uid": "b"], ["uid": "c"]]).plan(
      """
      local batch = require "luath.batch"
      return batch.define {
        operations = { tell = { run = function(op, account) end } },
        plan = function(row, accounts)
          local a = accounts:byUID "a"
          return {
            batch.setClaims { uid = a, claims = { level = 2 } },
            { batch.setEmail { uid = a, email = "x@example.com", emailVerified = true } },
            batch.update { uid = a, displayName = "Ada", photoURL = false },
            batch.operation("tell", { uid = a, words = { "hello" } }),
            batch.merge { survivor = a, losers = { "b", accounts:byUID "c" } },
          }
        end,
      }
      """, [[:]])
    #expect(result.fault(1) == nil)
    #expect(
      result.operations(1) == [
        #"{"op":"setClaims","uid":"a","claims":{"level":2}}"#,
        #"{"op":"setEmail","uid":"a","email":"x@example.com","verified":true}"#,
        #"{"op":"update","uid":"a","fields":{"displayName":"Ada","photoURL":false}}"#,
        #"{"op":"tell","uid":"a","arguments":{"words":["hello"]}}"#,
        #"{"op":"merge","survivor":"a","loser":"b"}"#,
        #"{"op":"merge","survivor":"a","loser":"c"}"#,
      ])
    #expect(
      result.summary.operations == [
        "setClaims": 1, "setEmail": 1, "update": 1, "tell": 1, "merge": 2,
      ])
  }

  @Test func `a plan cannot change anything`() async throws {
    let result = try await PlanRunner(accounts: [["uid": "a", "email": "a@example.com"]]).plan(
      """
      local batch = require "luath.batch"
      local admin = require("luath.admin").admin()
      local Auth = require "luath.auth"
      local emulator = require "luath.emulator"
      local http = require "luath.http"
      return batch.define { plan = function(row, accounts)
        if row.n == 1 then admin:updateUser("a", { displayName = "x" }) end
        if row.n == 2 then admin:deleteUsers { "a" } end
        if row.n == 3 then Auth.auth():signInAnonymously() end
        if row.n == 4 then emulator.advance(60) end
        if row.n == 5 then http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=x", { json = {} }) end
        local port = emulator.origin:match(":(%d+)$")
        local function post(origin, path)
          http.post(origin .. ":" .. port .. path .. "?key=x", { json = {} })
        end
        if row.n == 6 then post("http://localhost", "/identitytoolkit.googleapis.com/v1/accounts:signUp") end
        if row.n == 7 then post("http://[::1]", "/emulator/v1/projects/p/accounts") end
        if row.n == 8 then post("http://0.0.0.0", "/identitytoolkit.googleapis.com/v1/accounts:signUp") end
        if row.n == 9 then post("http://a.example", "/%69dentitytoolkit.googleapis.com/v1/accounts%3AsignUp") end
        if row.n == 10 then http.get(emulator.origin .. "/emulator/action?mode=verifyEmail&oobCode=c") end
        return nil, admin:getUser("a").email
      end }
      """, (1...11).map { ["n": .integer($0)] })
    for number in 1...10 {
      let fault = try #require(result.fault(number))
      #expect(fault.code == "planOnlyReads")
      #expect(fault.message.contains("a plan only reads, and "))
      #expect(fault.message.hasSuffix("; return an operation from plan instead"))
    }
    #expect(result.rows.last?.reason == "a@example.com")
    #expect(result.isUnchanged)
  }

  @Test func `survivors are chosen by policies, in the same way each time`() async throws {
    let accounts: [JSON] = [
      ["uid": "b", "metadata": ["creationTime": 2000, "lastSignInTime": 9000]],
      [
        "uid": "a", "email": "a@example.com", "emailVerified": true,
        "metadata": ["creationTime": 3000, "lastSignInTime": 8000],
      ],
      [
        "uid": "c", "metadata": ["creationTime": 2000],
        "providerData": [["providerID": "google.com", "uid": "g"]],
      ],
    ]
    let result = try await PlanRunner(accounts: accounts).plan(
      """
      local batch = require "luath.batch"
      return batch.define { plan = function(row, accounts)
        local found = accounts:allByUID { "a", "b", "c" }
        local one, others = batch.survivor[row.policy] { found.a, found.b, found.c }
        return nil, one.uid .. ": " .. others[1].uid .. others[2].uid
      end }
      """,
      ["oldest", "newest", "lastSignedIn", "mostProviders", "verifiedFirst"]
        .map { ["policy": .string($0)] })
    #expect(
      result.rows.map(\.reason) == ["b: ca", "a: bc", "b: ac", "c: ba", "a: bc"])
  }

  @Test func `a cause or reason shows no value of a column that has the name of a secret`()
    async throws
  {
    let result = try await PlanRunner().plan(
      """
      local batch = require "luath.batch"
      return batch.define { plan = function(row)
        if row.n == 1 then return batch.refuse("bad" .. row.password, "no " .. row.password) end
        if row.n == 2 then return nil, "kept " .. row.user.Kennwort_Hash end
        if row.n == 3 then error { password = row.password, message = "at " .. row.pin } end
      end }
      """,
      [
        ["n": 1, "password": "hunter22"], ["n": 2, "user": ["Kennwort_Hash": "hunter22"]],
        ["n": 3, "password": "hunter22", "pin": 481516],
      ])
    #expect(result.fault(1) == RowFailure("bad[secret]", "no [secret]"))
    #expect(result.rows.dropFirst().first?.reason == "kept [secret]")
    #expect(result.fault(3)?.message.hasSuffix("at [secret]") == true)
  }

  @Test func `the key of a row stays in its cause`() async throws {
    let result = try await PlanRunner().plan(
      """
      local batch = require "luath.batch"
      return batch.define { key = "key", plan = function(row) return batch.skip("seen " .. row.key) end }
      """, [["key": "customer-1"]])
    #expect(result.rows.first?.reason == "seen customer-1")
  }
}
