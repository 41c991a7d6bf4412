internal import System
internal import HTTP
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
