import Encoding

/// A sign-in after its first factor, as long as the second one is missing.
struct AwaitedSecondFactor: Sendable {
  /// The backend's proof of the first factor.
  let pendingCredential: Secret

  /// The factors that can finish the sign-in.
  let hints: [MultiFactorInfo]

  /// What the first factor gave: the provider's tokens and profile belong to the final result.
  private let response: JSONObject

  /// Reads the answer to a first factor.
  init(_ response: JSONObject) {
    pendingCredential = Secret(response["mfaPendingCredential"]?.string ?? "")
    hints = (response["mfaInfo"]?.array ?? []).compactMap(MultiFactorInfo.init)
    self.response = response
  }

  /// Whom the first factor belongs to, if the backend tells.
  var userID: String? {
    response["localId"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The answer as it would be without a second factor, with the tokens that this one brought.
  ///
  /// These come without a lifetime, which is then read from the ID token; so is the user, as the
  /// tokens decide who is signed in.
  func response(completedBy tokens: JSONObject) -> JSONObject {
    var complete = response
    for name in ["mfaPendingCredential", "mfaInfo", "localId"] { complete[name] = nil }
    for name in ["idToken", "refreshToken", "expiresIn"] { complete[name] = tokens[name] }
    return complete
  }
}

extension AwaitedSecondFactor: CustomReflectable {
  /// Shows no members, since the first factor's answer may hold a provider's tokens.
  var customMirror: Mirror { Mirror(self, children: []) }
}
