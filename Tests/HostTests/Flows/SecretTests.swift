@testable import System
@testable import Host
import Testing

/// What no trace, error text or `tostring` may show: rule 40 of the facts.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SecretTests {
  @Test func `no secret of a long flow is in a trace, an error or a text`() async throws {
    let (answer, trace) = try await Flow().answer(ofProgram: "Secret/long_flow")
    let secrets = (answer["secrets"]?.array ?? []).compactMap(\.string)
    let texts = (answer["texts"]?.array ?? []).compactMap(\.string)
    try #require(secrets.count > 60 && texts.count > 80 && trace.count > 60)
    var found: [String] = []
    for secret in Set(secrets) {
      for form in Set([secret, PercentEncoding.encode(secret), FormFields([("", secret)]).encoded])
      {
        for text in texts + trace where text.contains(form) { found.append("\(form) in \(text)") }
      }
    }
    #expect(found.isEmpty)
    // What helps stays: names of parameters, hosts and codes.
    #expect(trace.contains { $0.contains("accounts:signInWithIdp?key=… 200") })
    #expect(trace.contains { $0.contains("oauth2/v2.0/authorize?") && $0.contains("state=…") })
  }

  @Test func `no code of a second factor is in the trace`() async throws {
    let (answer, trace) = try await Flow().answer(ofProgram: "Secret/second_factor")
    let secrets = (answer["secrets"]?.array ?? []).compactMap(\.string)
    #expect(secrets.count == 4 && !trace.isEmpty)
    for secret in secrets {
      #expect(!trace.contains { $0.contains(secret) }, "\(secret)")
    }
  }

  @Test func `an error that ends the script tells no secret`() async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local auth = require("luath.auth").auth()
        auth:createUser("ada@contoso.example", "correct horse")
        auth:signIn { email = "ada@contoso.example", password = "battery staple" }
        """)
    #expect(failure.code == "invalidCredential")
    for text in [failure.message, failure.hint ?? "", failure.traceback] {
      #expect(!text.contains("staple") && !text.contains("horse"))
    }
  }
}
