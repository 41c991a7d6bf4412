import System

/// A setting of a project, a tenant or an identity provider: its name and its field in the API.
///
/// The names are those of Firebase's Admin SDK for Node, where it has one, spelled with `ID` as
/// everywhere in luath.
public struct Setting: Sendable {
  /// The type of a setting.
  public indirect enum Kind: Sendable {
    case text
    /// One of these strings.
    case choice([String])
    case flag
    /// A Boolean whose API field means the opposite.
    case oppositeFlag
    case integer
    case number
    /// A list of strings.
    case texts
    /// A list of strings; in the API, each one is an object with this field.
    case wrappedTexts(String)
    /// A list of strings with other names in the API.
    case renamedTexts([(name: String, wire: String)])
    /// A table of strings by name.
    case textsByName
    /// A table of further settings.
    case group([Setting])
    /// A table of further settings, which are replaced together.
    case whole([Setting])
    /// A table of further settings; in the API, this field of a list's only item.
    case onlyItem(String, [Setting])
    /// A list of tables of settings.
    case items([Setting])
    /// A read-only table.
    case shown([Setting])
  }

  /// The name for administrators.
  public let name: String

  /// The type.
  public let kind: Kind

  /// The path of its API field, relative to the group's message; empty for a group without a message.
  let path: [String]

  /// The SDK's own spelling, which is accepted as well.
  public var alias: String? {
    for (ours, theirs) in [("ID", "Id"), ("IDs", "Ids")] where name.hasSuffix(ours) {
      return name.dropLast(ours.utf8.count) + theirs
    }
    return nil
  }

  init(_ name: String, _ kind: Kind, at path: String? = nil) {
    self.name = name
    self.kind = kind
    let fields = (path ?? name).split(separator: ".")
    self.path = fields.map(String.init)
  }

  fileprivate func value(in message: JSONObject) -> JSON? {
    var found: JSON? = .object(message)
    for field in path { found = found?[field] }
    if case .flag = kind { return .bool(found?.bool ?? false) }
    if case .oppositeFlag = kind { return .bool(!(found?.bool ?? false)) }
    guard let found, !found.isNull else { return nil }
    if case .text = kind, found == "" { return nil }
    // The value of a choice that was never made; it cannot be written.
    if case .choice = kind, found.string?.hasSuffix("_UNSPECIFIED") == true { return nil }
    switch kind {
    case .text, .choice, .flag, .oppositeFlag, .integer, .number, .texts, .textsByName:
      return found
    case .wrappedTexts(let field): return .array((found.array ?? []).compactMap { $0[field] })
    case .renamedTexts(let names):
      return .array(
        (found.array ?? []).map { item in
          names.first { item == .string($0.wire) }.map { .string($0.name) } ?? item
        })
    case .group(let inner), .whole(let inner), .shown(let inner):
      return found.object.map { .object(inner.values(in: $0)) }
    case .onlyItem(let field, let inner):
      return found.array?.first?[field]?.object.map { .object(inner.values(in: $0)) }
    case .items(let inner):
      return .array((found.array ?? []).compactMap(\.object).map { .object(inner.values(in: $0)) })
    }
  }

  /// The settings of a tenant.
  public static let ofTenant: [Setting] =
    [
      Setting("displayName", .text),
      Setting(
        "emailSignInConfig",
        .group([
          Setting("enabled", .flag, at: "allowPasswordSignup"),
          Setting("passwordRequired", .oppositeFlag, at: "enableEmailLinkSignin"),
        ]), at: ""),
      Setting("anonymousSignInEnabled", .flag, at: "enableAnonymousUser"),
      Setting("disableAuth", .flag),
      Setting("multiFactorConfig", .group(secondFactors), at: "mfaConfig"),
      Setting("testPhoneNumbers", .textsByName),
    ] + ofBoth

  /// The settings of a project.
  public static let ofProject: [Setting] =
    [
      Setting("authorizedDomains", .texts),
      Setting(
        "signIn",
        .group([
          Setting("allowDuplicateEmails", .flag),
          Setting("anonymous", .group([Setting("enabled", .flag)])),
          Setting(
            "email", .group([Setting("enabled", .flag), Setting("passwordRequired", .flag)])),
          Setting(
            "phoneNumber",
            .group([Setting("enabled", .flag), Setting("testPhoneNumbers", .textsByName)])),
          // In the form of an import's option `hash`.
          Setting(
            "hashConfig",
            .shown([
              Setting("algorithm", .text), Setting("signerKey", .text),
              Setting("saltSeparator", .text), Setting("rounds", .integer),
              Setting("memoryCost", .integer),
            ])),
        ])),
      Setting("multiFactorConfig", .group(secondFactors), at: "mfa"),
      Setting("multiTenant", .group([Setting("allowTenants", .flag)])),
      Setting(
        "mobileLinksConfig",
        .group([Setting("domain", .choice(["HOSTING_DOMAIN", "FIREBASE_DYNAMIC_LINK_DOMAIN"]))])),
    ] + ofBoth

  /// The settings that tenants and projects share.
  private static let ofBoth = [
    Setting(
      "client",
      .group([
        Setting(
          "permissions",
          .group([Setting("disabledUserSignup", .flag), Setting("disabledUserDeletion", .flag)]))
      ])),
    Setting(
      "emailPrivacyConfig", .group([Setting("enableImprovedEmailPrivacy", .flag)])),
    Setting("passwordPolicyConfig", .group(passwordPolicy)),
    Setting("recaptchaConfig", .group(recaptcha)),
    // Together, because they exclude each other.
    Setting(
      "smsRegionConfig",
      .whole([
        Setting("allowByDefault", .whole([Setting("disallowedRegions", .texts)])),
        Setting("allowlistOnly", .whole([Setting("allowedRegions", .texts)])),
      ])),
  ]

  private static let secondFactors = [
    Setting("state", .choice(["ENABLED", "DISABLED", "MANDATORY"])),
    Setting(
      "factorIDs", .renamedTexts([(name: "phone", wire: "PHONE_SMS")]), at: "enabledProviders"),
    Setting(
      "providerConfigs",
      .items([
        Setting("state", .choice(["ENABLED", "DISABLED", "MANDATORY"])),
        Setting("totpProviderConfig", .whole([Setting("adjacentIntervals", .integer)])),
      ])),
  ]

  private static let passwordPolicy = [
    Setting("enforcementState", .choice(["ENFORCE", "OFF"]), at: "passwordPolicyEnforcementState"),
    Setting("forceUpgradeOnSignin", .flag),
    Setting(
      "constraints",
      .onlyItem(
        "customStrengthOptions",
        [
          Setting("requireUppercase", .flag, at: "containsUppercaseCharacter"),
          Setting("requireLowercase", .flag, at: "containsLowercaseCharacter"),
          Setting("requireNonAlphanumeric", .flag, at: "containsNonAlphanumericCharacter"),
          Setting("requireNumeric", .flag, at: "containsNumericCharacter"),
          Setting("minLength", .integer, at: "minPasswordLength"),
          Setting("maxLength", .integer, at: "maxPasswordLength"),
        ]), at: "passwordPolicyVersions"),
  ]

  private static let recaptcha = [
    Setting("emailPasswordEnforcementState", .choice(["OFF", "AUDIT", "ENFORCE"])),
    Setting("phoneEnforcementState", .choice(["OFF", "AUDIT", "ENFORCE"])),
    Setting(
      "managedRules", .items([Setting("endScore", .number), Setting("action", .choice(["BLOCK"]))])),
    Setting(
      "smsTollFraudManagedRules",
      .items([Setting("startScore", .number), Setting("action", .choice(["BLOCK"]))]),
      at: "tollFraudManagedRules"),
    Setting(
      "recaptchaKeys",
      .items([Setting("key", .text), Setting("type", .choice(["WEB", "IOS", "ANDROID"]))])),
    Setting("useAccountDefender", .flag),
    Setting("useSmsBotScore", .flag),
    Setting("useSmsTollFraudProtection", .flag),
  ]

  /// The settings of an OpenID provider.
  static let ofOIDC: [Setting] = [
    Setting("displayName", .text), Setting("enabled", .flag),
    Setting("clientID", .text, at: "clientId"),
    Setting("clientSecret", .text), Setting("issuer", .text),
    // Together, because they exclude each other.
    Setting(
      "responseType", .whole([Setting("code", .flag), Setting("idToken", .flag)])),
  ]

  /// The settings of a SAML provider.
  static let ofSAML: [Setting] = [
    Setting("displayName", .text), Setting("enabled", .flag),
    Setting("idpEntityID", .text, at: "idpConfig.idpEntityId"),
    Setting("ssoURL", .text, at: "idpConfig.ssoUrl"),
    Setting("enableRequestSigning", .flag, at: "idpConfig.signRequest"),
    Setting(
      "x509Certificates", .wrappedTexts("x509Certificate"), at: "idpConfig.idpCertificates"),
    Setting("rpEntityID", .text, at: "spConfig.spEntityId"),
    Setting("callbackURL", .text, at: "spConfig.callbackUri"),
  ]

  /// The settings of a built-in provider.
  static let ofKnownProvider: [Setting] = [
    Setting("enabled", .flag), Setting("clientID", .text, at: "clientId"),
    Setting("clientSecret", .text),
  ]
}

extension [Setting] {
  /// Returns the settings in a message of the backend, by their names for administrators.
  ///
  /// A missing flag is false, as in Protocol Buffers. Other missing settings are left out, as are
  /// empty texts, which Protocol Buffers would not send, and choices that were never made.
  func values(in message: JSONObject) -> JSONObject {
    var values = JSONObject()
    for setting in self { values[setting.name] = setting.value(in: message) }
    return values
  }
}
