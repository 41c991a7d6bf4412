@testable import System
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

  @Test func `what is no record is refused`() {
    let changes: [JSON] = [
      "update", [:], ["change": "move", "uid": "ada"], ["change": "delete"],
      ["change": "delete", "uid": "ada", "more": 1],
    ]
    for json in changes {
      let fault = #expect(throws: RowFailure.self) { try Change(json: json) }
      #expect(fault?.code == "invalidRecord")
    }
  }
}
