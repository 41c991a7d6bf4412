@testable import System
import Testing

@testable import Batch

@Suite struct ChangeTests {
  @Test func `a change names the account that it is about`() {
    #expect(Change.delete(uid: "ada").uid == "ada")
    #expect(Change.create(account: ["localId": "bo"], hash: nil, overwrites: false).uid == "bo")
  }
}
