@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// What a person finds in the mailbox and on the telephone.
extension Fixture {
  /// The letters that were sent and not answered, oldest first.
  func letters() async throws -> [JSON] {
    let reply = try await request("GET", "emulator/v1/projects/demo-luath/oobCodes")
    return try #require(reply["oobCodes"]?.array)
  }

  /// The code in the newest letter.
  func newestCode() async throws -> JSON {
    try #require(try await letters().last?["oobCode"])
  }

  /// The parameters of the link in the newest letter.
  func newestLink() async throws -> WebURL {
    let link = try #require(try await letters().last?["oobLink"]?.string)
    return try #require(WebURL(link))
  }

  /// The text messages that were sent and not used, oldest first.
  func messages() async throws -> [JSON] {
    let reply = try await request("GET", "emulator/v1/projects/demo-luath/verificationCodes")
    return try #require(reply["verificationCodes"]?.array)
  }

  /// Asks for a code by SMS and returns what redeems it.
  func textMessage(to number: JSON) async throws -> JSONObject {
    let reply = try await call(.sendVerificationCode, ["phoneNumber": number])
    try #require(reply.status == 200, "\(reply.message)")
    let sent = try #require(
      try await messages().last { $0["sessionInfo"] == reply["sessionInfo"] })
    return ["sessionInfo": sent["sessionInfo"] ?? .null, "code": sent["code"] ?? .null]
  }

  /// Changes settings of the project as an administrator does, by name.
  func setConfig(_ mask: String, _ body: JSON) async throws {
    let address = "\(origin)/identitytoolkit.googleapis.com/v2/projects/demo-luath/config"
    var request = HTTPRequest(
      method: "PATCH", url: try #require(WebURL("\(address)?updateMask=\(mask)")),
      headers: ["Authorization": "Bearer owner", "Content-Type": "application/json"])
    request.body = body.encodedBytes()
    let reply = try await send(request)
    try #require(reply.status == 200, "\(reply.message)")
  }
}
