import System

/// An operation that a plan requests: an entry of the list that a script's `plan` returns.
///
/// In a plan file it is an object with the name in `op`; the other members have the names given here.
enum Operation: Sendable {
  /// `link`: adds an identity at a provider: `providerId`, `rawId`, and `email`, `displayName`, `photoUrl`.
  case link(uid: String, identity: JSONObject)
  /// `unlink`: removes the identities of one provider; `providerId`.
  case unlink(uid: String, providerID: String)
  /// `merge`: moves the identities of `loser` to `survivor`, disables the loser and marks it with a claim.
  ///
  /// Without `providers` all identities are moved. The loser is deleted by `luath batch finalize`.
  case merge(survivor: String, loser: String, providers: [String]?)
  /// `update`: changes `fields`, with the field names of Firebase's admin SDKs; false clears a field.
  ///
  /// `as` records whether the script used `update` or one of its short forms.
  case update(uid: String, fields: JSONObject, as: UpdateForm = .update)
  /// `import`: creates an account from a record in the form of `admin:importUsers`.
  ///
  /// `hash` describes how passwords were hashed.
  case create(account: JSONObject, hash: JSONObject?)
  /// `delete`: removes an account.
  case delete(uid: String)
  /// `linkAsUser`: signs in with a custom token and links a credential as the user would.
  ///
  /// The credential has `providerId`, and `idToken`, `accessToken`, `nonce` or `pendingToken`.
  case linkAsUser(uid: String, credential: JSONObject)
  /// A custom operation of the script, under any other name.
  case custom(name: String, uid: String?, arguments: JSON)
  /// An operation that follows from an earlier run; only luath's own commands create it, never a script.
  case followUp(FollowUp)
}

/// The name under which a script requested an account update; operations are counted by it.
enum UpdateForm: String, Sendable, CaseIterable {
  /// Any fields.
  case update
  /// The custom claims only: `claims`.
  case setClaims
  /// The e-mail address only: `email`, `verified`.
  case setEmail
  /// Disables the account.
  case disable
  /// Enables the account.
  case enable
}
