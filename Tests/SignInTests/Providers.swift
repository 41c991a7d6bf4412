@testable import System
@testable import Emulator
@testable import HTTP
@testable import OIDC

@testable import SignIn

/// A real emulator on a free port, and a browser that goes to its identity providers.
struct Providers {
  let emulator: Emulator
  let browser: Browser
  let origin: String
  let project: ProjectConfiguration

  var redirect: String { "\(origin)/__/auth/handler" }

  /// Whether the emulator serves other tests too and must go on.
  private let isShared: Bool

  /// One emulator of the demo project for all tests that do not change it.
  ///
  /// Making its keys takes longer than most tests. Every caller has a browser of its own.
  private static let shared = Task { try await launch(.demo, isShared: true) }

  static func open() async throws -> Providers {
    let first = try await shared.value
    return Providers(
      emulator: first.emulator, browser: try Browser(), origin: first.origin,
      project: first.project, isShared: true)
  }

  /// An emulator of a project of its own.
  static func start(_ change: (inout ProjectConfiguration) -> Void) async throws -> Providers {
    var project = ProjectConfiguration.demo
    change(&project)
    return try await launch(project, isShared: false)
  }

  private static func launch(_ project: ProjectConfiguration, isShared: Bool) async throws
    -> Providers
  {
    let emulator = try Emulator(project: project)
    let port = try await emulator.start()
    return Providers(
      emulator: emulator, browser: try Browser(), origin: "http://127.0.0.1:\(port)",
      project: project, isShared: isShared)
  }

  func stop() async {
    browser.loop.stop()
    if !isShared { await emulator.stop() }
  }

  static let paths = [
    "microsoft.com": "/login.microsoftonline.com/common/oauth2/v2.0/authorize",
    "yahoo.com": "/api.login.yahoo.com/oauth2/request_auth",
    "google.com": "/accounts.google.com/o/oauth2/v2/auth",
    "oidc.corp": "/oidc/corp/authorize",
    "oidc.implicit": "/oidc/implicit/authorize",
  ]
  static let people = [
    "microsoft.com": "ada@contoso.example", "yahoo.com": "yuki@yahoo.example",
    "google.com": "barbara@corp.example", "oidc.corp": "barbara@corp.example",
    "oidc.implicit": "barbara@corp.example",
  ]

  /// The authorization address, with `changes` in place of the usual parameters; nil leaves one out.
  func authorize(
    _ provider: String, path: String? = nil, _ changes: [String: String?] = [:]
  ) -> String {
    var fields: [String: String] = [
      "client_id": "luath-client-\(provider)", "redirect_uri": redirect, "response_type": "code",
      "scope": "openid profile email", "state": "st&te", "nonce": "n0nce",
    ]
    for (name, value) in changes { fields[name] = value }
    let query = FormFields(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).encoded
    return "\(origin)\(path ?? Self.paths[provider] ?? "")?\(query)"
  }

  func answers(_ provider: String, as email: String? = nil, consent: Bool = true) -> SignInAnswers {
    SignInAnswers(
      username: email ?? Self.people[provider] ?? "",
      password: Secret(ProjectConfiguration.demoPassword), consent: consent)
  }

  func signIn(
    _ provider: String, path: String? = nil, as email: String? = nil,
    _ changes: [String: String?] = [:]
  ) async throws -> SignInArrival {
    try await browser.drive(
      answers(provider, as: email), from: authorize(provider, path: path, changes),
      until: changes["redirect_uri"]?.map { $0 } ?? redirect)
  }

  func refusal(
    _ provider: String, path: String? = nil, as email: String? = nil,
    _ changes: [String: String?] = [:], consent: Bool = true
  ) async throws -> FormDriverError? {
    try await browser.failure(
      answers(provider, as: email, consent: consent),
      from: authorize(provider, path: path, changes), until: redirect)
  }

  static let tokenPaths = [
    "microsoft.com": "/login.microsoftonline.com/common/oauth2/v2.0/token",
    "yahoo.com": "/api.login.yahoo.com/oauth2/get_token",
    "google.com": "/oauth2.googleapis.com/token", "oidc.corp": "/oidc/corp/token",
  ]

  /// A token request with the usual fields, changed as wanted.
  func exchange(
    _ provider: String, code: String, _ changes: [String: String?] = [:],
    headers: HTTPHeaders = [:]
  ) async throws -> HTTPResponse {
    var fields: [String: String] = [
      "grant_type": "authorization_code", "code": code, "redirect_uri": redirect,
      "client_id": "luath-client-\(provider)", "client_secret": "luath-secret-\(provider)",
    ]
    for (name, value) in changes { fields[name] = value }
    return try await browser.send(
      "POST", origin + (Self.tokenPaths[provider] ?? ""), headers: headers,
      form: FormFields(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
  }

  /// The tokens of a fresh sign-in.
  func tokens(
    _ provider: String, path: String? = nil, as email: String? = nil,
    _ changes: [String: String?] = [:]
  ) async throws -> JSON {
    let arrival = try await signIn(provider, path: path, as: email, changes)
    return try await exchange(provider, code: arrival.url.fields["code"] ?? "").json()
  }

  func get(_ path: String, bearer: String? = nil) async throws -> HTTPResponse {
    try await browser.send(
      "GET", origin + path, headers: bearer.map { ["Authorization": "Bearer \($0)"] } ?? [:])
  }

  static func claims(_ token: JSON?) throws -> JSONObject {
    try JWT(decoding: token?.string ?? "").claims
  }
}
