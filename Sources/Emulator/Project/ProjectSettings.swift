internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension Project {
  /// The settings as administrators of Firebase's emulator see them.
  ///
  /// These are its three parts and fields that were stored under other names.
  var wireSettings: JSONObject {
    var message = configuration.settings
    show(
      .bool(!configuration.oneAccountPerEmail), as: "allowDuplicateEmails", of: "signIn",
      in: &message)
    show(
      .bool(hidesAddresses), as: "enableImprovedEmailPrivacy", of: "emailPrivacyConfig",
      in: &message)
    message.change("blockingFunctions") { _ in }
    return message
  }

  /// Adds a setting to its part, unless the stored part was replaced by one without it.
  private func show(
    _ value: JSON, as name: String, of part: String, in message: inout JSONObject
  ) {
    if let stored = message[part]?.object, stored[name] == nil { return }
    message.change(part) { $0[name] = value }
  }

  /// Changes the settings in a mask, according to the rules.
  func change(_ update: JSONObject, mask: String?) throws(Refusal) {
    if context.rules[.projectSettings] {
      try updateWholeSettings(update, mask: mask)
    } else {
      try updateSettings(update, mask: mask)
    }
  }

  /// Changes the settings as Firebase's emulator does.
  ///
  /// A mask selects the fields. Without one, its three parts are replaced, and what the update omits gets its
  /// default.
  private func updateSettings(_ update: JSONObject, mask: String?) throws(Refusal) {
    try checkTriggers(update["blockingFunctions"]?["triggers"]?.object)
    var message = wireSettings
    if let mask {
      try FieldMask(mask).apply(update, to: &message)
    } else {
      Self.resetParts(of: &message, to: update)
    }
    var changed = configuration
    changed.takeSwitches(of: message)
    changed.settings = message
    configuration = changed
  }

  /// Replaces the three parts with those of an update without a mask.
  static func resetParts(of message: inout JSONObject, to update: JSONObject) {
    message.change("signIn") { signIn in
      signIn["allowDuplicateEmails"] =
        update["signIn"]?["allowDuplicateEmails"] ?? false
    }
    message["blockingFunctions"] = update["blockingFunctions"] ?? [:]
    message.change("emailPrivacyConfig") { privacy in
      privacy["enableImprovedEmailPrivacy"] =
        update["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] ?? false
    }
  }

  /// Throws for unknown events, and for addresses that must not be called.
  func checkTriggers(_ triggers: JSONObject?) throws(Refusal) {
    for (name, trigger) in triggers?.entries ?? [] {
      guard let event = BlockingEvent(rawValue: name),
        !event.isMessage || context.rules[.projectSettings]
      else {
        throw Refusal(
          verbatim: "INVALID_BLOCKING_FUNCTION : ((Event type is invalid.))")
      }
      guard let address = trigger["functionUri"]?.string, let uri = AbsoluteURI(address) else {
        throw Refusal(
          verbatim: "INVALID_BLOCKING_FUNCTION : "
            + "((Expected an absolute URI with valid scheme and host.))")
      }
      if let url = uri.web, !context.mayCall(url) {
        throw Refusal(
          verbatim: "INVALID_BLOCKING_FUNCTION : ((\(EmulatorContext.refusal(toCall: url))))")
      }
    }
  }
}

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
            $0["content"] ?? .string(ProjectConfiguration.defaultSMSTemplate)
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
    for template in EmailTemplate.settings {
      guard withTemplates else {
        sendEmail[template.rawValue] = nil
        continue
      }
      sendEmail[template.rawValue] = .object(template.wire(in: configuration))
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

/// The fields to change, in the format of `updateMask`: dotted paths, separated by commas.
struct FieldMask {
  private let paths: [[String]]

  init(_ text: String) {
    paths = text.split(separator: ",", omittingEmptySubsequences: false).map { path in
      path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// Copies the masked fields from `update` without checking their names.
  ///
  /// When `update` lacks the last field of a path, that field stays unchanged.
  func apply(_ update: JSONObject, to object: inout JSONObject) throws(Refusal) {
    for path in paths { try Self.apply(path[...], update, to: &object, from: path[0]) }
  }

  /// Replaces the masked fields with those of `update`, as Google's servers do (measured).
  ///
  /// A field that `update` lacks is removed and so gets its default. A path to a field that the message does not have
  /// changes nothing.
  func replace(from update: JSONObject, in object: inout JSONObject, of message: Schema.Message) {
    for path in paths where Self.exists(path, in: message) {
      Self.replace(path[...], from: update, in: &object)
    }
  }

  private static func exists(_ path: [String], in message: Schema.Message) -> Bool {
    var inside: Schema.Message? = message
    for name in path {
      // The keys of maps are free.
      guard let message = inside else { return true }
      guard let kind = message.kind(of: name) else { return false }
      inside = if case .message(let name) = kind { Schema.shared.message(name) } else { nil }
    }
    return true
  }

  private static func replace(
    _ path: ArraySlice<String>, from update: JSONObject?, in object: inout JSONObject
  ) {
    guard let field = path.first else { return }
    guard path.count > 1 else {
      object[field] = update?[field].flatMap { $0.isNull ? nil : $0 }
      return
    }
    let before = object[field]
    var inner = before?.object ?? JSONObject()
    replace(path.dropFirst(), from: update?[field]?.object, in: &inner)
    if before != nil || !inner.isEmpty { object[field] = .object(inner) }
  }

  private static func apply(
    _ path: ArraySlice<String>, _ update: JSONObject, to object: inout JSONObject,
    from first: String
  ) throws(Refusal) {
    guard let field = path.first, let last = path.last else { return }
    guard path.count > 1 else {
      if let value = update[field], !value.isNull { object[field] = value }
      return
    }
    switch update[field] {
    case .object(let inner)?:
      var target = object[field]?.object ?? JSONObject()
      defer { object[field] = .object(target) }
      try apply(path.dropFirst(), inner, to: &target, from: first)
    case nil, .null?:
      // Firebase's emulator fails with a 500 here.
      throw .invalidArgument(
        "Invalid value at 'update_mask': the body has no field "
          + "\(Backend.printable(field)) for the path that begins with \(Backend.printable(first))")
    default:
      // A string or list has no fields; Firebase's emulator then looks for the last name at this level.
      if let value = update[last], !value.isNull { object[last] = value }
    }
  }
}
