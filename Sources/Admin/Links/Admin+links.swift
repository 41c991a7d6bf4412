public import Encoding
import IdentityToolkit

extension Admin {
  /// The kinds of link, by their names on the wire.
  public enum LinkKind: String, Sendable, CaseIterable {
    /// Sets a new password.
    case passwordReset = "PASSWORD_RESET"
    /// Verifies the address of an account.
    case verifyEmail = "VERIFY_EMAIL"
    /// Signs in whoever reads mail to the address.
    case emailSignIn = "EMAIL_SIGNIN"
    /// Gives an account another address, once that is verified.
    case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
  }

  /// Makes a link that a client's call would send by e-mail, for you to send.
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
