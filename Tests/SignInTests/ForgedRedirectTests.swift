@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@testable import SignIn

/// A provider, or somebody between it and us, that sends the browser back with what is not ours.
@Suite(.timeLimit(.minutes(1))) struct ForgedRedirectTests {
  private static let handler = "https://demo.example/__/auth/handler"

  /// A backend and a provider in one: each sign-in has a state of its own, and `answer` makes the
  /// address of it that the browser is sent to.
  private static func web(_ answer: @escaping (_ state: String) -> HTTPResponse) -> FakeWeb {
    var count = 0
    return FakeWeb { request in
      if request.url.path.hasSuffix("accounts:createAuthUri") {
        count += 1
        let uri = "https://idp.example/authorize?state=state-\(count)-of-ours&client_id=x"
        let body: JSON = ["authUri": .string(uri), "sessionId": "session", "kind": "x"]
        return page(body.encoded(), ["Content-Type": "application/json"])
      }
      guard request.url.host == "idp.example" else { return page("unexpected", status: 500) }
      return answer(request.url.fields["state"] ?? "")
    }
  }

  /// How many credentials there are to sign in with, and how the rest failed.
  private func outcomes(_ web: FakeWeb, times: Int = 1) async throws -> (Int, [ErrorCode]) {
    let auth = Auth(
      target: Target(projectID: "demo", apiKey: Secret("key"), backend: .production),
      transport: web)
    auth.customAuthDomain = "demo.example"
    let provider = try OAuthProvider("oidc.corp")
    let delegate = FormDelegate(
      transport: web,
      answers: SignInAnswers(username: "ada@idp.example", password: Secret("correct-horse")))
    var good = 0
    var failures: [ErrorCode] = []
    for _ in 0..<times {
      do {
        _ = try await auth.getCredential(provider, delegate: delegate)
        good += 1
      } catch {
        failures.append(error.code)
      }
    }
    return (good, failures)
  }

  @Test func `our own state is taken, in the query, the fragment and a posted form`() async throws {
    for answer: (String) -> HTTPResponse in [
      { moved("\(Self.handler)?code=1&state=\($0)") },
      { moved("\(Self.handler)#id_token=1&state=\($0)") },
      {
        page(
          "<form method=post action='\(Self.handler)'><input type=hidden name=code value=1>"
            + "<input type=hidden name=state value='\($0)'>")
      },
    ] {
      let (good, failures) = try await outcomes(Self.web(answer))
      #expect(good == 1, "\(failures)")
    }
  }

  @Test func `a forged state, or none, is a mismatch`() async throws {
    for query in [
      "code=1&state=forged", "code=1", "code=1&state=", "state=forged", "",
      "code=1&state=state-2-of-ours",
    ] {
      for separator in ["?", "#"] {
        let web = Self.web { _ in moved(Self.handler + separator + query) }
        let (good, failures) = try await outcomes(web)
        #expect(good == 0)
        #expect(failures == [.webStateMismatch], "\(separator)\(query)")
      }
    }
    let posted = Self.web { _ in
      page(
        "<form method=post action='\(Self.handler)'><input type=hidden name=code value=1>"
          + "<input type=hidden name=state value=forged>")
    }
    #expect(try await outcomes(posted).1 == [.webStateMismatch])
  }

  @Test func `the answer of an earlier sign-in is a mismatch`() async throws {
    var first: String?
    let web = Self.web { state in
      first = first ?? "\(Self.handler)?code=1&state=\(state)"
      return moved(first ?? "")
    }
    let (good, failures) = try await outcomes(web, times: 3)
    #expect(good == 1)
    #expect(failures == [.webStateMismatch, .webStateMismatch])
  }

  @Test func `another origin or path is not where the sign-in ends`() async throws {
    for place in [
      "https://demo.example/__/auth/handler/", "https://demo.example/__/auth/handler.evil",
      "http://demo.example/__/auth/handler", "https://demo.example:444/__/auth/handler",
      "https://demo.example.evil.example/__/auth/handler", "https://demo.example/",
    ] {
      let web = Self.web { state in moved("\(place)?code=1&state=\(state)") }
      let (good, failures) = try await outcomes(web)
      #expect(good == 0, "\(place)")
      #expect(failures.count == 1)
    }
  }

  @Test func `an error with a forged state is no answer of this sign-in`() async throws {
    let web = Self.web { _ in moved("\(Self.handler)?error=access_denied&state=forged") }
    #expect(try await outcomes(web).1 == [.webStateMismatch])
  }
}
