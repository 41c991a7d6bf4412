internal import System
internal import HTTP

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
    let reader = try ConfigurationReader(json, at: path, known: Self.keys(of: id))
    isEnabled = try reader.bool("enabled") ?? true
    guard isFederated else { return }
    clientID = try reader.string("clientId") ?? clientID
    clientSecret = try reader.string("clientSecret").map { Secret($0) } ?? clientSecret
    displayName = try reader.string("displayName")
    permissions = try reader.strings("permissions") ?? []
    redirectURIs = try Self.readAddresses("redirectUris", reader)
    postLogoutRedirectURIs = try Self.readAddresses("postLogoutRedirectUris", reader)
    keepsRefreshTokens = try reader.bool("refreshTokenRotation") == false
    if try reader.bool("publicClient") ?? false {
      guard reader.value("clientSecret") == nil else {
        throw ConfigurationError(
          path: path + ["publicClient"], message: "a public client has no clientSecret",
          hint: "leave one of the two out")
      }
      clientSecret = nil
    }
    guard isOIDC else { return }
    issuer = try Self.readIssuer(reader)
    if let text = try reader.string("flow") {
      guard let flow = Flow(rawValue: text) else {
        throw ConfigurationError(
          path: path + ["flow"], message: "unknown flow \"\(text)\"",
          hint: "use \"code\" or \"idToken\"")
      }
      self.flow = flow
    }
    // A generated secret is of use with our own pages only; an external issuer does not have it.
    let needsNoSecret = issuer != nil || flow == .idToken
    if needsNoSecret, reader.value("clientSecret") == nil { clientSecret = nil }
    if issuer != nil, reader.value("clientId") == nil {
      throw ConfigurationError(
        path: path + ["clientId"], message: "is missing",
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
    let addresses = try reader.strings(key) ?? []
    for address in addresses where WebURL(address).map({ $0.fragment != nil }) ?? true {
      throw ConfigurationError(
        path: reader.path + [key], message: "not an address without a fragment: \"\(address)\"",
        hint: "write an absolute http or https URL, as the app sends it")
    }
    return addresses
  }

  private static func keys(of id: String) -> [String] {
    switch id {
    case "password", "anonymous", "phone": ["enabled"]
    case "yahoo.com": client + ["permissions"]
    case "microsoft.com", "google.com": client
    default: client + ["issuer", "flow"]
    }
  }

  private static func readIssuer(
    _ reader: ConfigurationReader
  ) throws(ConfigurationError) -> String? {
    guard let issuer = try reader.string("issuer") else { return nil }
    guard issuer.hasPrefix("https://") || issuer.hasPrefix("http://") else {
      throw ConfigurationError(
        path: reader.path + ["issuer"], message: "not an issuer URL: \"\(issuer)\"",
        hint: "write it exactly as the provider's discovery document has it, https:// included")
    }
    return issuer
  }

  /// Whether `name` can follow `oidc.` in a provider id.
  static func isOIDCName(_ name: Substring) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
