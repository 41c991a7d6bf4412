@testable import Emulator
@testable import System
import Testing

@testable import Batch

/// Rows that contradict each other, or the accounts.
@Suite(.timeLimit(.minutes(1))) struct PlanConflictTests {
  private static let accounts: [JSON] = [
    [
      "uid": "ada", "email": "ada@example.com",
      "providerData": [["providerID": "google.com", "uid": "g-ada"]],
    ],
    ["uid": "bo", "email": "bo@example.com"],
    [
      "uid": "cy", "email": "cy@example.com",
      "providerData": [["providerID": "google.com", "uid": "g-cy"]],
    ],
  ]

  private func rows(_ steps: [[JSON]]) -> [JSON] {
    steps.enumerated().map { ["n": .integer(Int64($0.offset + 1)), "steps": .array($0.element)] }
  }

  private static let link: @Sendable (String, String) -> JSON = { uid, id in
    [
      "call": "link", "uid": .string(uid), "providerId": "microsoft.com", "rawId": .string(id),
    ]
  }

  private static let pairs: [(String, [[JSON]], [String?])] = [
    (
      "two rows link one identity", [[link("ada", "m")], [link("bo", "m")]],
      [nil, "identityClaimedTwice"]
    ),
    (
      "two rows link one provider of an account", [[link("ada", "m")], [link("ada", "n")]],
      [nil, "providerClaimedTwice"]
    ),
    (
      "a merged account is linked",
      [
        [["call": "merge", "survivor": "bo", "loser": "ada"]], [link("ada", "m")],
      ], [nil, "accountClaimed"]
    ),
    (
      "a linked account is merged",
      [
        [link("ada", "m")], [["call": "merge", "survivor": "bo", "loser": "ada"]],
      ], [nil, "accountClaimed"]
    ),
    (
      "an account is deleted and changed",
      [
        [["call": "disable", "uid": "ada"]], [["call": "delete", "uid": "ada"]],
      ], [nil, "accountClaimed"]
    ),
    (
      "a field is changed twice",
      [
        [["call": "disable", "uid": "ada"]], [["call": "enable", "uid": "ada"]],
      ], [nil, "fieldClaimedTwice"]
    ),
    (
      "different fields may be changed",
      [
        [["call": "disable", "uid": "ada"]],
        [["call": "setClaims", "uid": "ada", "claims": ["a": 1]]],
      ], [nil, nil]
    ),
    (
      "two rows give one address",
      [
        [["call": "setEmail", "uid": "ada", "email": "New@example.com"]],
        [["call": "setEmail", "uid": "bo", "email": "new@example.com"]],
      ], [nil, "emailClaimedTwice"]
    ),
    (
      "an address is somebody's",
      [
        [["call": "setEmail", "uid": "ada", "email": "bo@example.com"]]
      ], ["emailAlreadyInUse"]
    ),
    (
      "an identity is somebody's",
      [
        [["call": "link", "uid": "bo", "providerId": "google.com", "rawId": "g-ada"]]
      ], ["credentialAlreadyInUse"]
    ),
    (
      "unless the row takes it away first",
      [
        [
          ["call": "unlink", "uid": "ada", "providerId": "google.com"],
          ["call": "link", "uid": "bo", "providerId": "google.com", "rawId": "g-ada"],
        ]
      ], [nil]
    ),
    (
      "an account holds one identity of a provider",
      [
        [["call": "link", "uid": "ada", "providerId": "google.com", "rawId": "other"]]
      ], ["providerAlreadyLinked"]
    ),
    (
      "a merge of two identities of one provider",
      [[["call": "merge", "survivor": "ada", "loser": "cy"]]], ["providerAlreadyLinked"]
    ),
    (
      "nobody is there", [[["call": "disable", "uid": "zoe"]]], ["userNotFound"]
    ),
    (
      "somebody is there", [[["call": "import", "account": ["uid": "ada"]]]],
      ["uidAlreadyExists"]
    ),
    (
      "an account is made twice",
      [
        [["call": "import", "account": ["uid": "new"]]],
        [["call": "import", "account": ["uid": "new"]]],
      ], [nil, "accountClaimed"]
    ),
    (
      "a refused row claims nothing",
      [
        [link("ada", "m"), ["call": "disable", "uid": "zoe"]], [link("bo", "m")],
      ], ["userNotFound", nil]
    ),
  ]

  @Test(arguments: pairs) func `conflicts are found, and the later row is refused`(
    _ name: String, _ steps: [[JSON]], _ codes: [String?]
  ) async throws {
    let result = try await PlanRunner(accounts: Self.accounts).plan(
      luaProgram("PlanConflict/steps"), rows(steps))
    #expect(result.problem == nil)
    for (position, code) in codes.enumerated() {
      #expect(result.fault(position + 1)?.code == code, "\(name): \(result.rows)")
    }
  }

  /// Rows that give an address away which somebody has, or another row.
  private static let sharing: [[JSON]] = [
    [["call": "setEmail", "uid": "bo", "email": "ada@example.com"]],
    [["call": "import", "account": ["uid": "new", "email": "ada@example.com"]]],
  ]

  @Test(arguments: [true, false])
  func `several accounts have an address where the project allows it`(
    isOne: Bool
  ) async throws {
    var runner = PlanRunner(accounts: Self.accounts)
    runner.project.oneAccountPerEmail = isOne
    let result = try await runner.plan(luaProgram("PlanConflict/steps"), rows(Self.sharing))
    #expect(result.problem == nil)
    let code = isOne ? "emailAlreadyInUse" : nil
    #expect(result.fault(1)?.code == code)
    #expect(result.fault(2)?.code == code)
  }

  @Test func `a script says whether several accounts have an address where it knows better`()
    async throws
  {
    for isOne in [true, false] {
      var runner = PlanRunner(accounts: Self.accounts)
      runner.project.oneAccountPerEmail = !isOne
      let script = try luaProgram("PlanConflict/steps").replacing(
        "batch.define {", with: "batch.define { oneAccountPerEmail = \(isOne),")
      let result = try await runner.plan(script, rows(Self.sharing))
      #expect(result.fault(1)?.code == (isOne ? "emailAlreadyInUse" : nil))
    }
  }

  @Test func `what the backend may name one of several of is not looked up by its address`()
    async throws
  {
    var runner = PlanRunner(accounts: Self.accounts)
    runner.project.oneAccountPerEmail = false
    let script = try luaProgram("PlanConflict/by-email")
    let refused = try await runner.plan(script, [["email": "ada@example.com"]])
    #expect(refused.fault(1)?.code == "operationNotAllowed")
    #expect(refused.fault(1)?.message.contains("--accounts EXPORT") == true)
    let known = try await runner.plan(
      script.replacing("define {", with: "define { oneAccountPerEmail = true,"),
      [["email": "ada@example.com"]])
    #expect(known.rows.first?.reason == "ada")
    let export = try TemporaryExport([
      ["localId": "ada", "email": "ada@example.com"],
      ["localId": "al", "email": "ada@example.com"],
    ])
    runner.changes = { $0.accountsPath = export.path }
    let given = try await runner.plan(
      script.replacing("[1].uid", with: "[2].uid"), [["email": "ada@example.com"]])
    #expect(given.rows.first?.reason == "al")
  }

  @Test func `the other row is named`() async throws {
    let result = try await PlanRunner(accounts: Self.accounts).plan(
      luaProgram("PlanConflict/steps"),
      rows([[], [Self.link("ada", "m")], [], [Self.link("bo", "m")]]))
    #expect(result.fault(4)?.message == "row 2 has m of microsoft.com as well")
    #expect(result.summary.text.contains("identityClaimedTwice, line 5: row 2 has m"))
  }

  @Test func `a key that another row has is refused, whatever the row does`() async throws {
    let result = try await PlanRunner().plan(
      luaProgram("PlanConflict/steps"),
      [["key": "a", "steps": []], ["key": "b", "steps": []], ["key": "a", "steps": []]])
    #expect(result.fault(1) == nil && result.fault(2) == nil)
    #expect(result.fault(3) == RowFailure("duplicateKey", "row 1 has the key a as well"))
  }
}
