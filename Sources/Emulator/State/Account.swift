internal import Encoding

/// One account of a project or tenant.
///
/// What is nil was never set: such a field is absent from answers and tokens.
struct Account: Sendable {
  let uid: String
  var email: String?
  var displayName: String?
  var password: PasswordRecord?
  var emailVerified: Bool?
  var disabled: Bool?
  /// Whether a link sent to the address has signed in, which makes `password` one of the providers.
  var hasEmailLink = false
  /// Whether a custom token made the account.
  var isCustom = false
  /// Whether answers have the list of providers, which stays there when the last one has gone.
  var listsProviders = false
  /// The ways to sign in, in the order they came.
  private var links: [Link] = []
  /// What few accounts have, so that the others take no room for it.
  private var rare: Box<RareFields>?
  /// Milliseconds since 1970; stays when the password goes.
  @CompactMoment var passwordUpdatedAt: Int64?
  /// Milliseconds since 1970.
  @CompactMoment var createdAt: Int64? { didSet { forgetWritten(.createdAt) } }
  @CompactMoment var lastLoginAt: Int64? { didSet { forgetWritten(.lastLoginAt) } }
  @CompactMoment var lastRefreshAt: Int64?
  /// Seconds since 1970; sessions that began earlier have ended.
  @CompactMoment var validSince: Int64? {
    didSet {
      forgetWritten(.validSince)
      validSinceLead = 0
    }
  }
  /// How many seconds `validSince` is ahead of the time at which it was set: see `revokeTokens`.
  private(set) var validSinceLead: Int32 = 0
  /// The start of the newest session, in seconds since 1970, so that revoking can be later than it.
  var newestSession: Int64 = 0

  /// An account without any field.
  init(uid: String) {
    self.uid = uid
  }

  /// An account made now.
  init(uid: String, now milliseconds: Int64) {
    self.uid = uid
    createdAt = milliseconds
    lastLoginAt = milliseconds
  }

  // MARK: Fields few accounts have

  var photoURL: String? {
    get { rare?.content.photoURL }
    set { setRare(\.photoURL, newValue) }
  }

  var phoneNumber: String? {
    get { rare?.content.phoneNumber }
    set { setRare(\.phoneNumber, newValue) }
  }

  /// The custom claims as the administrator wrote them: a JSON object.
  var customAttributes: String? {
    get { rare?.content.customAttributes }
    set { setRare(\.customAttributes, newValue) }
  }

  var initialEmail: String? {
    get { rare?.content.initialEmail }
    set { setRare(\.initialEmail, newValue) }
  }

  /// The second factors; nil when there never was one.
  var factors: [SecondFactor]? {
    get { rare?.content.factors }
    set { setRare(\.factors, newValue) }
  }

  var passkeys: [Passkey]? {
    get { rare?.content.passkeys }
    set { setRare(\.passkeys, newValue) }
  }

  /// What only imports and providers know: `screenName`, `language`, `dateOfBirth`, `timeZone`.
  var furtherFields: JSONObject? {
    get { rare?.content.furtherFields }
    set { setRare(\.furtherFields, newValue) }
  }

  /// Those of the times that somebody wrote otherwise than as a plain whole number, by their names.
  var writtenTimes: JSONObject? {
    get { rare?.content.writtenTimes }
    set { setRare(\.writtenTimes, newValue) }
  }

  var rareFields: RareFields { rare?.content ?? RareFields() }

  private mutating func setRare<Value>(
    _ field: WritableKeyPath<RareFields, Value?>, _ value: Value?
  ) {
    guard value != nil || rare != nil else { return }
    var fields = rareFields
    fields[keyPath: field] = value
    rare = Box(fields)
  }

  // MARK: What follows from the fields

  var isEmailVerified: Bool {
    get { emailVerified == true }
    set { emailVerified = newValue }
  }

  var isDisabled: Bool {
    get { disabled == true }
    set { disabled = newValue }
  }

  /// Whether nobody could sign in to the account again.
  var isAnonymous: Bool {
    password == nil && identities.isEmpty && !isCustom && email == nil && phoneNumber == nil
  }

  /// The custom claims; empty when there are none or they are no JSON object.
  var customClaims: JSONObject {
    guard let customAttributes, let parsed = ScriptValue.parse(customAttributes),
      case .object(let claims) = parsed
    else { return JSONObject() }
    return claims
  }

  /// Removes the password, and a salt that an earlier one left behind.
  mutating func removePassword() {
    password = nil
    setFurther("salt", nil)
  }

  /// Sets or, with nil, removes one of the fields without effect.
  mutating func setFurther(_ name: String, _ value: JSON?) {
    guard value != nil || furtherFields != nil else { return }
    var fields = furtherFields ?? JSONObject()
    fields[name] = value
    furtherFields = fields.isEmpty ? nil : fields
  }

  // MARK: Providers

  /// The ways to sign in, in the order they came; `password` and `phone` follow from other fields.
  var providers: [LinkedIdentity] {
    links.map { link in
      switch link {
      case .password:
        LinkedIdentity(
          providerID: "password", rawID: email ?? "", email: email, displayName: displayName,
          photoURL: photoURL)
      case .phone: LinkedIdentity(providerID: "phone", rawID: phoneNumber ?? "")
      case .federated(let box): box.content
      }
    }
  }

  /// The identities at providers outside the project.
  var identities: [LinkedIdentity] {
    links.compactMap { link in
      if case .federated(let box) = link { box.content } else { nil }
    }
  }

  /// The ids of the providers the account can be signed in with, password and phone included.
  var providerIDs: [String] { links.map(\.providerID) }

  func identity(at providerID: String) -> LinkedIdentity? {
    providers.first { $0.providerID == providerID }
  }

  /// Adds an identity in place of an earlier one of the same provider.
  mutating func link(_ identity: LinkedIdentity) { link(Self.entry(of: identity)) }

  private static func entry(of identity: LinkedIdentity) -> Link {
    switch identity.providerID {
    case "password": .password
    case "phone": .phone
    default: .federated(Box(identity))
    }
  }

  private mutating func link(_ link: Link) {
    if let index = links.firstIndex(where: { $0.providerID == link.providerID }) {
      // Most accounts are changed without a change of their providers, and share one list.
      if case .federated = link { links[index] = link }
    } else if links.isEmpty, case .password = link {
      links = Link.passwordOnly
    } else {
      links.append(link)
    }
  }

  /// Takes over a list as it was uploaded, in which a provider may come more than once.
  ///
  /// Firebase's emulator keeps all entries but lets every later one replace the first of its provider.
  mutating func upload(_ identities: [LinkedIdentity]) {
    links = identities.map(Self.entry)
    for identity in identities { link(identity) }
  }

  /// Removes every way to sign in; those that follow from other fields come back at the end.
  mutating func unlinkAll() { links.removeAll() }

  mutating func unlink(_ providerID: String) {
    guard links.contains(where: { $0.providerID == providerID }) else { return }
    links.removeAll { $0.providerID == providerID }
  }

  mutating func removeIdentities(where isDoomed: (LinkedIdentity) -> Bool) {
    links.removeAll { link in
      if case .federated(let box) = link { isDoomed(box.content) } else { false }
    }
  }

  /// Brings the entries of password and phone in line with the fields they follow from.
  mutating func updateProviders() {
    if email != nil, password != nil || hasEmailLink { link(.password) } else { unlink("password") }
    if phoneNumber != nil { link(.phone) } else { unlink("phone") }
    if !links.isEmpty { listsProviders = true }
  }

  /// Ends every session so far.
  ///
  /// Sessions begin at whole seconds: one of this very second ends only when the next session begins later. What
  /// is shown stays the present, as SDKs refuse tokens that were issued before it.
  mutating func revokeTokens(now seconds: Int64) {
    let since = max(seconds, newestSession + 1)
    validSince = since
    leadValidSince(by: since - seconds)
    newestSession = since
  }

  /// Says that `validSince` is ahead of the time at which it was set.
  mutating func leadValidSince(by seconds: Int64) { validSinceLead = Int32(clamping: seconds) }

  /// The time at which the sessions were ended, in seconds since 1970, as others see it.
  var shownValidSince: Int64? { validSince.map { $0 - Int64(validSinceLead) } }

  /// The earliest start of a new session, in seconds since 1970: after the sessions that `revokeTokens` ended.
  ///
  /// A limit that an administrator set for the future does not count.
  var sessionsMayBegin: Int64 { min(newestSession, validSince ?? 0) }
}
