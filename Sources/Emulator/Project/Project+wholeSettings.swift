internal import System
internal import IdentityToolkit
internal import OIDC

/// The settings of a project as Google's servers have them: the whole `Config` message.
extension Project {
  /// All settings, including those that are properties of the configuration.
  private var knownSettings: JSONObject {
    var message = configuration.settings
    configuration.overlay(on: &message)
    message.change("signIn") { signIn in
      signIn["allowDuplicateEmails"] = .bool(!configuration.oneAccountPerEmail)
    }
    message["emailPrivacyConfig"] = ["enableImprovedEmailPrivacy": .bool(hidesAddresses)]
    return message
  }

  /// The settings in a response, without those that have their default.
  ///
  /// The response to a change omits the e-mail templates (measured).
  func wholeSettings(withTemplates: Bool) -> JSONObject {
    var message = knownSettings.withoutDefaults
    message["name"] = .string("projects/\(number)/config")
    message.change("signIn") { signIn in
      signIn["hashConfig"] = .object(hashConfig)
    }
    message.change("notification") { notification in
      notification["defaultLocale"] = notification["defaultLocale"] ?? "en"
      notification.change("sendEmail") { showEmail(in: &$0, withTemplates: withTemplates) }
      notification.change("sendSms") { sms in
        sms.change("smsTemplate") {
          $0["content"] =
            $0["content"] ?? "%LOGIN_CODE% is your verification code for %APP_NAME%."
        }
      }
    }
    for name in ["quota", "monitoring", "smsRegionConfig", "mobileLinksConfig"] {
      message.change(name) { _ in }
    }
    message.change("monitoring") { $0["requestLogging"] = $0["requestLogging"] ?? [:] }
    message.change("mobileLinksConfig") { $0["domain"] = $0["domain"] ?? "HOSTING_DOMAIN" }
    message.change("smsRegionConfig") { regions in
      if regions.isEmpty { regions["allowByDefault"] = [:] }
    }
    message.change("client") { client in
      client.change("permissions") { _ in }
      client["firebaseSubdomain"] = .string(id)
    }
    message["defaultHostingSite"] = message["defaultHostingSite"] ?? .string(id)
    message["recaptchaConfig"] = .object(
      Recaptcha.shown(configuration.settings["recaptchaConfig"]?.object ?? JSONObject()))
    if message["blockingFunctions"] != nil {
      message.change("blockingFunctions") { $0.change("forwardInboundCredentials") { _ in } }
    }
    return message
  }

  /// How the project hashes passwords, with the field names of administrators' responses.
  var hashConfig: JSONObject {
    var hashing = passwordHashing.wire
    hashing["algorithm"] = hashing["hashAlgorithm"]
    hashing["hashAlgorithm"] = nil
    return hashing
  }

  private func showEmail(in sendEmail: inout JSONObject, withTemplates: Bool) {
    sendEmail["method"] = sendEmail["method"] ?? "DEFAULT"
    sendEmail["callbackUri"] =
      sendEmail["callbackUri"] ?? .string("https://\(id).firebaseapp.com/__/auth/action")
    sendEmail.change("dnsInfo") { dns in
      dns["customDomainState"] = dns["customDomainState"] ?? "NOT_STARTED"
      dns["domainVerificationRequestTime"] =
        dns["domainVerificationRequestTime"] ?? "1970-01-01T00:00:00Z"
    }
    for template in EmailTemplate.allCases {
      guard withTemplates else {
        sendEmail[template.rawValue] = nil
        continue
      }
      let chosen = sendEmail[template.rawValue]?.object ?? JSONObject()
      sendEmail[template.rawValue] = .object(template.wire.merging(chosen))
    }
  }

  /// Changes the fields of the mask.
  ///
  /// Without a mask, changes the fields of the update, and resets the three parts as Firebase's emulator does.
  func updateWholeSettings(_ update: JSONObject, mask: String?) throws(Refusal) {
    guard let type = Schema.shared.message("AdminConfig") else {
      preconditionFailure("the table of messages lacks the project's settings")
    }
    let old = knownSettings
    var message = old
    if let mask {
      FieldMask(mask).replace(from: update, in: &message, of: type)
    } else {
      for (name, value) in update.entries { message[name] = value }
      Self.resetParts(of: &message, to: update)
    }
    try check(&message, changedFrom: old)
    var changed = configuration
    changed.takeSwitches(of: message)
    changed.take(message, isWhole: true)
    configuration = changed
  }

  private func check(_ message: inout JSONObject, changedFrom old: JSONObject) throws(Refusal) {
    let now = context.clock.milliseconds
    try SettingsCheck(now: now).apply(to: &message, changedFrom: old)
    if message["mfa"] == nil { message["mfa"] = ["state": "DISABLED"] }
    if message["authorizedDomains"] != old["authorizedDomains"] {
      let domains = message["authorizedDomains"]?.array ?? []
      try SettingsCheck.checkDomains(domains.compactMap(\.string))
    }
    let numbers = message["signIn"]?["phoneNumber"]?["testPhoneNumbers"]
    if let given = numbers?.object, numbers != old["signIn"]?["phoneNumber"]?["testPhoneNumbers"] {
      let checked = try SettingsCheck.testNumbers(given)
      message.change("signIn") { signIn in
        signIn.change("phoneNumber") { $0["testPhoneNumbers"] = checked.map { .object($0) } }
      }
    }
    guard message["blockingFunctions"] != old["blockingFunctions"] else { return }
    let triggers = message["blockingFunctions"]?["triggers"]?.object
    try checkTriggers(triggers)
    let before = old["blockingFunctions"]?["triggers"]
    for (event, trigger) in triggers?.entries ?? [] where before?[event] != trigger {
      message.change("blockingFunctions") { functions in
        functions.change("triggers") { triggers in
          triggers.change(event) {
            $0["updateTime"] = .string(Timestamp.text(milliseconds: now))
          }
        }
      }
    }
  }
}
