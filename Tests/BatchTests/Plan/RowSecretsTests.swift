@testable import System
import Testing

@testable import Batch

@Suite struct RowSecretsTests {
  private func cleaned(_ input: JSONObject, _ text: String) -> String {
    let row = PlannedRow(number: 1, line: 2, key: "ada", input: input, decision: .skip)
    return RowSecrets(row).clean(text)
  }

  @Test
  func `a number of four or five digits under the name of a secret is masked as a whole word`() {
    #expect(
      cleaned(["pin": "1234"], "pin 1234 is old, 12345 is not")
        == "pin [secret] is old, 12345 is not")
    #expect(cleaned(["pin": 98765], "no 98765") == "no [secret]")
    #expect(cleaned(["uid": "1234"], "no 1234") == "no 1234")
  }

  @Test func `shorter values are not masked inside of texts, where they would be anything`() {
    #expect(cleaned(["pin": "12", "password": "abc"], "12 accounts, abc") == "12 accounts, abc")
  }
}
