public import Encoding

/// What a plan asks for: an entry of the list that a script's `plan` returns.
///
/// In a plan file each is an object whose `op` names it; the other members have the names given here.
public enum Operation: Sendable {
  /// `link`: adds an identity at a provider: `providerId`, `rawId`, and `email`, `displayName`, `photoUrl`.
  case link(uid: String, identity: JSONObject)
  /// `unlink`: takes the identities of one provider away; `providerId`.
  case unlink(uid: String, providerID: String)
  /// `merge`: gives the identities of `loser` to `survivor`, disables the loser and marks it with a claim.
  ///
  /// Without `providers` all identities are moved. The loser is deleted by `luath batch finalize`.
  case merge(survivor: String, loser: String, providers: [String]?)
  /// `update`: changes `fields` under the names of Firebase's admin SDKs, in which false clears a field; `as`
  /// says whether the script called it so, or by one of its shorter forms.
  case update(uid: String, fields: JSONObject, as: UpdateForm = .update)
  /// `import`: makes an account, as `admin:importUsers` takes one; `hash` says how passwords were hashed.
  case create(account: JSONObject, hash: JSONObject?)
  /// `delete`: removes an account.
  case delete(uid: String)
  /// `linkAsUser`: signs in by custom token and links a credential as the person would: `providerId`, and
  /// `idToken`, `accessToken`, `nonce` or `pendingToken`.
  case linkAsUser(uid: String, credential: JSONObject)
  /// Any other name: an operation of the script's own.
  case custom(name: String, uid: String?, arguments: JSON)
  /// What follows from an earlier run: only luath's own commands make it, and no script.
  case followUp(FollowUp)
}

/// What a script calls a change of an account's fields, and by which it is counted.
public enum UpdateForm: String, Sendable, CaseIterable {
  /// Any fields.
  case update
  /// The custom claims alone: `claims`.
  case setClaims
  /// The address alone: `email`, `verified`.
  case setEmail
  /// Closing the account.
  case disable
  /// Opening it again.
  case enable
}
