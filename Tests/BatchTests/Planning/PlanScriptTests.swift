@testable import Host
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
      "plan.lua: unknown setting 'keys' of batch.define; there are arguments, columns, key, oneAccountPerEmail, operations, plan"
    ),
    (
      "return require('luath.batch').define { plan = print, operations = { link = {} } }",
      "plan.lua: the operation 'link' is luath's own; choose another name"
    ),
    (
      "return require('luath.batch').define { plan = print, operations = { tell = { undo = print } } }",
      "plan.lua: the operation 'tell' needs run = function(op, account) … end"
    ),
    (
      "return require('luath.batch').define { plan = print, arguments = { region = true } }",
      "plan.lua: arguments of batch.define: a list of names expected, such as { \"region\" }, got the key 'region'"
    ),
    (
      "return require('luath.batch').define { plan = print, arguments = { 'password' } }",
      "plan.lua: the argument 'password' of batch.define would be readable in the plan and its journal; pass secrets in the environment: os.getenv \"NAME\""
    ),
    (
      "return require('luath.batch').define { plan = print, arguments = { '' } }",
      "plan.lua: arguments[1] of batch.define: '' is not a name that NAME=VALUE can set"
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

  private static let arguments = """
    local batch = require "luath.batch"
    return batch.define {
      arguments = { "region" },
      oneAccountPerEmail = true,
      plan = function(row)
        return batch.skip(("%s %s %s"):format(batch.tenantID, batch.args.region, batch.args.level))
      end,
    }
    """

  @Test func `a script sees the tenant and its arguments`() async throws {
    let result = try await PlanRunner(changes: {
      $0.scope = BatchScope(tenantID: "eu-1", arguments: ["region": "EU"])
    }).plan(Self.arguments, [[:]])
    #expect(result.problem == nil)
    #expect(result.rows.first?.reason == "eu-1 EU nil")
    let lacking = try await PlanRunner().plan(Self.arguments, [[:]])
    #expect(lacking.problem?.message == "plan.lua: the plan needs the argument 'region'")
    #expect(lacking.problem?.hint == "write it at the end of the command: -- region=VALUE")
  }

  private static let mistakes: [(String, String)] = [
    ("batch.link { uid = 'a', providerId = 'google.com' }", "batch.link needs 'rawId'"),
    (
      "batch.link { uid = 'a', providerId = 'x', rawID = 7 }",
      "field 'rawID' of batch.link: string expected, got number"
    ),
    (
      "batch.link { uid = 'a', provider = 'x', rawId = 'r' }",
      "unknown field 'provider' of batch.link; there are displayName, email, expect, onChange, photoUrl, providerId, rawId, uid"
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
      luaProgram("PlanScript/call", ["CALL": call]), [[:]])
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
      luaProgram("PlanScript/tail-call", ["CALL": call]), [["n": 1]])
    #expect(result.fault(1)?.message.hasPrefix(place) == true, "\(result.fault(1)?.message ?? "")")
  }

  @Test func `an empty cell is no value where none is needed`() async throws {
    let result = try await PlanRunner(accounts: [["uid": "a"]]).plan(
      luaProgram("PlanScript/empty-cells"), [["n": 1, "none": ""], ["n": 2, "none": ""]])
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
      luaProgram("PlanScript/operations"), [[:]])
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
      luaProgram("PlanScript/changes"), (1...11).map { ["n": .integer($0)] })
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
      luaProgram("PlanScript/survivors"),
      ["oldest", "newest", "lastSignedIn", "mostProviders", "verifiedFirst"]
        .map { ["policy": .string($0)] })
    #expect(
      result.rows.map(\.reason) == ["b: ca", "a: bc", "b: ac", "c: ba", "a: bc"])
  }

  @Test func `a cause or reason shows no value of a column that has the name of a secret`()
    async throws
  {
    let result = try await PlanRunner().plan(
      luaProgram("PlanScript/secrets"),
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
