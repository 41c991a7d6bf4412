@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite struct QuotaWatchTests {
  private static let host = "https://identitytoolkit.googleapis.com"

  private func request(_ path: String, _ body: JSON = [:]) throws -> HTTPRequest {
    .post(try #require(WebURL(path.hasPrefix("/") ? Self.host + path : path)), json: body)
  }

  /// The numbers of the requests that were warned of, one request every so often.
  private func warned(
    _ count: Int, every interval: Duration = .zero, _ request: HTTPRequest
  ) -> [Int] {
    var watch = QuotaWatch()
    return (1...count).filter {
      watch.warning(before: request, at: interval * $0) != nil
    }
  }

  @Test(
    arguments: [
      ("/v1/accounts:signUp?key=k", [:], 80), ("/v1/accounts:createAuthUri", [:], 96),
      ("/v1/accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN"], 4),
      ("/v1/accounts:sendOobCode", ["requestType": "PASSWORD_RESET"], 120),
      ("/v1/accounts:sendVerificationCode", [:], 40),
      ("/v2/accounts/mfaEnrollment:start", ["phoneEnrollmentInfo": [:]], 40),
      ("/v2/accounts/mfaSignIn:start", [:], 40), ("/v1/accounts:delete", [:], 8),
      ("/v1/projects/p/accounts:delete", [:], 8), ("/v1/projects/p/accounts:batchDelete", [:], 2),
      ("/v1/projects/p/accounts:update", [:], 8),
      ("https://securetoken.googleapis.com/v1/token", [:], 14_400),
    ] as [(String, JSON, Int)])
  func `a warning comes once, when four fifths of a limit are used`(
    _ path: String, _ body: JSON, _ number: Int
  ) throws {
    #expect(warned(number * 2, try request(path, body)) == [number])
  }

  @Test(
    arguments: [
      ("/v1/accounts:signUp", ["idToken": "t"]), ("/v1/accounts:lookup", [:]),
      ("/v1/accounts:signInWithPassword", [:]), ("/v1/projects/p/accounts:lookup", [:]),
      ("/v1/accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "returnOobLink": true]),
      ("/v1/accounts:sendOobCode", ["requestType": "VERIFY_EMAIL"]),
      ("/v2/accounts/mfaEnrollment:start", ["totpEnrollmentInfo": [:]]),
      ("https://www.example.com/v1/accounts:signUp", [:]),
    ] as [(String, JSON)])
  func `what has no limit is not counted`(_ path: String, _ body: JSON) throws {
    #expect(warned(300, try request(path, body)) == [])
  }

  @Test func `what is spread over time is not warned of`() throws {
    let signUp = try request("/v1/accounts:signUp")
    #expect(warned(500, every: .seconds(46), signUp) == [])
    #expect(warned(500, every: .seconds(45), signUp) == [80])
    let delete = try request("/v1/accounts:delete")
    #expect(warned(100, every: .milliseconds(143), delete) == [])
    #expect(warned(100, every: .milliseconds(125), delete) == [8])
  }

  @Test func `a sign-in that made an account counts as one`() throws {
    var watch = QuotaWatch()
    let page = try #require(WebURL(Self.host + "/v1/accounts:signInWithIdp?key=k"))
    let body = JSON.object(["isNewUser": true]).encodedBytes()
    let old = HTTPResponse(status: 200, body: Array(#"{"isNewUser":false}"#.utf8), url: page)
    let new = HTTPResponse(status: 200, body: body, url: page)
    let failed = HTTPResponse(status: 400, body: body, url: page)
    let other = HTTPResponse(
      status: 200, body: body, url: try #require(WebURL(Self.host + "/v1/accounts:lookup")))
    let signUp = try request("/v1/accounts:signUp")
    for _ in 0..<78 {
      #expect(watch.warning(after: new, at: .zero) == nil)
      for answer in [old, failed, other] { #expect(watch.warning(after: answer, at: .zero) == nil) }
    }
    #expect(watch.warning(before: signUp, at: .zero) == nil)
    let warning = watch.warning(after: new, at: .zero)
    #expect(
      warning?.message == "many new accounts: this is number 80 of this run, "
        + "and a project takes 100 an hour from one address")
    #expect(warning?.hint.isEmpty == false)
    #expect(watch.warning(before: signUp, at: .zero) == nil)
  }
}
