internal import Encoding

/// How a first factor ended: with tokens, or with the question for a second one.
struct SignedIn {
  let account: Account
  /// `idToken`, `refreshToken` and `expiresIn`, or `mfaPendingCredential` and `mfaInfo`.
  let answer: JSONObject
}
