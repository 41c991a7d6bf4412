import Encoding

/// What a code of an e-mail is for.
public struct ActionCodeInfo: Sendable, Equatable {
  /// What the code does.
  public let operation: ActionCodeOperation

  /// The address it is about, the new one where an address changes or was changed; nil for links to
  /// sign in, whose holder must know it.
  public let email: String?

  /// The old one, where an address changes or was changed.
  public let previousEmail: String?

  /// The second factor that the code takes away.
  public let multiFactorInfo: MultiFactorInfo?

  /// Where an address changes, the answer's `email` is the old one.
  init(_ answer: JSONObject) {
    func text(_ name: String) -> String? {
      answer[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    operation = ActionCodeOperation(wire: answer["requestType"]?.string ?? "")
    let newEmail = text("newEmail")
    email = newEmail ?? text("email")
    previousEmail = newEmail == nil ? nil : text("email")
    multiFactorInfo = answer["mfaInfo"].flatMap(MultiFactorInfo.init)
  }
}
