internal import Encoding
internal import HTTP
internal import IdentityToolkit

extension Project {
  /// The settings as administrators of Firebase's emulator see them: three parts, and what somebody stored under
  /// another name.
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

  /// Shows a setting, unless somebody put a whole part without it in the place of the part it belongs to.
  private func show(
    _ value: JSON, as name: String, of part: String, in message: inout JSONObject
  ) {
    if let stored = message[part]?.object, stored[name] == nil { return }
    message.change(part) { $0[name] = value }
  }

  /// Changes the settings that a mask names, by the rules in force.
  func change(_ update: JSONObject, mask: String?) throws(Refusal) {
    if site.rules[.projectSettings] {
      try updateWholeSettings(update, mask: mask)
    } else {
      try updateSettings(update, mask: mask)
    }
  }

  /// Changes the settings as Firebase's emulator does: those of the mask, or without a mask the three parts that
  /// it knows, where what the update leaves out gets its first value back.
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

  /// Puts what an update without a mask says of the three parts in their place.
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

  /// Refuses functions for events that there are not, and addresses that may not be called.
  func checkTriggers(_ triggers: JSONObject?) throws(Refusal) {
    for (name, trigger) in triggers?.entries ?? [] {
      guard let event = BlockingEvent(rawValue: name),
        !event.isMessage || site.rules[.projectSettings]
      else {
        throw Refusal(
          verbatim: "INVALID_BLOCKING_FUNCTION : ((Event type is invalid.))")
      }
      guard let address = trigger["functionUri"]?.string, let uri = AbsoluteURI(address) else {
        throw Refusal(
          verbatim: "INVALID_BLOCKING_FUNCTION : "
            + "((Expected an absolute URI with valid scheme and host.))")
      }
      if let url = uri.web, !site.mayCall(url) {
        throw Refusal(verbatim: "INVALID_BLOCKING_FUNCTION : ((\(Site.refusal(toCall: url))))")
      }
    }
  }
}
