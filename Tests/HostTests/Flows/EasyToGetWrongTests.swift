@testable import Emulator
@testable import System
@testable import HTTP
import Testing

/// What is easy to get wrong in a client of Firebase Auth, as far as it takes a server made here.
///
/// Each number of the list has a test of that name here or in `easy_to_get_wrong_spec.lua`; further
/// suites look at most of them more closely.
@Suite(.serialized, .timeLimit(.minutes(1))) struct EasyToGetWrongTests {
  @Test func `no. 2 an answer of status 200 is searched for failures in the right order`()
    async throws
  {
    try await Flow().runScripted(program: "EasyToGetWrong/02-failures-of-status-200")
  }

  @Test func `no. 3 the values of the posted body are percent-encoded`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/03-posted-body")
  }

  @Test func `no. 4 Azure's tenant and the Identity Platform's are two things`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/04-two-tenants")
  }

  @Test func `no. 5 the session id of createAuthUri comes back unchanged`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/05-session-id")
  }

  @Test func `no. 6 the raw nonce goes to the backend and its hash to the provider`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    var runner = ScriptRunner()
    var own = ProviderConfiguration(id: "oidc.own")
    (own.issuer, own.clientID) = (issuer.origin, issuer.clientID)
    runner.project.providers["oidc.own"] = own
    let hash = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
    let tokens = [
      JSON.string(try issuer.idToken(["sub": "ada", "nonce": .string(hash)])),
      .string(try issuer.idToken(["sub": "ada"])),
    ]
    try await Flow(runner: runner).run(
      program: "EasyToGetWrong/06-nonce-checked",
      given: ["tokens": .array(tokens), "hash": .string(hash)])
    try await Flow().runScripted(program: "EasyToGetWrong/06-nonce-sent")
  }

  @Test func `no. 7 the pending token stands beside the posted body, and both are sent`()
    async throws
  {
    try await Flow().runScripted(program: "EasyToGetWrong/07-pending-token")
  }

  @Test func `no. 8 the updated credential is made of a pending token alone, or is absent`()
    async throws
  {
    try await Flow().runScripted(program: "EasyToGetWrong/08-updated-credential")
  }

  @Test func `no. 11 a link can need a confirmation too`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/11-link-confirmation")
  }

  @Test func `no. 14 providerData has no order, and its uid is the raw one`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/14-provider-data")
  }

  @Test func `no. 18 scopes are JSON by provider, joined with commas, without empty ones`()
    async throws
  {
    try await Flow().runScripted(program: "EasyToGetWrong/18-scopes")
  }

  @Test func `no. 19 numbers come as numbers and as text, and tokens in snake case`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/19-numbers")
  }

  @Test func `no. 20 the user name has two names, and the profile is text`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/20-user-name")
  }

  @Test func `no. 25 a second factor's answer has no lifetime, so the token's own counts`()
    async throws
  {
    try await Flow().runScripted(program: "EasyToGetWrong/25-second-factor-lifetime")
  }

  @Test func `no. 26 a profile field is cleared by deleting the attribute`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/26-cleared-field")
  }

  @Test func `no. 27 what a code is for has two spellings, and an e-mail link has no address`()
    async throws
  {
    try await Flow().runScripted(program: "EasyToGetWrong/27-code-operations")
  }

  @Test func `no. 28 a code is applied without a user`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/28-applied-code")
  }

  @Test func `no. 31 signing out asks nobody, and deleting signs out`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/31-signing-out")
  }

  @Test func `no. 33 where a page comes back to has no fragment and no state`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/33-redirect-address")
  }

  @Test func `no. 34 a request URI is sent even where nothing redirected`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/34-request-uri")
  }

  @Test func `no. 35 a message is parted at its first colon`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/35-message-colon")
  }

  @Test func `no. 36 two names have no prefix`() async throws {
    try await Flow().runScripted(program: "EasyToGetWrong/36-names-without-prefix")
  }

  @Test func `no. 37 the application identifies itself to a restricted key`() async throws {
    let runner = ScriptRunner(headers: ["X-Ios-Bundle-Identifier": "example.app"])
    try await Flow(runner: runner).runScripted(program: "EasyToGetWrong/37-restricted-key")
  }

  @Test func `no. 40 nothing that is printed or traced holds a secret`() async throws {
    let (answer, trace) = try await Flow().answer(ofProgram: "EasyToGetWrong/40-printed-secrets")
    let secrets = (answer.array ?? []).compactMap(\.string) + ["key=test"]
    #expect(secrets.count == 8)
    #expect(trace.count > 5)
    for line in trace {
      for secret in secrets { #expect(!line.contains(secret), "\(line)") }
    }
  }
}
