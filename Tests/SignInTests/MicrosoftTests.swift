@testable import System
@testable import Emulator
@testable import HTTP
import Testing

@testable import SignIn

@Suite(.timeLimit(.minutes(1)))
struct MicrosoftTests {
  private func path(_ tenant: String) -> String {
    "/login.microsoftonline.com/\(tenant)/oauth2/v2.0/authorize"
  }

  @Test func `a tenant may be named by domain or GUID, or be common`() async throws {
    let providers = try await Providers.open()
    let tenantID = try #require(providers.project.people.first).microsoft.tenantID
    for tenant in ["contoso.example", "CONTOSO.example", tenantID, "organizations", "common"] {
      let arrival = try await providers.signIn("microsoft.com", path: path(tenant))
      #expect(arrival.url.fields["code"]?.isEmpty == false)
    }
    await providers.stop()
  }

  @Test func `a person of another tenant is turned away on a page`() async throws {
    let providers = try await Providers.open()
    for (tenant, email) in [
      ("contoso.example", "grace@fabrikam.example"), ("contoso.example", "alan@outlook.example"),
      ("consumers", "ada@contoso.example"), ("organizations", "alan@outlook.example"),
    ] {
      let error = try await providers.refusal("microsoft.com", path: path(tenant), as: email)
      #expect(error?.code == .errorPage)
      #expect(error?.pageMessage?.hasPrefix("AADSTS50020") == true)
      #expect(error?.pageMessage?.contains(email) == true)
    }
    let unknown = try await providers.refusal("microsoft.com", path: path("nowhere.example"))
    #expect(unknown?.pageMessage?.hasPrefix("AADSTS90002") == true)
    await providers.stop()
  }

  @Test func `a hint for somebody else does not sign that person in`() async throws {
    let providers = try await Providers.open()
    let tokens = try await providers.tokens(
      "microsoft.com", as: "grace@fabrikam.example", ["login_hint": "ada@contoso.example"])
    #expect(try Providers.claims(tokens["id_token"])["email"] == "grace@fabrikam.example")
    await providers.stop()
  }

  @Test func `sub is the app's own, oid the person's, and a personal oid is padded`() async throws {
    let providers = try await Providers.open()
    let ada = try await providers.tokens("microsoft.com", path: path("contoso.example"))
    let work = try Providers.claims(ada["id_token"])
    let profile = try await providers.get(
      "/graph.microsoft.com/v1.0/me", bearer: ada["access_token"]?.string
    ).json()
    #expect(work["oid"] == profile["id"])
    #expect(work["sub"] != work["oid"])
    #expect(
      work["iss"]?.string
        == "\(providers.origin)/login.microsoftonline.com/\(work["tid"]?.string ?? "")/v2.0")
    #expect(profile["displayName"] == "Ada Lovelace")
    #expect(profile["surname"] == "Lovelace")

    let alan = try await providers.tokens("microsoft.com", as: "alan@outlook.example")
    let personal = try Providers.claims(alan["id_token"])
    let id = try await providers.get(
      "/graph.microsoft.com/v1.0/me", bearer: alan["access_token"]?.string
    ).json()["id"]?.string
    let oid = personal["oid"]?.string ?? ""
    #expect(oid.hasPrefix("00000000-0000-0000-"))
    #expect(id?.utf8.count == 16)
    #expect(oid.filter { $0 != "-" }.hasSuffix(id ?? "?"))
    await providers.stop()
  }

  @Test func `Graph serves a photo as bytes, or says there is none`() async throws {
    let providers = try await Providers.start { project in
      project.people[1].photo = ""
    }
    let ada = try await providers.tokens("microsoft.com")
    let photo = try await providers.get(
      "/graph.microsoft.com/v1.0/me/photo/$value", bearer: ada["access_token"]?.string)
    #expect(photo.headers["Content-Type"] == "image/png")
    #expect(photo.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    let grace = try await providers.tokens("microsoft.com", as: "grace@fabrikam.example")
    let none = try await providers.get(
      "/graph.microsoft.com/v1.0/me/photo/$value", bearer: grace["access_token"]?.string)
    #expect(none.status == 404)
    #expect(try none.json()["error"]?["code"] == "ImageNotFound")
    await providers.stop()
  }

  @Test func `Graph wants a token of its own`() async throws {
    let providers = try await Providers.open()
    let google = try await providers.tokens("google.com")
    for token in [nil, "made-up", google["access_token"]?.string] {
      let answer = try await providers.get("/graph.microsoft.com/v1.0/me", bearer: token)
      #expect(answer.status == 401)
      #expect(try answer.json()["error"]?["code"] == "InvalidAuthenticationToken")
    }
    await providers.stop()
  }

  @Test func `further scopes are on the consent page and in the token`() async throws {
    let providers = try await Providers.open()
    let scope = "openid profile email mail.read calendars.read offline_access"
    let tokens = try await providers.tokens("microsoft.com", ["scope": scope])
    #expect(tokens["scope"]?.string == scope)
    #expect(tokens["refresh_token"]?.string?.isEmpty == false)
    let unknown = try await providers.signIn("microsoft.com", ["scope": "openid nonsense"])
    #expect(unknown.providerError == "invalid_scope")
    #expect(unknown.url.fields["error_description"]?.hasPrefix("AADSTS650053") == true)
    await providers.stop()
  }
}
