import Encoding

/// The settings of a project that decide what its answers are.
enum ProjectSettings {
  /// The fields that an emulator of its own takes over from a real project.
  static let mirrored = [
    "signIn", "emailPrivacyConfig", "passwordPolicyConfig", "client", "mfa", "authorizedDomains",
    "smsRegionConfig",
  ]

  /// The fields of `mirrored` that the settings have, without what Google's servers do not take back.
  static func mirror(_ settings: JSON) -> JSONObject {
    var fields = JSONObject()
    for name in mirrored {
      guard let value = settings[name] else { continue }
      fields[name] = value
    }
    return mirrorable(fields)
  }

  /// Settings as they were read, without what cannot be written.
  static func mirrorable(_ settings: JSONObject) -> JSONObject {
    var fields = settings
    if var signIn = fields["signIn"]?.object {
      signIn["hashConfig"] = nil
      fields["signIn"] = .object(signIn)
    }
    return fields
  }

  /// The fields that recordings name: those of `mirrored` without domains and keys, and those that scenarios set.
  static let recorded = [
    "signIn", "emailPrivacyConfig", "passwordPolicyConfig", "client.permissions", "mfa",
    "smsRegionConfig", "multiTenant", "blockingFunctions",
  ]

  /// The settings that decide what was answered, without the numbers, keys and addresses in them.
  static func recordable(_ settings: JSON) -> JSONObject {
    var fields = mirror(settings)
    fields["authorizedDomains"] = nil
    fields["multiTenant"] = settings["multiTenant"]
    fields["client"] = ["permissions": fields["client"]?["permissions"] ?? [:]]
    if var signIn = fields["signIn"]?.object, var phone = signIn["phoneNumber"]?.object,
      testNumber(in: settings) != nil
    {
      phone["testPhoneNumbers"] = [RunName.shownTestPhone: .string(RunName.shownTestCode)]
      signIn["phoneNumber"] = .object(phone)
      fields["signIn"] = .object(signIn)
    }
    return fields
  }

  /// A phone number for tests and its code.
  static func testNumber(in settings: JSON) -> (number: String, code: String)? {
    let numbers = settings["signIn"]?["phoneNumber"]?["testPhoneNumbers"]?.object
    for entry in numbers?.entries ?? [] {
      if let code = entry.value.string { return (entry.key, code) }
    }
    return nil
  }

  /// Whether functions of the project are called when accounts are made or sign in.
  static func hasFunctions(_ settings: JSON) -> Bool {
    settings["blockingFunctions"]?["triggers"]?.object?.isEmpty == false
  }
}
