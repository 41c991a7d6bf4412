@testable import System
@testable import HTTP
import Testing

@testable import Emulator

/// Devices without a browser (RFC 8628), and the person who lets them in.
@Suite(.timeLimit(.minutes(1)))
struct IdentityProvidersDeviceTests {
  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

  private func begin(_ visitor: ProviderVisitor, scope: String = "openid email") async throws
    -> JSON
  {
    let answer = try await visitor.send(
      "/oidc/corp/device_authorization",
      form: FormFields([
        ("client_id", "luath-client-oidc.corp"), ("client_secret", "luath-secret-oidc.corp"),
        ("scope", scope),
      ]))
    try #require(answer.status == 200, "\(answer.text)")
    #expect(answer.headers["Cache-Control"] == "no-store")
    return try answer.json()
  }

  private func poll(_ visitor: ProviderVisitor, _ device: JSON) async throws -> JSON {
    try await visitor.token([
      "grant_type": Self.grant, "device_code": device["device_code"]?.string, "redirect_uri": nil,
    ]).json()
  }

  /// Types the code, signs in and decides; returns the page at the end.
  private func visit(
    _ visitor: ProviderVisitor, at address: String, code: String, decision: String = "accept"
  ) async throws -> HTTPResponse {
    var pages = try #require(try await visitor.send(address).headers["Location"])
    if !pages.contains("flow=") {
      pages = try #require(try await visitor.send(pages).headers["Location"])
    }
    for _ in 0..<6 {
      let page = try await visitor.send(pages)
      var form = FormFields([("csrf", ProviderVisitor.formToken(page))])
      if page.text.contains("name=\"user_code\"") {
        form.append("user_code", code)
      } else if page.text.contains("name=\"decision\"") {
        #expect(page.text.contains(DeviceRequest.normalized(code)))
        form.append("decision", decision)
      } else if page.text.contains("name=\"email\"") || page.text.contains("name=\"loginfmt\"") {
        for name in ["email", "loginfmt"] { form.append(name, "ada@contoso.example") }
        for name in ["password", "passwd"] {
          form.append(name, ProjectConfiguration.demoPassword)
        }
      } else {
        return page
      }
      try await visitor.send(pages, form: form)
    }
    Issue.record("the pages have no end")
    return try await visitor.send(pages)
  }

  @Test func `a person lets a device in`() async throws {
    let visitor = try await ProviderVisitor()
    let device = try await begin(visitor, scope: "openid email offline_access")
    let code = try #require(device["user_code"]?.string)
    #expect(code.utf8.count == 9)
    #expect(device["interval"] == 1)
    #expect(try await poll(visitor, device)["error"] == "authorization_pending")
    let end = try await visit(
      visitor, at: try #require(device["verification_uri"]?.string), code: code)
    #expect(end.text.contains("The device is signed in"))
    visitor.clock.advance(bySeconds: 1)
    let tokens = try await poll(visitor, device)
    #expect(tokens["id_token"] != nil, "\(tokens)")
    #expect(tokens["refresh_token"] != nil)
    // A second time is somebody else: nothing of it holds any more.
    visitor.clock.advance(bySeconds: 1)
    #expect(try await poll(visitor, device)["error"] == "invalid_grant")
    let bearer = "Bearer \(tokens["access_token"]?.string ?? "")"
    #expect(
      try await visitor.send("/oidc/corp/userinfo", headers: ["Authorization": bearer]).status
        == 401)
    await visitor.end()
  }

  @Test func `an address with the code fills it in, in any spelling, and asks`() async throws {
    let visitor = try await ProviderVisitor()
    let device = try await begin(visitor)
    let whole = try #require(device["verification_uri_complete"]?.string)
    let pages = try #require(try await visitor.send(whole).headers["Location"])
    let page = try await visitor.send(pages)
    let code = try #require(device["user_code"]?.string)
    #expect(page.text.contains("value=\"\(code)\""))
    let end = try await visit(visitor, at: whole, code: code.lowercased().filter { $0 != "-" })
    // The page shows it as it was given.
    #expect(end.text.contains("The device is signed in"))
    await visitor.end()
  }

  @Test func `a denied device hears so, and consent is asked for every time`() async throws {
    let visitor = try await ProviderVisitor()
    _ = try await visitor.signIn()
    let device = try await begin(visitor)
    let address = try #require(device["verification_uri"]?.string)
    let pages = try #require(try await visitor.send(address).headers["Location"])
    var page = try await visitor.send(pages)
    try await visitor.send(
      pages,
      form: FormFields([
        ("csrf", ProviderVisitor.formToken(page)),
        ("user_code", device["user_code"]?.string ?? ""),
      ]))
    page = try await visitor.send(pages)
    try await visitor.send(
      pages,
      form: FormFields([
        ("csrf", ProviderVisitor.formToken(page)), ("account", "barbara@corp.example"),
      ]))
    page = try await visitor.send(pages)
    #expect(page.text.contains("name=\"decision\""))
    try await visitor.send(
      pages,
      form: FormFields([("csrf", ProviderVisitor.formToken(page)), ("decision", "deny")]))
    #expect(try await visitor.send(pages).text.contains("The device is not signed in"))
    #expect(try await poll(visitor, device)["error"] == "access_denied")
    await visitor.end()
  }

  @Test func `whoever asks too often must slow down`() async throws {
    let visitor = try await ProviderVisitor()
    let device = try await begin(visitor)
    #expect(try await poll(visitor, device)["error"] == "authorization_pending")
    #expect(try await poll(visitor, device)["error"] == "slow_down")
    visitor.clock.advance(bySeconds: 5)
    #expect(try await poll(visitor, device)["error"] == "slow_down")
    visitor.clock.advance(bySeconds: 11)
    #expect(try await poll(visitor, device)["error"] == "authorization_pending")
    await visitor.end()
  }

  @Test func `codes expire, and unknown ones are refused`() async throws {
    let visitor = try await ProviderVisitor()
    let device = try await begin(visitor)
    visitor.clock.advance(bySeconds: 900)
    #expect(try await poll(visitor, device)["error"] == "expired_token")
    #expect(try await poll(visitor, ["device_code": "x"])["error"] == "invalid_grant")
    #expect(try await poll(visitor, [:])["error"] == "invalid_request")
    for code in [device["user_code"]?.string ?? "", "", "BBBB-BBBB"] {
      let pages = try #require(try await visitor.send("/oidc/corp/device").headers["Location"])
      let page = try await visitor.send(pages)
      try await visitor.send(
        pages,
        form: FormFields([("csrf", ProviderVisitor.formToken(page)), ("user_code", code)]))
      let again = try await visitor.send(pages)
      #expect(again.text.contains("There is no such code"))
    }
    await visitor.end()
  }

  @Test func `a device must say who it is and what it wants`() async throws {
    let visitor = try await ProviderVisitor()
    for (form, error) in [
      ([("client_id", "luath-client-oidc.corp"), ("scope", "openid")], "invalid_client"),
      (
        [("client_id", "luath-client-oidc.corp"), ("client_secret", "luath-secret-oidc.corp")],
        "invalid_scope"
      ), ([], "invalid_request"),
      ([("client_id", "a"), ("client_id", "b")], "invalid_request"),
    ] {
      let answer = try await visitor.send(
        "/oidc/corp/device_authorization", form: FormFields(form))
      #expect(try answer.json()["error"]?.string == error)
    }
    #expect(try await visitor.send("/oidc/corp/device_authorization").status == 405)
    await visitor.end()
  }

  @Test func `Microsoft's and Google's devices have their own addresses and words`() async throws {
    let visitor = try await ProviderVisitor()
    let address = "/login.microsoftonline.com/common/oauth2/v2.0/"
    let client = "luath-client-microsoft.com"
    let device = try await visitor.send(
      address + "devicecode",
      form: FormFields([("client_id", client), ("scope", "openid profile User.Read")])
    ).json()
    #expect(device["message"]?.string?.contains("/microsoft.com/devicelogin") == true)
    #expect(device["verification_uri_complete"] == nil)
    let code = try #require(device["user_code"]?.string)
    let end = try await visit(
      visitor, at: try #require(device["verification_uri"]?.string), code: code, decision: "deny")
    #expect(end.text.contains("The device is not signed in"))
    func poll(_ device: JSON) async throws -> JSON {
      try await visitor.send(
        address + "token",
        form: FormFields([
          ("client_id", client), ("grant_type", Self.grant),
          ("device_code", device["device_code"]?.string ?? ""),
        ])
      ).json()
    }
    #expect(try await poll(device)["error"] == "authorization_declined")
    let google = try await visitor.send(
      "/oauth2.googleapis.com/device/code",
      form: FormFields([("client_id", "luath-client-google.com"), ("scope", "openid email")])
    ).json()
    let page = try #require(google["verification_url"]?.string)
    #expect(page.hasSuffix("/www.google.com/device"))
    let granted = try await visit(
      visitor, at: page, code: try #require(google["user_code"]?.string))
    #expect(granted.text.contains("The device is signed in"))
    await visitor.end()
  }
}
