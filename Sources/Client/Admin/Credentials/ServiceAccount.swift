public import System
public import HTTP
import IdentityToolkit
public import OIDC

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
