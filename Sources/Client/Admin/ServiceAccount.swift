public import HTTP
import IdentityToolkit
public import OIDC
public import System

/// A service account, from the JSON key file of the console.
///
/// Contains the private key, which no description of it shows.
public struct ServiceAccount: Sendable {
  /// The scopes for an administrator's calls.
  static let scopes = [
    "https://www.googleapis.com/auth/identitytoolkit",
    "https://www.googleapis.com/auth/cloud-platform",
  ]

  private static let usualTokenURL = "https://oauth2.googleapis.com/token"

  /// The account's e-mail address, such as `name@project.iam.gserviceaccount.com`.
  public let clientEmail: String

  /// The project that the account belongs to; it may administrate others.
  let projectID: String?

  /// Where signed tokens are exchanged for access tokens.
  public let tokenURL: WebURL

  /// The private key, with the id of its public half.
  public let key: SigningKey

  /// Parses a decoded key file; `place` is its source in error messages.
  public init(json: JSON, place: String = "the service account") throws(AdminError) {
    func fault(_ problem: String, _ hint: String? = nil) -> AdminError {
      AdminError(.invalidServiceAccount, "\(place) \(problem)", hint: hint)
    }
    guard let file = json.object else {
      throw fault("is not a JSON object")
    }
    func text(_ name: String) throws(AdminError) -> String? {
      guard let value = file[name], !value.isNull else { return nil }
      guard let text = value.string else { throw fault("has a \(name) that is not a string") }
      return text.isEmpty ? nil : text
    }
    if let type = try text("type"), type != "service_account" {
      throw fault(
        "is a key of the kind \(Redaction().clean(type))",
        "make a key of a service account in the console: other credentials cannot sign tokens")
    }
    guard let email = try text("client_email") else { throw fault("has no client_email") }
    guard let pem = try text("private_key") else { throw fault("has no private_key") }
    clientEmail = email
    projectID = try text("project_id")
    let address = try text("token_uri") ?? Self.usualTokenURL
    // The signed token is valid for an hour and as powerful as a password.
    guard let url = WebURL(address), url.scheme == "https" || url.isLoopback, url.fragment == nil
    else { throw fault("has a token_uri that is not an https address") }
    tokenURL = url
    let keyID = try text("private_key_id")
    do {
      key = try SigningKey(pem: Secret(pem), keyID: keyID)
    } catch {
      // This happens when the key was copied from the file into a variable.
      let hint =
        pem.contains("\\n")
        ? "its line breaks are written as \\n: decode the file as JSON, or replace them by line breaks"
        : nil
      throw fault("has a private_key that cannot be used: \(error.message)", hint)
    }
  }

  /// Reads a key file.
  public init(path: String) throws(AdminError) {
    let place = "the service account's key file \(path)"
    let bytes: [UInt8]
    do {
      // A key file has about 2,300 bytes.
      bytes = try contents(ofFile: path, atMost: 1 << 16)
    } catch {
      throw AdminError(
        .invalidServiceAccount, "\(place) \(error.problem)",
        hint: "check the path, and that this user may read the file")
    }
    let json: JSON
    do {
      json = try JSON.parse(bytes)
    } catch {
      throw AdminError(.invalidServiceAccount, "\(place) is not JSON: it may be cut off")
    }
    try self.init(json: json, place: place)
  }

  /// Returns the signed request for an access token (RFC 7523 section 3), valid for an hour.
  func assertion(now: Int64) throws(AdminError) -> Secret {
    let claims: JSONObject = [
      "iss": .string(clientEmail), "scope": .string(Self.scopes.joined(separator: " ")),
      "aud": .string(tokenURL.description), "iat": .integer(now), "exp": .integer(now + 3600),
    ]
    do {
      return Secret(try key.sign(claims))
    } catch {
      throw AdminError(.invalidServiceAccount, error.message, hint: error.hint)
    }
  }
}

extension ServiceAccount: CustomStringConvertible {
  /// The account's e-mail address.
  public var description: String { clientEmail }
}

/// The access token of a service account, requested when needed and renewed before it expires.
final class AccessTokens {
  /// Tokens with a shorter remaining lifetime, in seconds, are renewed before use.
  private static let slack: Int64 = 300
  /// The lifetime in seconds when the token endpoint returns none.
  private static let usualLifetime: Int64 = 3600

  let account: ServiceAccount
  private let connection: BackendConnection
  private let clock: any AuthClock
  private var held: (token: Secret, expiresAt: Int64)?
  private let exchange = SharedWork<Secret, AdminError>()

  init(_ account: ServiceAccount, transport: any Transport, clock: any AuthClock) {
    self.account = account
    connection = BackendConnection(transport: transport)
    self.clock = clock
  }

  /// Returns a token that is valid for some time.
  ///
  /// Concurrent callers share one request. When the caller that started it is canceled, the others
  /// start another one.
  func token() async throws(AdminError) -> Secret {
    while true {
      if let held, held.expiresAt - clock.now > Self.slack { return held.token }
      if let token = try await exchange.share(newToken) { return token }
    }
  }

  /// Drops a token that was rejected, unless it was replaced already.
  func drop(_ token: Secret) {
    if held?.token == token { held = nil }
  }

  /// Sends the signed request (RFC 7523 section 2.1); sending it twice does no harm.
  private func newToken() async throws(AdminError) -> Secret {
    let assertion = try account.assertion(now: clock.now)
    let form = FormFields([
      ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
      ("assertion", assertion.reveal()),
    ])
    let answer: JSONObject
    do {
      answer = try await connection.send(
        .post(account.tokenURL, form: form), isRepeatable: true,
        redaction: Redaction(secrets: [assertion.reveal()]))
    } catch {
      throw AdminError(exchange: error, of: account)
    }
    guard let token = answer["access_token"]?.string, !token.isEmpty else {
      throw AdminError(
        .invalidServiceAccount, "\(account.tokenURL.origin) returned no access token",
        hint: "check the key's token_uri")
    }
    // A lifetime below `slack` would mean one exchange per call, which still works.
    let lifetime = min(max(answer["expires_in"]?.wholeNumber ?? Self.usualLifetime, 0), 86_400)
    held = (Secret(token), clock.now + lifetime)
    return Secret(token)
  }
}
