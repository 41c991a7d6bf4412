/// The restriction of a web API key that caused a refusal.
public enum KeyRestriction: String, CaseIterable, Sendable {
  case iOSApp = "API_KEY_IOS_APP_BLOCKED"
  case androidApp = "API_KEY_ANDROID_APP_BLOCKED"
  case referrer = "API_KEY_HTTP_REFERRER_BLOCKED"
  case ipAddress = "API_KEY_IP_ADDRESS_BLOCKED"
  case service = "API_KEY_SERVICE_BLOCKED"

  /// How the front end's message begins; some responses have it without a reason.
  private var beginning: String {
    switch self {
    case .iOSApp: "Requests from this iOS client application "
    case .androidApp: "Requests from this Android client application "
    case .referrer: "Requests from referer "
    case .ipAddress: "The provided API key has an IP address restriction"
    case .service: "Requests to this API "
    }
  }

  /// Recognizes a restriction by a refusal's reasons or message; nil when there is none.
  init?(reasons: [String], words: String?) {
    // The older front end's name.
    let reasons = reasons.map { $0 == "ipRefererBlocked" ? Self.referrer.rawValue : $0 }
    let found = Self.allCases.first { restriction in
      reasons.contains(restriction.rawValue) || words?.hasPrefix(restriction.beginning) == true
    }
    guard let found else { return nil }
    self = found
  }

  /// The hint, in one sentence.
  public var hint: String {
    switch self {
    case .iOSApp:
      "send the app's bundle identifier: headers = { [\"X-Ios-Bundle-Identifier\"] = … } in the "
        + "target, or use a key without that restriction"
    case .androidApp:
      "send the app's identity: headers = { [\"X-Android-Package\"] = …, [\"X-Android-Cert\"] = … } "
        + "in the target, or use a key without that restriction"
    case .referrer:
      "send an address that the key allows: headers = { Referer = … } in the target, or use a key "
        + "without that restriction"
    case .ipAddress:
      "run luath where the key is allowed to be used, or use a key without that restriction"
    case .service:
      "allow the Identity Toolkit API and the Token Service API for this key in the project's console"
    }
  }
}

extension Refusal {
  /// The restriction of the key, if that is why the request was refused.
  public var keyRestriction: KeyRestriction? {
    hasName && error != nil ? nil : KeyRestriction(reasons: reasons, words: detail)
  }
}
