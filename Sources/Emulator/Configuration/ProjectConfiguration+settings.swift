internal import System
internal import HTTP

extension ProjectConfiguration {
  /// Whether the project may have tenants: `multiTenant.allowTenants`, on when `multiTenant` is not set.
  var allowsTenants: Bool {
    settings["multiTenant"].map { $0["allowTenants"]?.bool == true } ?? true
  }

  /// A temporary limit on new accounts per hour: `quota.signUpQuotaConfig`.
  var signUpQuota: SignUpQuota? {
    settings["quota"]?["signUpQuotaConfig"]?.object.flatMap { SignUpQuota($0) }
  }

  /// The password requirements: `passwordPolicyConfig`.
  var passwordPolicy: PasswordPolicyConfig {
    PasswordPolicyConfig(settings["passwordPolicyConfig"]?.object ?? JSONObject())
  }

  /// The regions that SMS may be sent to: `smsRegionConfig`.
  var smsRegions: SMSRegions {
    SMSRegions(settings["smsRegionConfig"]?.object ?? JSONObject())
  }

  /// Phone numbers that get no SMS, and their fixed codes: `signIn.phoneNumber.testPhoneNumbers`.
  var testPhoneNumbers: JSONObject {
    settings["signIn"]?["phoneNumber"]?["testPhoneNumbers"]?.object ?? JSONObject()
  }

  /// The app's own page for links in e-mails: `notification.sendEmail.callbackUri`.
  var actionURL: String? { settings["notification"]?["sendEmail"]?["callbackUri"]?.string }

  /// The language of e-mails when the request names none: `notification.defaultLocale`.
  var defaultLanguage: String? { settings["notification"]?["defaultLocale"]?.string }

  /// The servers that may be called: `allowedServers`, and the configured issuers and blocking functions.
  var allServers: OriginList {
    var servers = allowedServers
    let triggers = settings["blockingFunctions"]?["triggers"]?.object?.entries ?? []
    let named = triggers.map { $0.value["functionUri"]?.string } + providers.values.map(\.issuer)
    for url in named.compactMap({ $0.flatMap { WebURL($0) } }) { servers.add(url) }
    return servers
  }

  // MARK: Google's message

  /// Writes the settings that are properties of this type into Google's message.
  func overlay(on message: inout JSONObject) {
    message.change("signIn") { signIn in
      signIn["email"] = [
        "enabled": .bool(enabledProvider("password") != nil),
        "passwordRequired": .bool(!isEmailLinkEnabled),
      ]
      signIn["anonymous"] = ["enabled": .bool(enabledProvider("anonymous") != nil)]
      signIn.change("phoneNumber") { $0["enabled"] = .bool(enabledProvider("phone") != nil) }
    }
    if message["mfa"] == nil { message["mfa"] = Self.allSecondFactors }
    message["authorizedDomains"] = .array(authorizedDomains.map { .string($0) })
    message["subtype"] = .string(identityPlatform ? "IDENTITY_PLATFORM" : "FIREBASE_AUTH")
    message.change("multiTenant") { $0["allowTenants"] = .bool(allowsTenants) }
    message.change("client") { client in
      if let apiKey { client["apiKey"] = .string(apiKey.reveal()) }
      client.change("permissions") { _ in }
    }
  }

  /// The second factors of a project that does not configure any: all of them.
  private static let allSecondFactors: JSON = [
    "state": "ENABLED", "enabledProviders": ["PHONE_SMS"],
    "providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 5]]],
  ]

  /// Reads the two switches that Firebase's emulator also has from Google's message.
  mutating func takeSwitches(of message: JSONObject) {
    oneAccountPerEmail = message["signIn"]?["allowDuplicateEmails"]?.bool != true
    enumerationProtection =
      message["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
  }

  /// Reads the settings that are properties of this type from Google's message, and keeps the rest as JSON.
  ///
  /// A field that a whole message omits gets its default. A field that a partial message omits stays unchanged.
  mutating func take(_ message: JSONObject, isWhole: Bool = false) {
    var rest = message
    for name in ["name", "subtype", "authorizedDomains"] { rest[name] = nil }
    rest.change("client") { $0["apiKey"] = nil }
    if let domains = message["authorizedDomains"]?.array ?? (isWhole ? [] : nil) {
      authorizedDomains = domains.compactMap(\.string)
    }
    let signIn = message["signIn"]
    let off: Bool? = isWhole ? false : nil
    switchProvider("password", signIn?["email"]?["enabled"]?.bool ?? off)
    switchProvider("anonymous", signIn?["anonymous"]?["enabled"]?.bool ?? off)
    switchProvider("phone", signIn?["phoneNumber"]?["enabled"]?.bool ?? off)
    if let isRequired = signIn?["email"]?["passwordRequired"]?.bool ?? off {
      isEmailLinkEnabled = !isRequired
    }
    rest.change("signIn") { signIn in
      for name in ["email", "anonymous", "hashConfig"] { signIn[name] = nil }
      signIn.change("phoneNumber") { $0["enabled"] = nil }
    }
    settings = rest
  }

  private mutating func switchProvider(_ id: String, _ isOn: Bool?) {
    guard let isOn, isOn != (enabledProvider(id) != nil) else { return }
    if providers[id] == nil { providers[id] = ProviderConfiguration(id: id) }
    providers[id]?.isEnabled = isOn
  }
}

extension JSONObject {
  /// Merges two objects recursively; for other values, the one of `other` wins.
  func merging(_ other: JSONObject) -> JSONObject {
    var merged = self
    for (name, value) in other.entries {
      if let own = merged[name]?.object, let new = value.object {
        merged[name] = .object(own.merging(new))
      } else {
        merged[name] = value
      }
    }
    return merged
  }

  /// Changes the object under a key; a missing one is created.
  mutating func change(_ key: String, _ body: (inout JSONObject) -> Void) {
    var object = self[key]?.object ?? JSONObject()
    body(&object)
    self[key] = .object(object)
  }
}
