@testable import System
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct OIDCModuleTests {
  // S22
  @Test func `no token, code or state is in the trace`() async throws {
    let (answer, trace) = try await Flow().answer(ofProgram: "OIDCModule/trace")
    let secrets = (answer["secrets"]?.array ?? []).compactMap(\.string)
    #expect(secrets.count >= 6)
    for secret in secrets {
      #expect(!trace.contains { $0.contains(secret) })
    }
  }
}
