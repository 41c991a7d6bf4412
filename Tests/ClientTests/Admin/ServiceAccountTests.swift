@testable import Client
@testable import System
import Foundation
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1))) struct ServiceAccountTests {
  private static let key = Result { try SigningKey.generate(keyID: "key-1") }

  private func file(_ changes: JSONObject = [:]) throws -> JSON {
    Google(try Self.key.get()).keyFile(changes)
  }

  private func failure(_ body: () throws(AdminError) -> ServiceAccount) -> AdminError? {
    do throws(AdminError) {
      _ = try body()
      Issue.record("the key was taken")
      return nil
    } catch {
      return error
    }
  }

  private func withFile<Value>(_ text: String, _ body: (String) throws -> Value) throws -> Value {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
    try Data(text.utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    return try body(url.path)
  }

  @Test func `a key file says who signs and where tokens are exchanged`() throws {
    let account = try withFile(try file().encoded()) { try ServiceAccount(path: $0) }
    #expect(account.clientEmail == Google.email)
    #expect(account.projectID == "demo-admin")
    #expect(account.key.keyID == "key-1")
    #expect(account.tokenURL.description == Google.tokenURL)
    #expect(
      try ServiceAccount(json: file(["token_uri": .null])).tokenURL.description == Google.tokenURL)
    #expect("\(account)" == Google.email)
    var dumped = ""
    dump(account, to: &dumped)
    #expect(!dumped.contains("PRIVATE KEY"))
  }

  private static let faults: [(JSONObject, String)] = [
    (["type": "authorized_user"], "of the kind authorized_user"),
    (["client_email": .null], "no client_email"),
    (["client_email": ""], "no client_email"),
    (["client_email": 5], "client_email that is not a string"),
    (["private_key": .null], "no private_key"),
    (["private_key": "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n"], "private_key that cannot be used"),
    (["token_uri": "http://oauth2.googleapis.com/token"], "not an https address"),
    (["token_uri": "nowhere"], "not an https address"),
  ]

  @Test(arguments: faults)
  func `a malformed key says what is wrong and shows nothing of itself`(
    _ changes: JSONObject, _ words: String
  ) throws {
    let file = try file(changes)
    let error = try #require(failure { () throws(AdminError) in try ServiceAccount(json: file) })
    #expect(error.code == .invalidServiceAccount)
    #expect(error.message.contains(words), "\(error.message)")
    #expect(!"\(error)".contains("c2VjcmV0"))
  }

  @Test func `a key whose line breaks were lost on the way says so`() throws {
    let escaped = "-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\\n-----END PRIVATE KEY-----\\n"
    let file = try file(["private_key": .string(escaped)])
    let error = try #require(failure { () throws(AdminError) in try ServiceAccount(json: file) })
    #expect(error.hint.contains("line breaks"))
    #expect(!"\(error)".contains("c2VjcmV0"))
  }

  @Test(arguments: ["", "{\"type\": \"service_account\", \"priv", "[]", "<html>"])
  func `a file that is no JSON object is refused with its path`(_ text: String) throws {
    try withFile(text) { path in
      let error = try #require(failure { () throws(AdminError) in try ServiceAccount(path: path) })
      #expect(error.code == .invalidServiceAccount)
      #expect(error.message.contains(path))
    }
  }

  @Test func `a file that is missing, a folder or too large is refused`() throws {
    for (path, words) in [
      ("/nonexistent/key.json", "No such file"), ("/tmp", "directory"), ("/tmp\0/key", "zero byte"),
    ] {
      let error = try #require(failure { () throws(AdminError) in try ServiceAccount(path: path) })
      #expect(error.message.contains(words), "\(error.message)")
      #expect(error.hint.contains("path"))
    }
    try withFile(String(repeating: " ", count: 70_000)) { path in
      let error = try #require(failure { () throws(AdminError) in try ServiceAccount(path: path) })
      #expect(error.message.contains("larger than 65536 bytes"))
    }
  }

  @Test func `a real project is not asked without a key`() throws {
    let target = Target(projectID: "demo-admin", apiKey: Secret("x"), backend: .production)
    let transport = GoogleTransport(Google(try Self.key.get()))
    do throws(AdminError) {
      _ = try Admin(
        target: target, serviceAccount: nil, transport: transport, clock: SetClock())
      Issue.record("an administrator without a key")
    } catch {
      #expect(error.code == .invalidServiceAccount)
      #expect(error.hint.contains("GOOGLE_APPLICATION_CREDENTIALS"))
    }
  }
}
