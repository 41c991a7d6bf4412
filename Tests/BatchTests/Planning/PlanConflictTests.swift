import Encoding
import Testing

@testable import Batch

/// Rows that contradict each other, or the accounts.
@Suite(.timeLimit(.minutes(1))) struct PlanConflictTests {
  /// Does what the row's `do` says, in the words of a plan.
  private static let script = """
    local batch = require "luath.batch"
    return batch.define {
      key = function(row) return row.key or row.n end,
      plan = function(row, accounts)
        local list = {}
        for i, one in ipairs(row.steps) do
          local name, fields = one.call, {}
          for key, value in pairs(one) do
            if key ~= "call" then fields[key] = value end
          end
          list[i] = batch[name](fields)
        end
        return list
      end,
    }
    """
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
    let result = try await PlanRunner(accounts: Self.accounts).plan(Self.script, rows(steps))
    #expect(result.problem == nil)
    for (position, code) in codes.enumerated() {
      #expect(result.fault(position + 1)?.code == code, "\(name): \(result.rows)")
    }
  }

  @Test func `the other row is named`() async throws {
    let result = try await PlanRunner(accounts: Self.accounts).plan(
      Self.script, rows([[], [Self.link("ada", "m")], [], [Self.link("bo", "m")]]))
    #expect(result.fault(4)?.message == "row 2 has m of microsoft.com as well")
    #expect(result.summary.text.contains("identityClaimedTwice, line 5: row 2 has m"))
  }

  @Test func `a key that another row has is refused, whatever the row does`() async throws {
    let result = try await PlanRunner().plan(
      Self.script,
      [["key": "a", "steps": []], ["key": "b", "steps": []], ["key": "a", "steps": []]])
    #expect(result.fault(1) == nil && result.fault(2) == nil)
    #expect(result.fault(3) == RowFault("duplicateKey", "row 1 has the key a as well"))
  }
}
