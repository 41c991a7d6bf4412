@testable import Batch
@testable import Client
@testable import Emulator
@testable import System
import Testing

/// What a plan notes of the accounts that it rests on, and what the run compares.
@Suite(.timeLimit(.minutes(2))) struct PreconditionTests {
  private static let accounts: [JSON] = [
    [
      "uid": "ada", "email": "ada@example.com", "displayName": "Ada",
      "providerData": [["providerID": "google.com", "uid": "g-ada"]],
    ],
    ["uid": "bo", "email": "bo@example.com"],
  ]

  /// The compared fields by uid, and the identifiers that nobody has, as a plan has them.
  private static func expects(_ row: PlannedRow) -> JSON {
    let json = row.expects.json
    var fields = JSONObject()
    for (uid, digests) in json["accounts"]?.object?.entries ?? [] {
      // A row that changes the field stands behind the digest.
      fields[uid] = .array(
        (digests.string ?? "").split(separator: " ").map { field in
          let parts = field.split(separator: "=")
          return .string("\(parts[0])\(parts[1].dropFirst(16))")
        })
    }
    if let absent = json["absent"] { fields["nobody"] = absent }
    return .object(fields)
  }

  private static func plan(_ bodies: [String]) async throws -> PlanRunner.Result {
    let cases = bodies.enumerated().map {
      "[\($0.offset + 1)] = function(accounts) \($0.element) end,"
    }
    let script = try luaProgram("Preconditions/cases", ["CASES": cases.joined(separator: "\n")])
    let rows: [JSON] = bodies.indices.map { ["n": .integer(Int64($0 + 1))] }
    return try await PlanRunner(accounts: accounts).plan(script, rows)
  }

  private static let reads: [(String, JSON)] = [
    ("return batch.disable { uid = 'ada' }", ["ada": ["disabled"]]),
    (
      "return batch.update { uid = accounts:byEmail('ada@example.com')[1], displayName = 'A' }",
      ["ada": ["displayName", "email"]]
    ),
    (
      "local a = accounts:byUID 'ada'; if a.customClaims or a.phoneNumber then error 'no' end "
        + "return batch.enable { uid = a }",
      ["ada": ["customClaims", "disabled", "phoneNumber"]]
    ),
    (
      "local a = accounts:byProvider('google.com', 'g-ada'); return batch.delete { uid = 'bo' }, a.uid",
      [
        "ada": ["providerData.google.com"],
        "bo": [
          "customClaims", "disabled", "displayName", "email", "emailVerified",
          "metadata.lastRefreshTime", "metadata.lastSignInTime", "multiFactor", "phoneNumber",
          "photoURL", "providerData", "tenantID",
        ],
      ]
    ),
    (
      "local a, b = accounts:byUID 'ada', accounts:byUID 'bo' "
        + "local s = batch.survivor.oldest { a, b }; return batch.disable { uid = s }",
      ["ada": ["disabled", "metadata.creationTime"], "bo": ["metadata.creationTime"]]
    ),
    (
      "local a = accounts:byUID 'ada'; local n = 0; for k in pairs(a) do n = n + 1 end "
        + "return batch.setClaims { uid = 'bo', claims = { n = n } }",
      [
        "ada": [
          "customClaims", "disabled", "displayName", "email", "emailVerified", "multiFactor",
          "phoneNumber", "photoURL", "providerData", "tenantID",
        ], "bo": ["customClaims"],
      ]
    ),
    (
      "if accounts:byEmail('nobody@example.com')[1] or accounts:byUID 'none' then error 'no' end "
        + "return batch.unlink { uid = 'ada', providerId = 'google.com' }",
      [
        "ada": ["providerData.google.com"],
        "nobody": [["email": "nobody@example.com"], ["uid": "none"]],
      ]
    ),
    (
      "if accounts:byUID 'new' then error 'no' end return batch.import { account = { uid = 'new' } }",
      [:]
    ),
    (
      "local a = accounts:byUID 'ada'; assert(a.displayName == 'Ada'); a.displayName = nil "
        + "assert(a.displayName == nil) return batch.disable { uid = a, onChange = 'ignore' }",
      [:]
    ),
    (
      "return batch.disable { uid = 'ada', onChange = 'ignore', "
        + "expect = { email = 'ADA@example.com', phoneNumber = false } }",
      ["ada": ["email", "phoneNumber"]]
    ),
    (
      "return batch.operation('tell', { uid = 'bo', account = accounts:byUID 'ada' })",
      [
        "ada": [
          "customClaims", "disabled", "displayName", "email", "emailVerified",
          "metadata.creationTime", "metadata.lastRefreshTime", "metadata.lastSignInTime",
          "multiFactor", "phoneNumber", "photoURL", "providerData", "tenantID",
        ]
      ]
    ),
  ]

  @Test(arguments: reads) func `a row notes the fields that its script read or that it depends on`(
    _ body: String, _ fields: JSON
  ) async throws {
    let result = try await Self.plan([body])
    let row = try #require(result.rows.first)
    #expect(result.problem == nil && result.fault(1) == nil, "\(row.decision)")
    #expect(Self.expects(row).encoded(sortedKeys: true) == fields.encoded(sortedKeys: true))
    let read = try PlannedRow(json: row.json)
    #expect(read.json == row.json)
  }

  @Test func `a record that a script passes on is whole`() async throws {
    let result = try await Self.plan([
      "return batch.operation('tell', { account = accounts:byUID 'ada' })",
      "return batch.skip(require('luath.json').encode(accounts:byUID 'ada'))",
    ])
    let operation = try #require(result.operations(1).first)
    #expect(operation.contains(#""displayName":"Ada""#) && operation.contains(#""uid":"ada""#))
    #expect(operation.contains(#""metadata":{"creationTime":"#))
    #expect(result.rows[1].reason?.contains(#""displayName":"Ada""#) == true)
    #expect(result.rows[1].reason?.contains(#""uid":"ada""#) == true)
  }

  private static let unmet: [(String, String)] = [
    (
      "batch.disable { uid = 'ada', expect = { email = 'bo@example.com', displayName = 'Ada' } }",
      "the account ada is not as the row expects it: email"
    ),
    (
      "batch.disable { uid = 'ada', expect = { email = false, disabled = true } }",
      "the account ada is not as the row expects it: disabled, email"
    ),
    (
      "batch.disable { uid = 'ada', expect = { emial = 'x' } }",
      "unknown field 'emial' in 'expect' of batch.disable; there are customClaims, disabled, displayName, "
        + "email, emailVerified, phoneNumber, photoURL"
    ),
    (
      "batch.disable { uid = 'ada', expect = { email = 7 } }",
      "field 'email' in 'expect' of batch.disable: string or false expected, got 7"
    ),
    (
      "batch.disable { uid = 'ada', expect = { disabled = 'no' } }",
      "field 'disabled' in 'expect' of batch.disable: boolean expected, got no"
    ),
    (
      "batch.disable { uid = 'ada', onChange = 'skip' }",
      "field 'onChange' of batch.disable: only \"ignore\" is known, got \"skip\""
    ),
    (
      "batch.merge { survivor = 'ada', loser = 'bo', expect = {} }",
      "unknown field 'expect' of batch.merge; there are loser, losers, onChange, providers, survivor"
    ),
  ]

  @Test(arguments: unmet) func `what is not as expected is refused while planning`(
    _ call: String, _ message: String
  ) async throws {
    let result = try await Self.plan(["return " + call])
    #expect(result.fault(1)?.message.hasSuffix(message) == true, "\(result.rows)")
  }

  @Test func `a row notes which earlier row of the plan changes what it compares`() async throws {
    let result = try await Self.plan([
      "return batch.setClaims { uid = 'ada', claims = { level = 1 } }",
      "return batch.link { uid = 'ada', providerId = 'microsoft.com', rawId = 'm' }",
      "local a = accounts:byUID 'ada'; return batch.disable { uid = a }, tostring(a.customClaims)",
      "if accounts:byEmail('later@example.com')[1] then error 'no' end "
        + "return batch.setEmail { uid = 'bo', email = 'later@example.com' }",
      "if accounts:byEmail('later@example.com')[1] then error 'no' end "
        + "return batch.unlink { uid = 'bo', providerId = 'x' }",
      "return batch.operation('tell', { uid = 'ada' })",
      "return batch.update { uid = 'ada', displayName = 'A' }",
    ])
    #expect(
      result.rows.map(Self.expects) == [
        ["ada": ["customClaims"]], ["ada": ["disabled", "providerData.microsoft.com"]],
        ["ada": ["customClaims@1", "disabled"]],
        ["bo": ["email"], "nobody": [["email": "later@example.com"]]],
        ["bo": ["providerData.x"]], [:], ["ada": ["displayName@6"]],
      ])
  }

  @Test(arguments: [
    #"{"accounts":{"ada":"name=00"}}"#, #"{"accounts":{"ada":{"email":"00"}}}"#, #"{"who":1}"#,
    #"{"accounts":{"ada":"email=x"}}"#, #"{"accounts":{"ada":"email=00@x"}}"#,
    #"{"accounts":{"ada":"email"}}"#, #"{"absent":[{"mail":"x"}]}"#, "7",
  ]) func `preconditions that no plan has are refused`(_ expects: String) throws {
    let row =
      #"{"row":1,"line":2,"key":"a","do":[{"op":"disable","uid":"ada"}],"expects":\#(expects)}"#
    #expect(throws: RowFailure.self) {
      try PlannedRow(json: try JSON.parse(row)).expects.check()
    }
  }

  /// A row that sets the claims of `a0`, which has none when it is planned.
  private static func plannedRow(_ project: EmulatedProject) async throws -> PlannedRow {
    let user = try UserRecord(wire: try #require(try await project.account("a0")))
    var expects = Preconditions()
    expects.add(["customClaims"], of: user)
    return PlannedRow(
      number: 1, line: 1, key: "row-1", input: nil,
      decision: .run([.update(uid: "a0", fields: ["customClaims": ["level": 2]], as: .setClaims)]),
      reason: nil, expects: expects)
  }

  @Test func `an account that was changed after the plan is named before what it prevents`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(2)
      let user = try UserRecord(wire: try #require(try await project.account("a0")))
      var expects = Preconditions()
      expects.add([AccountField.identity(at: "yahoo.com")], of: user)
      let journal = try await ScratchJournal(rows: [
        PlannedRow(
          number: 1, line: 1, key: "row-1", input: nil,
          decision: .run([link("a0", "y0", "yahoo.com")]), reason: nil, expects: expects),
        PlannedRow(
          number: 2, line: 2, key: "row-2", input: nil,
          decision: .run([link("a1", "y1", "yahoo.com")]), reason: nil),
      ])
      for uid in ["a0", "a1"] {
        try await project.change(
          uid, ["linkProviderUserInfo": ["providerId": "yahoo.com", "rawId": "other-\(uid)"]])
      }
      let end = try await project.execute(journal, FinishedRun.settings)
      #expect(end.status.tally.failed == 2)
      let faults = try await journal.rows().map(\.fault)
      #expect(faults.map { $0?.code } == ["changedSincePlan", "providerAlreadyLinked"])
      #expect(faults[0]?.message.contains("a0 was changed: providerData.yahoo.com;") == true)
      await journal.close()
    }
  }

  @Test(arguments: [(#"{"level":9}"#, RowState.failed), (#"{"level":2}"#, .done)])
  func `a step in doubt is sent again only if the account is as it was`(
    _ claims: String, _ state: RowState
  ) async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(1)
      let journal = try await ScratchJournal(rows: [try await Self.plannedRow(project)])
      // The process dies behind the intent, and its call is lost.
      try await project.setFaults([
        ["operation": "update", "error": "INTERNAL_ERROR", "status": 503, "count": 1000]
      ])
      journal.die(after: 1)
      _ = try await project.execute(journal, FinishedRun.settings)
      try await journal.revive()
      #expect(try await journal.steps().map(\.outcome?.result) == [nil])
      try await project.clearFaults()
      try await project.change("a0", ["customAttributes": .string(claims)])
      let end = try await project.execute(journal, FinishedRun.settings)
      #expect(end.problem == nil)
      let row = try #require(try await journal.rows().first)
      #expect(row.state == state)
      #expect(row.fault?.code == (state == .failed ? "changedSincePlan" : nil))
      #expect(row.steps.first?.outcome?.result == (state == .failed ? .failed : .reconciled))
      #expect(try await project.account("a0")?["customAttributes"]?.string == claims)
    }
  }
}
