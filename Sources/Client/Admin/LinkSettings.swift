import IdentityToolkit
public import System

/// The settings of an e-mail link: where it leads, and which apps it may open.
public struct LinkSettings: Sendable {
  /// The allowed fields of their table.
  static let names = ["url", "handleCodeInApp", "linkDomain", "iOS", "android"]

  /// The fields of the request.
  let wire: JSONObject

  /// Parses a table with the names of Firebase's SDKs.
  public init(_ json: JSON) throws(AdminError) {
    let reader = try RecordReader(json, at: ["settings"], names: Self.names)
    var wire = JSONObject()
    wire["continueUrl"] = try reader.textIfAny("url").map(JSON.string)
    wire["canHandleCodeInApp"] = try reader.boolIfAny("handleCodeInApp").map(JSON.bool)
    wire["linkDomain"] = try reader.textIfAny("linkDomain").map(JSON.string)
    if let app = try reader.readerIfAny("iOS", names: ["bundleID"]) {
      wire["iOSBundleId"] = try app.textIfAny("bundleID").map(JSON.string)
    }
    if let app = try reader.readerIfAny(
      "android", names: ["packageName", "installApp", "minimumVersion"])
    {
      wire["androidPackageName"] = try app.textIfAny("packageName").map(JSON.string)
      wire["androidInstallApp"] = try app.boolIfAny("installApp").map(JSON.bool)
      wire["androidMinimumVersion"] = try app.textIfAny("minimumVersion").map(JSON.string)
    }
    self.wire = wire
  }
}

extension Admin {
  /// The kinds of links, by their names in the API.
  public enum LinkKind: String, Sendable, CaseIterable {
    case passwordReset = "PASSWORD_RESET"
    case verifyEmail = "VERIFY_EMAIL"
    /// Signs in the recipient of the e-mail.
    case emailSignIn = "EMAIL_SIGNIN"
    /// Changes the e-mail address of an account after verifying the new one.
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
  }

  /// Generates a link, like those that client calls send by e-mail, for the caller to send.
  public func generateLink(
    _ kind: LinkKind, email: String, newEmail: String? = nil, _ settings: LinkSettings? = nil
  ) async throws(AdminError) -> Secret {
    try Self.check(email, "email")
    if let newEmail { try Self.check(newEmail, "newEmail") }
    if kind == .emailSignIn,
      settings?.wire["canHandleCodeInApp"] != .bool(true) || settings?.wire["continueUrl"] == nil
    {
      throw AdminError(
        .invalidArgument, "a link to sign in needs settings with url and handleCodeInApp = true",
        hint: "pass { url = \"https://…\", handleCodeInApp = true }")
    }
    var body: JSONObject = [
      "requestType": .string(kind.rawValue), "email": .string(email), "returnOobLink": true,
    ]
    body["newEmail"] = newEmail.map(JSON.string)
    for (name, value) in settings?.wire.entries ?? [] { body[name] = value }
    let answer = try await call(AdminRequest("accounts:sendOobCode", body))
    guard let link = answer["oobLink"]?.string, !link.isEmpty else {
      throw AdminError(
        .userNotFound, "the backend made no link, as it does where it hides which addresses exist",
        hint: "check with admin:getUserByEmail whether an account has the address")
    }
    return Secret(link)
  }
}
