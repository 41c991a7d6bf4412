import Testing

/// Where Apple's SDK is known to do the wrong thing, luath does the right one.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SDKFaultTests {
  @Test func `a lost pending token: it is kept, alone and beside other tokens`() async throws {
    try await Flow().runScripted(program: "SDKFault/pending_token")
  }

  @Test func `an unescaped posted body: every value arrives as it was`() async throws {
    try await Flow().runScripted(program: "SDKFault/posted_body")
  }

  @Test func `a stray account of a refused reauthenticate is named`() async throws {
    try await Flow().runScripted(program: "SDKFault/stray_account")
  }

  @Test func `a link that needs a confirmation is an error, where the SDK crashes`() async throws {
    try await Flow().runScripted(program: "SDKFault/link_confirmation")
  }
}
