@testable import System
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CredentialTests {
  @Test func `each provider's tokens are sent under the names of the wire`() async throws {
    try await Flow().runScripted(program: "Credential/tokens-on-the-wire")
  }

  @Test func `Apple's name goes along once, as Apple writes it`() async throws {
    try await Flow().runScripted(program: "Credential/apple-name")
  }

  @Test func `a pending token is kept, sent beside the body, and enough alone`() async throws {
    try await Flow().runScripted(program: "Credential/pending-token")
  }

  @Test(arguments: ["facebook.com", "apple.com"])
  func `a provider that the SDK has another library for shows its page here`(
    _ id: String
  ) async throws {
    try await Flow().runScripted(program: "Credential/page", given: ["id": .string(id)])
  }

  @Test func `an account that a sign-in made all the same is named`() async throws {
    // Firebase's emulator makes accounts although it should not.
    try await Flow().runScripted(program: "Credential/stray-account")
  }
}
