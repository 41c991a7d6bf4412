@testable import System
@testable import HTTP
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct BlockingFunctionTests {
  private static let refusal: JSON = [
    "error": [
      "message": "Only {colleagues} may come in", "status": "PERMISSION_DENIED",
      "details": ["form": "https://corp.example/join", "tries": 3, "idToken": "eyJ.secret.x"],
    ]
  ]

  @Test func `what a function of the project answered reaches the script`() async throws {
    try await CannedServer.run(
      { _ in ServerResponse(status: 403, json: Self.refusal) },
      { server in
        try await Flow().run(
          """
          flows.configure("blockingFunctions", { blockingFunctions = { triggers = {
            beforeCreate = { functionUri = "\(server.origin)/create" } } } })
          local function check(err)
            equal(err.rawValue, 17105)
            equal(err.name, "ERROR_BLOCKING_CLOUD_FUNCTION_RETURNED_ERROR")
            equal(err.serverName, "BLOCKING_FUNCTION_ERROR_RESPONSE")
            assert(err.message:find("Only {colleagues} may come in", 1, true), err.message)
            equal(err.details.error.status, "PERMISSION_DENIED")
            equal(err.details.error.details.form, "https://corp.example/join")
            equal(err.details.error.details.tries, 3)
            equal(err.details.error.details.idToken, nil)
            assert(err.hint:find("err.details", 1, true), err.hint)
          end
          check(refused("blockingCloudFunctionError", auth.createUser, auth, "ada@contoso.example", "correct horse"))
          auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
          check(refused("blockingCloudFunctionError", auth.signInWithEmailLink, auth, "ada@contoso.example", (flows.letter())))
          check(refused("blockingCloudFunctionError", auth.signIn, auth, provider("microsoft.com", "ada@contoso.example")))
          equal(auth.currentUser, nil)
          -- People without an address are none of its business.
          auth:signInAnonymously()
          """)
        #expect(server.received.count == 3)
      })
  }

  @Test func `a function that fails in other ways is told by its words`() async throws {
    try await CannedServer.run(
      { _ in ServerResponse(status: 500, body: Array("it { broke".utf8)) },
      { server in
        try await Flow().run(
          """
          local function set(address)
            flows.configure("blockingFunctions", { blockingFunctions = { triggers = {
              beforeSignIn = { functionUri = address } } } })
          end
          set "\(server.origin)/in"
          local err = refused("networkError", auth.createUser, auth, "ada@contoso.example", "correct horse")
          equal(err.serverName, "UNAVAILABLE")
          assert(err.message:find("Error code: 47", 1, true), err.message)
          -- The account stays, since it is made before the function is asked.
          refused("emailAlreadyInUse", auth.createUser, auth, "ada@contoso.example", "correct horse")
          -- Nothing listens there.
          set "http://127.0.0.1:1/in"
          err = refused("blockingCloudFunctionError", auth.createUser, auth, "grace@contoso.example", "correct horse")
          assert(err.message:find("Failed to make request", 1, true), err.message)
          """)
      })
  }
}
