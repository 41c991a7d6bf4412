internal import Encoding
internal import HTTP
internal import IdentityToolkit
internal import OIDC

extension Project {
  /// The project's settings as administrators see them: Google's `Config` message.
  ///
  /// Firebase's emulator shows three parts of it, and what somebody stored under another name.
  var wireSettings: JSONObject {
    var message = configuration.settings
    if site.rules[.projectSettings] {
      message["name"] = .string("projects/\(id)/config")
      configuration.overlay(on: &message)
      message.change("signIn") { signIn in
        var hashing = passwordHashing.wire
        hashing["algorithm"] = hashing["hashAlgorithm"]
        hashing["hashAlgorithm"] = nil
        signIn["hashConfig"] = .object(hashing)
      }
    }
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
    if !site.rules[.projectSettings], let stored = message[part]?.object, stored[name] == nil {
      return
    }
    message.change(part) { $0[name] = value }
  }

  /// Changes the settings: those of the mask, or without a mask all three parts that Firebase's emulator
  /// knows, where what the update leaves out gets its first value back.
  func updateSettings(_ update: JSONObject, mask: String?) throws(Refusal) {
    try checkTriggers(update["blockingFunctions"]?["triggers"]?.object)
    var message = wireSettings
    if let mask {
      try FieldMask(mask).apply(update, to: &message)
    } else {
      if site.rules[.projectSettings] {
        for (name, value) in update.entries { message[name] = value }
      }
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
    store(message)
  }

  private func store(_ message: JSONObject) {
    var changed = configuration
    changed.oneAccountPerEmail = message["signIn"]?["allowDuplicateEmails"]?.bool != true
    changed.enumerationProtection =
      message["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
    if site.rules[.projectSettings] { changed.take(message) } else { changed.settings = message }
    configuration = changed
  }

  private func checkTriggers(_ triggers: JSONObject?) throws(Refusal) {
    for (event, trigger) in triggers?.entries ?? [] {
      guard event == "beforeCreate" || event == "beforeSignIn" else {
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
