@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite struct RetryPolicyTests {
  @Test func `waits double, and chance takes any part of them`() {
    for chance in [0, 0.25, 1] {
      var policy = RetryPolicy(isRepeatable: true)
      var waits: [Duration] = []
      while case .wait(let wait) = policy.next(after: .lost, elapsed: .zero, chance: chance) {
        waits.append(wait)
      }
      #expect(waits == [0.5, 1, 2].map { .seconds($0 * chance) })
    }
  }

  @Test func `what may not be done twice is never sent again`() {
    var policy = RetryPolicy(isRepeatable: false)
    #expect(policy.next(after: .lost, elapsed: .zero, chance: 0) == .giveUp)
    #expect(policy.next(after: .busy(retryAfter: .zero), elapsed: .zero, chance: 0) == .giveUp)
  }

  @Test func `no try comes before the backend asked for it`() {
    var policy = RetryPolicy(isRepeatable: true)
    let busy = RetryPolicy.Failure.busy(retryAfter: .seconds(7))
    #expect(policy.next(after: busy, elapsed: .zero, chance: 0) == .wait(.seconds(7)))
    #expect(
      policy.next(after: busy, elapsed: .seconds(7), chance: 0.5) == .wait(.milliseconds(7500)))
  }

  @Test(
    arguments: [
      (RetryPolicy.Failure.busy(retryAfter: .seconds(31)), 0),
      (.busy(retryAfter: .seconds(11)), 20),
      (.lost, 30),
    ] as [(RetryPolicy.Failure, Int64)])
  func `no try begins when patience is over`(_ failure: RetryPolicy.Failure, _ elapsed: Int64) {
    var policy = RetryPolicy(isRepeatable: true)
    #expect(policy.next(after: failure, elapsed: .seconds(elapsed), chance: 0.5) == .giveUp)
  }

  @Test func `only failures that pass by themselves are worth another try`() throws {
    for code in HTTPError.Code.allCases {
      let failure = RetryPolicy.Failure(HTTPError(code, "", hint: ""))
      #expect((failure != nil) == [.broken, .timedOut].contains(code), "\(code)")
    }
    let url = try #require(WebURL("http://127.0.0.1/"))
    for status in [200, 204, 302, 400, 401, 403, 404, 409, 429, 500, 501, 502, 503, 504] {
      let failure = RetryPolicy.Failure(HTTPResponse(status: status, url: url))
      #expect((failure != nil) == [429, 502, 503, 504].contains(status), "\(status)")
    }
  }
}
