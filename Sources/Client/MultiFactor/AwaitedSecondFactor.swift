import System

/// A sign-in whose first factor is done and whose second is missing.
struct AwaitedSecondFactor: Sendable {
  /// The backend's proof of the first factor.
  let pendingCredential: Secret

  /// The factors that can finish the sign-in.
  let hints: [MultiFactorInfo]

  /// The first factor's response; its provider tokens and profile belong to the final result.
  private let response: JSONObject

  init(_ response: JSONObject) {
    pendingCredential = Secret(response["mfaPendingCredential"]?.string ?? "")
    hints = (response["mfaInfo"]?.array ?? []).compactMap(MultiFactorInfo.init)
    self.response = response
  }

  /// The user of the first factor, if the response has it.
  var userID: String? {
    response["localId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The response as it would be without a second factor, with the tokens of the second factor.
  ///
  /// These have no lifetime, so it is read from the ID token. The user is too, because the tokens decide who is
  /// signed in.
  func response(completedBy tokens: JSONObject) -> JSONObject {
    var complete = response
    for name in ["mfaPendingCredential", "mfaInfo", "localId"] { complete[name] = nil }
    for name in ["idToken", "refreshToken", "expiresIn"] { complete[name] = tokens[name] }
    return complete
  }
}

extension AwaitedSecondFactor: CustomReflectable {
  /// Shows no members, because the response may have a provider's tokens.
  var customMirror: Mirror { Mirror(self, children: []) }
}
