internal import System

/// The result of opening a link from an e-mail.
enum ActionOutcome {
  /// Success; the members describe what was done and for which account.
  case done(JSONObject)
  /// Failure; the members have the error and instructions.
  case refused(JSONObject)
  /// A new password is required; the members explain this to a program.
  case wantsPassword(for: String, JSONObject)
  /// The browser is redirected to the app.
  case leadsTo(String)

  static func refused(_ error: String, _ instructions: String? = nil) -> ActionOutcome {
    var members: JSONObject = ["error": .string(error)]
    members.set("instructions", instructions)
    return .refused(members)
  }
}
