internal import System

/// One account of a project or tenant.
///
/// A nil field was never set and is absent from responses and tokens.
struct Account: Sendable {
  let uid: String
  var email: String?
  /// In the account itself: a number fits into the 16 bytes, and the box of rare fields takes ten times as many.
  var phoneNumber: String?
  var displayName: String?
  var password: PasswordRecord?
  var emailVerified: Bool?
  var disabled: Bool?
  /// Whether an e-mail link has signed in to the account, which adds `password` to its providers.
  var hasEmailLink = false
  /// Whether a custom token has signed in to the account.
  var isCustom = false
  /// Whether responses contain `providerUserInfo`; they keep the empty list after the last provider is unlinked.
  var listsProviders = false
  /// The sign-in methods in the order they were added.
  private var links: [Link] = []
  /// The fields few accounts have, kept apart so that the other accounts need no memory for them.
  private var rare: Box<RareFields>?
  /// Milliseconds since 1970; kept when the password is removed.
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
  /// The start of the newest session, in seconds since 1970; a revocation sets `validSince` after it.
  var newestSession: Int64 = 0

  init(uid: String) {
    self.uid = uid
  }

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

  /// The custom claims as the administrator wrote them: a JSON object.
  var customAttributes: String? {
    get { rare?.content.customAttributes }
    set { setRare(\.customAttributes, newValue) }
  }

  var initialEmail: String? {
    get { rare?.content.initialEmail }
    set { setRare(\.initialEmail, newValue) }
  }

  /// The second factors; nil if there never was one.
  var factors: [SecondFactor]? {
    get { rare?.content.factors }
    set { setRare(\.factors, newValue) }
  }

  var passkeys: [Passkey]? {
    get { rare?.content.passkeys }
    set { setRare(\.passkeys, newValue) }
  }

  /// Fields without effect that only imports and providers set, such as `screenName`,
  /// `language`, `dateOfBirth`, `timeZone`.
  var furtherFields: JSONObject? {
    get { rare?.content.furtherFields }
    set { setRare(\.furtherFields, newValue) }
  }

  /// The times that were written as anything but a plain whole number, by name.
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

  // MARK: Derived values

  var isEmailVerified: Bool {
    get { emailVerified == true }
    set { emailVerified = newValue }
  }

  var isDisabled: Bool {
    get { disabled == true }
    set { disabled = newValue }
  }

  /// Whether the account has no sign-in method, so that its user cannot sign in again.
  var isAnonymous: Bool {
    password == nil && identities.isEmpty && !isCustom && email == nil && phoneNumber == nil
  }

  /// The custom claims; empty if unset or not a JSON object.
  var customClaims: JSONObject {
    guard let customAttributes, let parsed = ScriptValue.parse(customAttributes),
      case .object(let claims) = parsed
    else { return JSONObject() }
    return claims
  }

  /// Removes the password, and the salt that an earlier password left in `furtherFields`.
  mutating func removePassword() {
    password = nil
    setFurther("salt", nil)
  }

  mutating func setFurther(_ name: String, _ value: JSON?) {
    guard value != nil || furtherFields != nil else { return }
    var fields = furtherFields ?? JSONObject()
    fields[name] = value
    furtherFields = fields.isEmpty ? nil : fields
  }

  // MARK: Providers

  /// The sign-in methods in the order they were added; `password` and `phone` are built from other fields.
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

  /// The identities at external providers: all but `password` and `phone`.
  var identities: [LinkedIdentity] {
    links.compactMap { link in
      if case .federated(let box) = link { box.content } else { nil }
    }
  }

  /// The ids of all sign-in methods, including `password` and `phone`.
  var providerIDs: [String] { links.map(\.providerID) }

  func identity(at providerID: String) -> LinkedIdentity? {
    providers.first { $0.providerID == providerID }
  }

  /// Adds an identity, replacing an earlier one of the same provider.
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
      // Password and phone hold no data here. Writing their entry would copy the list that most accounts share.
      if case .federated = link { links[index] = link }
    } else if links.isEmpty, case .password = link {
      links = Link.passwordOnly
    } else {
      links.append(link)
    }
  }

  /// Sets the identities from an uploaded list, in which a provider may occur more than once.
  ///
  /// As in Firebase's emulator, all entries are kept, but each later one replaces the first entry of its provider.
  mutating func upload(_ identities: [LinkedIdentity]) {
    links = identities.map(Self.entry)
    for identity in identities { link(identity) }
  }

  /// Removes every sign-in method; `updateProviders` adds password and phone again, at the
  /// end, if their fields are set.
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

  /// Adds or removes the entries of password and phone to match the account's fields.
  mutating func updateProviders() {
    if email != nil, password != nil || hasEmailLink { link(.password) } else { unlink("password") }
    if phoneNumber != nil { link(.phone) } else { unlink("phone") }
    if !links.isEmpty { listsProviders = true }
  }

  /// Ends every session so far.
  ///
  /// Session starts are whole seconds. To end a session that began in this very second,
  /// `validSince` is set after it, and the next session begins no earlier. Responses still show the
  /// present time, as SDKs reject tokens issued before it.
  mutating func revokeTokens(now seconds: Int64) {
    let since = max(seconds, newestSession + 1)
    validSince = since
    leadValidSince(by: since - seconds)
    newestSession = since
  }

  /// Records by how many seconds `validSince` is ahead of the time at which it was set.
  mutating func leadValidSince(by seconds: Int64) { validSinceLead = Int32(clamping: seconds) }

  /// The time at which sessions were ended, as responses show it, in seconds since 1970.
  var shownValidSince: Int64? { validSince.map { $0 - Int64(validSinceLead) } }

  /// The earliest start of a new session, in seconds since 1970: after the sessions that `revokeTokens` ended.
  ///
  /// A future `validSince` set by an administrator does not count.
  var sessionsMayBegin: Int64 { min(newestSession, validSince ?? 0) }
}

extension Account {
  /// Sets a time to the text an administrator wrote, which Firebase's emulator keeps even if it is not a number.
  ///
  /// A `validSince` that is not a number rejects every token; an empty one sets no limit.
  mutating func write(_ text: String, to time: Time) {
    let number = ScriptNumber.parse(text)
    switch time {
    case .createdAt: createdAt = number.flatMap { Int64(exactly: $0.rounded(.down)) }
    case .lastLoginAt: lastLoginAt = ScriptNumber.leadingInteger(of: text)
    case .validSince:
      validSince = text.isEmpty ? nil : Int64(exactly: (number ?? .infinity).rounded(.up)) ?? .max
    }
    let plain: Int64? =
      switch time {
      case .createdAt: createdAt
      case .lastLoginAt: lastLoginAt
      case .validSince: validSince
      }
    guard plain.map(String.init) != text else { return }
    if writtenTimes == nil { writtenTimes = JSONObject() }
    writtenTimes?[time.rawValue] = .string(text)
  }

  /// Drops the text written for a time, since the time is now a plain number.
  mutating func forgetWritten(_ time: Time) {
    guard var times = writtenTimes, times[time.rawValue] != nil else { return }
    times[time.rawValue] = nil
    writtenTimes = times.isEmpty ? nil : times
  }

  /// The times an administrator may write, by their wire names.
  enum Time: String {
    case createdAt, lastLoginAt, validSince
  }

  /// A sign-in method; the details of `password` and `phone` come from the account's own fields.
  enum Link: Sendable {
    case password
    case phone
    case federated(Box<LinkedIdentity>)

    /// The list that most accounts have; they share it to save memory.
    static let passwordOnly: [Link] = [.password]

    var providerID: String {
      switch self {
      case .password: "password"
      case .phone: "phone"
      case .federated(let box): box.content.providerID
      }
    }
  }
}

/// The fields of an account that few accounts have.
struct RareFields: Sendable {
  var photoURL: String?
  var customAttributes: String?
  var initialEmail: String?
  var factors: [SecondFactor]?
  var passkeys: [Passkey]?
  var furtherFields: JSONObject?
  var writtenTimes: JSONObject?
}

/// An optional point in time that takes no more memory than the number alone.
@propertyWrapper
struct CompactMoment: Sendable {
  /// Stands for nil; the emulator's clock never shows it.
  private static let never = Int64.min
  private var moment = never

  var wrappedValue: Int64? {
    get { moment == Self.never ? nil : moment }
    set { moment = newValue ?? Self.never }
  }
}

/// A value on the heap that copies share; storing it takes one word.
final class Box<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }
}
