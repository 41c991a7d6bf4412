import System

/// The purpose of an e-mailed code.
public struct ActionCodeInfo: Sendable, Equatable {
  /// The operation that the code performs.
  public let operation: ActionCodeOperation

  /// The e-mail address of the account, or the new one when the address changes or has changed.
  ///
  /// Nil for sign-in links: the user must know the address.
  public let email: String?

  /// The old address, when it changes or has changed.
  public let previousEmail: String?

  /// The second factor that the code removes.
  public let multiFactorInfo: MultiFactorInfo?

  /// When an address changes, `email` in the response is the old one.
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
