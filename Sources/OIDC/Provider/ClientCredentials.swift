public import System

/// The credentials of a client at a provider's token endpoint (RFC 6749 section 2.3).
public struct ClientCredentials: Sendable {
  /// The authentication methods, by their names in OpenID Connect Core section 9.
  public enum Method: String, Sendable, CaseIterable {
    /// Identifier and secret in the Authorization header.
    case basic = "client_secret_basic"
    /// Identifier and secret in the form.
    case post = "client_secret_post"
    /// The identifier alone, for a public client.
    case none
  }

  /// The client identifier.
  public let id: String
  /// The client secret; nil for a public client.
  let secret: Secret?
  /// The authentication method.
  let method: Method

  /// Creates credentials; by default a secret is sent in the header.
  public init(id: String, secret: Secret?, method: Method? = nil) {
    self.id = id
    self.secret = secret
    self.method = method ?? (secret == nil ? .none : .basic)
  }

  /// The value of the Authorization header, if the method uses it.
  var authorization: String? {
    guard method == .basic else { return nil }
    // Section 2.3.1: both are form-encoded before they are joined.
    let pair = [id, secret?.reveal() ?? ""].map { PercentEncoding.encode($0) }
    return "Basic " + Self.encoded(pair)
  }

  /// All encodings of the secret, which must not be shown.
  var secrets: [Secret] {
    guard let secret, !secret.reveal().isEmpty else { return [] }
    let pair = [id, secret.reveal()]
    return [
      secret, Secret(Self.encoded(pair)),
      Secret(Self.encoded(pair.map { PercentEncoding.encode($0) })),
    ]
  }

  private static func encoded(_ pair: [String]) -> String {
    Base64.encode(Array(pair.joined(separator: ":").utf8))
  }

  var fields: [(String, String)] {
    switch method {
    case .basic: []
    case .post: [("client_id", id), ("client_secret", secret?.reveal() ?? "")]
    case .none: [("client_id", id)]
    }
  }
}
