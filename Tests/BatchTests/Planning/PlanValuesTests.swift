@testable import System
import Testing

@testable import Batch

/// Ids, addresses and phone numbers that no account may have, or that two accounts would have.
@Suite(.timeLimit(.minutes(1))) struct PlanValuesTests {
  private static let accounts: [JSON] = [
    ["uid": "ada", "email": "ada@example.com", "phoneNumber": "+4915112345678"],
    ["uid": "bo", "email": "bo@example.com"], ["uid": "cy"],
  ]

  private static func rows(_ steps: [[JSON]]) -> [JSON] {
    steps.enumerated().map { ["n": .integer(Int64($0.offset + 1)), "steps": .array($0.element)] }
  }

  private static let phone: @Sendable (String, JSON) -> JSON = { uid, number in
    ["call": "update", "uid": .string(uid), "phoneNumber": number]
  }
  private static let email: @Sendable (String, JSON) -> JSON = { uid, email in
    ["call": "update", "uid": .string(uid), "email": email]
  }
  private static let merge: JSON = ["call": "merge", "survivor": "bo", "loser": "ada"]

  private static let conflicts: [(String, [[JSON]], [String?])] = [
    (
      "two rows give one number, in two spellings",
      [[phone("bo", "+49 (30) 123-456")], [phone("cy", "+4930123456")]],
      [nil, "phoneNumberClaimedTwice"]
    ),
    (
      "two imports have one number",
      [
        [["call": "import", "account": ["uid": "x", "phoneNumber": "+4930123456"]]],
        [["call": "import", "account": ["uid": "y", "phoneNumber": "+4930123456"]]],
      ], [nil, "phoneNumberClaimedTwice"]
    ),
    ("a number is somebody's", [[phone("bo", "+49 1511 2345678")]], ["phoneNumberAlreadyExists"]),
    (
      "an imported number is somebody's",
      [[["call": "import", "account": ["uid": "x", "phoneNumber": "+4915112345678"]]]],
      ["phoneNumberAlreadyExists"]
    ),
    ("an account may keep its own number", [[phone("ada", "+4915112345678")]], [nil]),
    (
      "the row takes the number away first",
      [[phone("ada", false), phone("bo", "+4915112345678")]], [nil]
    ),
    (
      "the row unlinks the number first",
      [
        [
          ["call": "unlink", "uid": "ada", "providerId": "phone"], phone("bo", "+4915112345678"),
        ]
      ], [nil]
    ),
    (
      "the row takes the address away first",
      [[email("ada", "new@example.com"), email("bo", "ADA@example.com")]], [nil]
    ),
    (
      "one row gives a number to two accounts",
      [[phone("bo", "+4930123456"), phone("cy", "+4930123456")]], ["phoneNumberAlreadyExists"]
    ),
    (
      "one row gives an address to two accounts",
      [[email("bo", "new@example.com"), email("cy", "new@example.com")]], ["emailAlreadyInUse"]
    ),
    (
      "a merge moved the number to the survivor",
      [[merge, phone("cy", "+4915112345678")]], ["phoneNumberAlreadyExists"]
    ),
    (
      "the survivor may set the number that it got", [[merge, phone("bo", "+4915112345678")]], [nil]
    ),
    (
      "the loser of a merge keeps its address",
      [[merge, email("bo", "ada@example.com")]], ["emailAlreadyInUse"]
    ),
    (
      "a deleted account frees both",
      [
        [
          ["call": "delete", "uid": "ada"], email("bo", "ada@example.com"),
          phone("bo", "+4915112345678"),
        ]
      ], [nil]
    ),
  ]

  @Test(arguments: conflicts) func `numbers and addresses belong to one account`(
    _ name: String, _ steps: [[JSON]], _ codes: [String?]
  ) async throws {
    let result = try await PlanRunner(accounts: Self.accounts).plan(
      luaProgram("PlanConflict/steps"), Self.rows(steps))
    #expect(result.problem == nil)
    for (position, code) in codes.enumerated() {
      #expect(result.fault(position + 1)?.code == code, "\(name): \(result.rows)")
    }
  }

  @Test func `the other row is named, and the line of the refused one`() async throws {
    let result = try await PlanRunner(accounts: Self.accounts).plan(
      luaProgram("PlanConflict/steps"),
      Self.rows([[], [Self.phone("bo", "+4930123456")], [], [Self.phone("cy", "+4930123456")]]))
    #expect(result.fault(4)?.message == "row 2 also sets +4930123456 for an account")
    #expect(result.summary.text.contains("phoneNumberClaimedTwice, line 5: row 2 also sets"))
  }

  private static let wrong: [(JSON, String, String)] = [
    (phone("bo", "030 123456"), "invalidPhoneNumber", "is no phone number"),
    (phone("bo", "+49 30 12345678901234"), "invalidPhoneNumber", "4 to 15 digits"),
    (phone("bo", "+12"), "invalidPhoneNumber", "is no phone number"),
    (phone("bo", "+0301234"), "invalidPhoneNumber", "is no phone number"),
    (phone("bo", "+4930123456;"), "invalidPhoneNumber", "is no phone number"),
    (
      ["call": "import", "account": ["uid": "x", "phoneNumber": "none"]], "invalidPhoneNumber",
      "import: none is no phone number"
    ),
    (email("bo", "bo"), "invalidEmail", "update: bo is no e-mail address"),
    (email("bo", "bo@@example.com"), "invalidEmail", "is no e-mail address"),
    (email("bo", "bo @example.com"), "invalidEmail", "is no e-mail address"),
    (email("bo", "bo@example..com"), "invalidEmail", "is no e-mail address"),
    (
      ["call": "setEmail", "uid": "bo", "email": "bo@example.com\n"], "invalidEmail",
      "is no e-mail address"
    ),
    (["call": "disable", "uid": " bo"], "invalidId", "disable: uid begins with a blank"),
    (["call": "disable", "uid": "\u{A0}bo"], "invalidId", "uid begins with a blank"),
    (["call": "disable", "uid": "bo "], "invalidId", "uid ends with a blank"),
    (["call": "delete", "uid": "b\no"], "invalidId", "control character (U+000A)"),
    (["call": "delete", "uid": "bo\r"], "invalidId", "control character (U+000D)"),
    (["call": "delete", "uid": "b\u{0}o"], "invalidId", "control character (U+0000)"),
    (["call": "delete", "uid": "b\u{2028}o"], "invalidId", "control character (U+2028)"),
    (
      ["call": "delete", "uid": .string(String(repeating: "b", count: 129))], "invalidId",
      "129 characters"
    ),
    (["call": "import", "account": ["uid": " x"]], "invalidId", "import: uid begins with a blank"),
    (["call": "merge", "survivor": "bo", "loser": "cy "], "invalidId", "ends with a blank"),
    (
      ["call": "link", "uid": "bo", "providerId": "google.com", "rawId": " g"], "invalidId",
      "link: rawId begins with a blank"
    ),
    (
      ["call": "link", "uid": "bo", "providerId": " google.com", "rawId": "g"], "invalidId",
      "link: providerId begins with a blank"
    ),
    (
      [
        "call": "link", "uid": "bo", "providerId": "google.com",
        "rawId": .string(String(repeating: "g", count: 257)),
      ], "invalidId", "rawId has 257 characters, and at most 256 are allowed"
    ),
  ]

  @Test(arguments: wrong) func `a value that no account may have is refused with its line`(
    _ step: JSON, _ code: String, _ words: String
  ) async throws {
    let result = try await PlanRunner(accounts: Self.accounts).plan(
      luaProgram("PlanConflict/steps"), Self.rows([[step], [Self.phone("cy", "+4930123456")]]))
    #expect(result.problem == nil)
    #expect(result.fault(1)?.code == code, "\(result.rows)")
    #expect(result.fault(1)?.message.contains(words) == true, "\(result.rows)")
    #expect(result.summary.text.contains("\(code), line 2: "))
    #expect(result.fault(2) == nil)
  }
}
