public import System
internal import HTTP

/// One sign-in provider of the emulated project, as an administrator registers it.
public struct ProviderConfiguration: Sendable {
  /// How an OIDC provider returns its ID token.
  enum Flow: String, Sendable, CaseIterable {
    /// The authorization code flow: needs a client secret; recommended.
    case code
    /// The implicit flow: the ID token comes back in the fragment.
    case idToken
  }

  /// `microsoft.com`, `yahoo.com`, `google.com`, `oidc.NAME`, `password`, `phone` or `anonymous`.
  let id: String
  /// Whether users may sign in with it.
  public internal(set) var isEnabled = true
  /// The client id of the app registration at the provider, which is the audience of its ID tokens.
  var clientID = ""
  /// The client secret for redeeming authorization codes.
  public var clientSecret: Secret?
  /// The issuer of an OIDC provider; nil for the emulator's own server of that name.
  var issuer: String?
  /// The issuer's name in the tokens of an emulated OIDC provider; nil for the emulator's own address.
  public internal(set) var issuerName: String?
  /// The flow of an OIDC provider.
  var flow = Flow.code
  /// Whether the provider returns its ID token in the fragment.
  public var usesIDTokenFlow: Bool { flow == .idToken }
  /// The name shown on the provider's pages.
  var displayName: String?
  /// API permissions configured for a Yahoo app; requested scopes must match them exactly.
  public internal(set) var permissions: [String] = []
  /// The allowed redirect URIs; when empty, the sign-in handler and all addresses of this machine.
  var redirectURIs: [String] = []
  /// The allowed redirect URIs after a sign-out; the default is the same.
  var postLogoutRedirectURIs: [String] = []
  /// Whether a refresh token stays valid after its use; otherwise each works once and is replaced by a new one.
  var keepsRefreshTokens = false
  /// The fields of Google's message that no property above holds: `idpConfig` and `spConfig` of SAML.
  var further = JSONObject()

  /// A provider with the emulator's default registration.
  init(id: String) {
    self.id = id
    if isFederated {
      clientID = "luath-client-\(id)"
      clientSecret = Secret("luath-secret-\(id)")
    }
  }

  /// Whether this is an identity provider, not a sign-in method of the project itself.
  var isFederated: Bool { id != "password" && id != "anonymous" && id != "phone" }
  /// Whether the provider uses SAML.
  var isSAML: Bool { id.utf8.starts(with: "saml.".utf8) }
  /// Whether the provider is a generic OIDC provider.
  var isOIDC: Bool { id.utf8.starts(with: "oidc.".utf8) }
}

extension ProviderConfiguration {
  /// The provider ids a project can configure, apart from `oidc.NAME`.
  static let knownIDs = [
    "password", "anonymous", "phone", "microsoft.com", "yahoo.com", "google.com",
  ]

  /// Reads one entry of the `providers` table.
  init(id: String, json: JSON, at path: [String]) throws(ConfigurationError) {
    self.init(id: id)
    if isOIDC {
      guard Self.isOIDCName(id.dropFirst("oidc.".count)) else {
        throw ConfigurationError(
          path: path, message: "not an OIDC provider id: \"\(id)\"",
          hint: "write oidc. and a name of letters, digits, hyphens, dots or underscores")
      }
    } else if !Self.knownIDs.contains(id) {
      throw ConfigurationError(
        path: path, message: "unknown provider id",
        hint: nearestName(to: id, among: Self.knownIDs).map { "did you mean \"\($0)\"?" }
          ?? "the emulator has \(Self.knownIDs.joined(separator: ", ")) and oidc.NAME")
    }
    let reader = try ConfigurationReader(json, at: path, names: Self.keys(of: id))
    isEnabled = try reader.boolIfAny("enabled") ?? true
    guard isFederated else { return }
    clientID = try reader.textIfAny("clientId") ?? clientID
    clientSecret = try reader.textIfAny("clientSecret").map { Secret($0) } ?? clientSecret
    displayName = try reader.textIfAny("displayName")
    permissions = try reader.textsIfAny("permissions") ?? []
    redirectURIs = try Self.readAddresses("redirectUris", reader)
    postLogoutRedirectURIs = try Self.readAddresses("postLogoutRedirectUris", reader)
    keepsRefreshTokens = try reader.boolIfAny("refreshTokenRotation") == false
    if try reader.boolIfAny("publicClient") ?? false {
      guard reader.value("clientSecret") == nil else {
        throw reader.fault(
          "publicClient", "a public client has no clientSecret", hint: "leave one of the two out")
      }
      clientSecret = nil
    }
    guard isOIDC else { return }
    issuer = try Self.readIssuer("issuer", reader)
    issuerName = try Self.readIssuer("issuerName", reader)
    guard issuer == nil || issuerName == nil else {
      throw reader.fault(
        "issuerName", "names an emulated provider, and issuer a real one",
        hint: "leave one of the two out")
    }
    if let text = try reader.textIfAny("flow") {
      guard let flow = Flow(rawValue: text) else {
        throw reader.fault(
          "flow", "unknown flow \"\(text)\"", hint: "use \"code\" or \"idToken\"")
      }
      self.flow = flow
    }
    // A generated secret is of use with our own pages only; an external issuer does not have it.
    let needsNoSecret = issuer != nil || flow == .idToken
    if needsNoSecret, reader.value("clientSecret") == nil { clientSecret = nil }
    if issuer != nil, reader.value("clientId") == nil {
      throw reader.fault(
        "clientId", "is missing",
        hint: "a provider with its own issuer needs the client id registered there")
    }
  }

  private static let client = [
    "enabled", "clientId", "clientSecret", "displayName", "publicClient", "redirectUris",
    "postLogoutRedirectUris", "refreshTokenRotation",
  ]

  private static func readAddresses(
    _ key: String, _ reader: ConfigurationReader
  ) throws(ConfigurationError) -> [String] {
    let addresses = try reader.textsIfAny(key) ?? []
    for address in addresses where WebURL(address).map({ $0.fragment != nil }) ?? true {
      throw reader.fault(
        key, "not an address without a fragment: \"\(address)\"",
        hint: "write an absolute http or https URL, as the app sends it")
    }
    return addresses
  }

  private static func keys(of id: String) -> [String] {
    switch id {
    case "password", "anonymous", "phone": ["enabled"]
    case "yahoo.com": client + ["permissions"]
    case "microsoft.com", "google.com": client
    default: client + ["issuer", "issuerName", "flow"]
    }
  }

  private static func readIssuer(
    _ key: String, _ reader: ConfigurationReader
  ) throws(ConfigurationError) -> String? {
    guard let issuer = try reader.textIfAny(key) else { return nil }
    guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
      throw reader.fault(
        key, "not an issuer URL: \"\(issuer)\"",
        hint: "write it exactly as the provider's discovery document has it, https:// included")
    }
    return issuer
  }

  /// Whether a project file can have a provider with this id.
  public static func isConfigurable(_ id: String) -> Bool {
    guard id.utf8.starts(with: "oidc.".utf8) else { return knownIDs.contains(id) }
    return isOIDCName(id.dropFirst("oidc.".count))
  }

  /// Whether `name` can follow `oidc.` in a provider id.
  static func isOIDCName(_ name: Substring) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        byte.isLetterOrDigit || "-_.".utf8.contains(byte)
      }
  }
}

extension ProviderConfiguration: Recorded {
  var record: JSONObject {
    var record: JSONObject = [
      "id": .string(id), "enabled": .bool(isEnabled), "clientId": .string(clientID),
      "flow": .string(flow.rawValue),
    ]
    record.set("clientSecret", clientSecret?.reveal())
    record.set("issuer", issuer)
    record.set("issuerName", issuerName)
    record.set("displayName", displayName)
    if !permissions.isEmpty { record["permissions"] = .array(permissions.map { .string($0) }) }
    func keep(_ name: String, _ texts: [String]) {
      if !texts.isEmpty { record[name] = .array(texts.map { .string($0) }) }
    }
    keep("redirectUris", redirectURIs)
    keep("postLogoutRedirectUris", postLogoutRedirectURIs)
    if keepsRefreshTokens { record["refreshTokenRotation"] = false }
    if !further.isEmpty { record["further"] = .object(further) }
    return record
  }

  init?(record: JSONObject) {
    guard let id = record["id"]?.string,
      let flow = record["flow"]?.string.flatMap(Flow.init(rawValue:))
    else { return nil }
    self.init(id: id)
    isEnabled = record["enabled"]?.bool == true
    clientID = record["clientId"]?.string ?? ""
    clientSecret = record["clientSecret"]?.string.map { Secret($0) }
    issuer = record["issuer"]?.string
    issuerName = record["issuerName"]?.string
    self.flow = flow
    displayName = record["displayName"]?.string
    further = record["further"]?.object ?? JSONObject()
    func texts(_ name: String) -> [String] { record[name]?.array?.compactMap(\.string) ?? [] }
    permissions = texts("permissions")
    redirectURIs = texts("redirectUris")
    postLogoutRedirectURIs = texts("postLogoutRedirectUris")
    keepsRefreshTokens = record["refreshTokenRotation"]?.bool == false
  }
}
