internal import Encoding

/// What came of opening a link from an e-mail.
enum ActionOutcome {
  /// It worked; the members say what and for whom.
  case done(JSONObject)
  /// It did not; the members say why and what to do.
  case refused(JSONObject)
  /// The new password is still to be said; the members say so to a program.
  case wantsPassword(for: String, JSONObject)
  /// The browser goes on to the app.
  case leadsTo(String)

  static func refused(_ error: String, _ instructions: String? = nil) -> ActionOutcome {
    var members: JSONObject = ["error": .string(error)]
    members.set("instructions", instructions)
    return .refused(members)
  }
}
