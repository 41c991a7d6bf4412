import Testing

/// What recordings of sign-in pages send to servers that are not the emulator: nothing.
@Suite(.timeLimit(.minutes(1))) struct RecordedTests {
  @Test func `a recording is of no use at a server that is not the emulator`() async throws {
    let trace = try await Flow().run(program: "Recorded/other_server")
    #expect(!trace.isEmpty && !trace.contains { $0.contains("idp.invalid") })
  }

  @Test func `nothing of a forged recording gets into a sign-in`() async throws {
    let trace = try await Flow().run(program: "Recorded/forged")
    #expect(!trace.isEmpty && !trace.contains { $0.contains("evil.example") })
  }
}
