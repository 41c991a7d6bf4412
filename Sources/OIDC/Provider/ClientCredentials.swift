public import Encoding

/// Who we are to a provider, and how we prove it at its token endpoint (RFC 6749 section 2.3).
public struct ClientCredentials: Sendable {
  /// The ways to authenticate, by their names in OpenID Connect Core section 9.
  public enum Method: String, Sendable, CaseIterable {
    /// Identifier and secret in the Authorization header.
    case basic = "client_secret_basic"
    /// Identifier and secret in the form.
    case post = "client_secret_post"
    /// The identifier alone: a public client.
    case none
  }

  /// The client identifier.
  public let id: String
  /// The client secret; nil for a public client.
  public let secret: Secret?
  /// The way to authenticate.
  public let method: Method

  /// Makes credentials; without a method, a secret goes into the header.
  public init(id: String, secret: Secret?, method: Method? = nil) {
    self.id = id
    self.secret = secret
    self.method = method ?? (secret == nil ? .none : .basic)
  }

  /// The Authorization header's value, when that is the way.
  var authorization: String? {
    guard method == .basic else { return nil }
    // Section 2.3.1: both are form-encoded before they are joined.
    let pair = [id, secret?.reveal() ?? ""].map { PercentEncoding.encode($0) }
    return "Basic " + Self.encoded(pair)
  }

  /// What must not be shown: the secret, and what the header makes of it, encoded first or not.
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

  /// What the form carries.
  var fields: [(String, String)] {
    switch method {
    case .basic: []
    case .post: [("client_id", id), ("client_secret", secret?.reveal() ?? "")]
    case .none: [("client_id", id)]
    }
  }
}
