@testable import Emulator
@testable import System
@testable import HTTP
import Testing

/// What scripts can and cannot do when the target is Firebase's emulator.
@Suite(.serialized, .timeLimit(.minutes(1))) struct FirebaseEmulatorTests {
  /// A flow against a stand-in for Firebase's emulator.
  private let flow = Flow(runner: ScriptRunner(rules: .compatible, isFirebase: true))

  @Test func `the program behind the address is recognised`() async throws {
    try await flow.run(#"equal(emulator.kind(), "firebase") equal(emulator.kind(), "firebase")"#)
    for rules in [Rules.production, .compatible] {
      try await Flow(runner: ScriptRunner(rules: rules)).run(#"equal(emulator.kind(), "luath")"#)
    }
  }

  @Test func `an address where something else answers is no emulator that is known`() async throws {
    for answer in [
      ServerAnswer.page, .strangeJSON, .failure,
    ] {
      try await CannedServer.run({ _ in answer.response }) { server in
        try await Flow(runner: ScriptRunner(origin: server.origin)).run(
          """
          equal(emulator.kind(), nil)
          refused("emulatorRefused", emulator.advance, 1)
          """)
      }
    }
  }

  @Test func `every control that only luath has says so`() async throws {
    try await flow.run(program: "FirebaseEmulator/controls")
  }

  @Test func `settings that Firebase's emulator would ignore are refused, and the others hold`()
    async throws
  {
    try await flow.run(program: "FirebaseEmulator/settings")
    try await Flow(runner: ScriptRunner(rules: .compatible)).run(
      """
      local err = refused("notImplemented", emulator.configure, { identityPlatform = false })
      assert(err.message:find("rules of this emulator", 1, true), err.message)
      assert(err.hint:find("+projectSettings", 1, true), err.hint)
      """)
  }

  @Test func `sign-in pages, OIDC clients and devices need luath's providers`() async throws {
    try await flow.run(program: "FirebaseEmulator/pages")
  }

  @Test func `an OIDC server elsewhere that has no description is not blamed on the emulator`()
    async throws
  {
    try await CannedServer.run({ _ in .init(status: 404, json: ["error": ["status": "NOT_FOUND"]]) }
    ) {
      server in
      try await flow.run(
        """
        local oidc = require "luath.oidc"
        refused("discoveryFailed", oidc.client, { issuer = "\(server.origin)", clientID = "c" })
        """)
    }
  }

  @Test func `authenticator apps need luath's emulator, or its rule`() async throws {
    let program = "FirebaseEmulator/apps"
    try await flow.run(program: program, given: ["isFirebase": true])
    try await Flow(runner: ScriptRunner(rules: .compatible)).run(
      program: program, given: ["isFirebase": false])
  }

  @Test
  func `people sign in by password, and need luath's emulator for what providers know of them`()
    async throws
  {
    try await flow.run(program: "FirebaseEmulator/people")
  }

  @Test func `a missing page for people is an error elsewhere`() async throws {
    try await CannedServer.run({ _ in ServerAnswer.page.response }) { server in
      try await Flow(runner: ScriptRunner(origin: server.origin)).run(
        """
        mistake("status 404", require("luath.actor").new, {})
        """)
    }
  }

  @Test func `ID tokens of Microsoft and Yahoo are sent, as its rules believe them`() async throws {
    try await flow.run(program: "FirebaseEmulator/tokens")
    try await Flow().run(
      """
      local err = refused("invalidCredential", auth.signIn, auth, Auth.OAuthProvider.credential("microsoft.com", "i"))
      assert(err.message:find("audience", 1, true), err.message)
      """)
  }

  @Test func `imported hashes are warned of, which it never checks`() async throws {
    let lines = try await flow.run(program: "FirebaseEmulator/hashes")
    #expect(
      lines.contains { $0.hasPrefix("warning: Firebase's emulator has no check of imported") })
    let own = try await Flow().run(program: "FirebaseEmulator/hashes")
    #expect(!own.contains { $0.hasPrefix("warning") })
  }

  @Test func `custom tokens, codes and tenants work`() async throws {
    try await flow.run(program: "FirebaseEmulator/codes")
  }
}

/// What a program that is no emulator may answer to everything.
private enum ServerAnswer {
  case page, strangeJSON, failure

  var response: ServerResponse {
    switch self {
    case .page: ServerResponse(status: 404, text: "<h1>Not Found</h1>", type: "text/html")
    case .strangeJSON: ServerResponse(status: 404, json: ["error": "gone"])
    case .failure: ServerResponse(status: 500, json: ["advancedSeconds": 1])
    }
  }
}
