import Encoding
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct JournalCodecTests {
  static let changes: [Change] = [
    .update(uid: "ada", body: ["deleteProvider": ["google.com"]]),
    .create(account: ["localId": "ada"], hash: ["hashAlgorithm": "BCRYPT"], overwrites: true),
    .create(account: ["localId": "ada"], hash: nil, overwrites: false),
    .delete(uid: "ada"),
    .linkAsUser(uid: "ada", credential: ["providerId": "google.com", "idToken": "t"]),
    .custom(name: "crm", uid: "ada", arguments: ["id": 7]),
    .custom(name: "crm", uid: nil, arguments: .null),
  ]

  @Test(arguments: changes) func `a change comes back from the journal as it went in`(
    change: Change
  ) throws {
    let text = change.json.encoded()
    let back = try Change(json: JSON.parse(text))
    #expect(back.json.encoded() == text)
    #expect(back.uid == change.uid)
  }

  @Test(arguments: StepOutcome.Result.allCases)
  func `an outcome comes back from the journal as it went in`(result: StepOutcome.Result) throws {
    let fault = result == .failed ? RowFault("credentialAlreadyInUse", "another has it") : nil
    let outcome = StepOutcome(
      row: 7, step: 2, result: result, fault: fault, at: 1_700_000_000_123, microseconds: 512,
      attempts: 3)
    let back = try StepOutcome(json: JSON.parse(outcome.json.encoded()))
    #expect(back.json == outcome.json)
    #expect(back.fault == fault)
  }

  @Test func `what is no record is refused`() {
    let changes: [JSON] = [
      "update", [:], ["change": "move", "uid": "ada"], ["change": "delete"],
      ["change": "delete", "uid": "ada", "more": 1],
    ]
    for json in changes {
      let fault = #expect(throws: RowFault.self) { try Change(json: json) }
      #expect(fault?.code == "invalidRecord")
    }
    for json: JSON in [1, ["row": 1], ["row": 1, "step": 1, "result": "lost"]] {
      let fault = #expect(throws: RowFault.self) { try StepOutcome(json: json) }
      #expect(fault?.code == "invalidRecord")
    }
  }
}
