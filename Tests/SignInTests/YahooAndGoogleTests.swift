@testable import System
@testable import Emulator
@testable import HTTP
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1)))
struct YahooAndGoogleTests {
  @Test(arguments: ["mail-r", "mail-r sdct-r", "mail-r sdct-w mail-w"])
  func `Yahoo scopes that do not match the app's permissions end on a page`(
    extra: String
  ) async throws {
    let providers = try await Providers.open()
    let error = try await providers.refusal("yahoo.com", ["scope": "openid \(extra)"])
    #expect(error?.code == .errorPage)
    #expect(error?.pageMessage?.hasPrefix("invalid_scope") == true)
    await providers.stop()
  }

  @Test func `a Yahoo token opens the profile of its own person only`() async throws {
    let providers = try await Providers.open()
    let tokens = try await providers.tokens(
      "yahoo.com", ["scope": "openid profile email sdct-w mail-r"])
    let bearer = tokens["access_token"]?.string
    let sub = try Providers.claims(tokens["id_token"])["sub"]?.string ?? ""
    let own = try await providers.get(
      "/social.yahooapis.com/v1/user/\(sub)/profile?format=json", bearer: bearer
    ).json()
    #expect(own["profile"]?["guid"]?.string == sub)
    #expect(own["profile"]?["familyName"] == "Tanaka")
    let other = try await providers.get(
      "/social.yahooapis.com/v1/user/SOMEBODYELSE/profile?format=json", bearer: bearer)
    #expect(other.status == 403)
    let stranger = try await providers.get("/social.yahooapis.com/v1/user/\(sub)/profile")
    #expect(stranger.status == 401)
    await providers.stop()
  }

  @Test func `Google's sub has 21 digits, and a hosted domain is named`() async throws {
    let providers = try await Providers.open()
    let claims = try Providers.claims(try await providers.tokens("google.com")["id_token"])
    #expect(claims["sub"]?.string?.utf8.count == 21)
    #expect(claims["hd"] == "corp.example")
    #expect(claims["email_verified"] == true)
    #expect(claims["picture"] == "https://lh3.example/barbara.png")
    await providers.stop()
  }
}
