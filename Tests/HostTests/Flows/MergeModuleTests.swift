import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct MergeModuleTests {
  @Test func `a conflict that names no address is the conflict itself`() async throws {
    try await Flow().runScripted(program: "MergeModule/no_address")
  }
}
