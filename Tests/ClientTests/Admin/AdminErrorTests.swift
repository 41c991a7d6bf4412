@testable import Client
@testable import IdentityToolkit
import Testing

@Suite struct AdminErrorTests {
  @Test func `a code's own sentences stand where none are given`() {
    let error = AdminError(.insufficientPermission)
    #expect(error.message == ErrorCode.insufficientPermission.summary)
    #expect(error.description.contains("18109"))
    #expect(error.description.hasSuffix(ErrorCode.insufficientPermission.hint))
  }
}
