internal import System

/// The texts of the provider pages in one language.
struct Wording: Sendable {
  /// English, and the languages of the guides for these providers.
  enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"
    case italian = "it"
    case japanese = "ja"
    case russian = "ru"
    case vietnamese = "vi"
  }

  let language: Language

  /// The phrase with its placeholders, such as `{name}`, replaced.
  func callAsFunction(_ phrase: Phrase, _ values: KeyValuePairs<String, String> = [:]) -> String {
    let table = Self.table(language)
    var text = ""
    var rest = (table[phrase] ?? Self.english[phrase] ?? "")[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = rest[rest.index(after: open)..<close]
      text += rest[..<open]
      text += values.first { $0.key == name }?.value ?? ""
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  static func table(_ language: Language) -> [Phrase: String] {
    switch language {
    case .english: english
    case .french: french
    case .italian: italian
    case .japanese: japanese
    case .russian: russian
    case .vietnamese: vietnamese
    }
  }

  /// The first supported language of `tags`; `fr-CA fr en` and `fr-CA;q=0.9, en` both work.
  static func preferred(_ tags: String?) -> Language? {
    guard let tags else { return nil }
    for tag in tags.split(whereSeparator: { $0 == " " || $0 == "," }) {
      let base = tag.prefix { $0 != "-" && $0 != "_" && $0 != ";" }.lowercased()
      if let language = Language(rawValue: base) { return language }
    }
    return nil
  }
}

/// All texts of the provider pages; braces mark placeholders.
enum Phrase: CaseIterable, Sendable {
  case signIn, toContinue, email, password, enterPassword, next, cancel, back
  case unknownAccount, wrongPassword, wrongEither, missingEmail, tooManyAttempts
  case chooseAccount, useAnother, signedIn
  case consentTitle, consentLead, accept, deny
  case errorTitle, errorLead, returning, returningLead, proceed
  case deviceTitle, deviceLead, userCode, unknownUserCode, deviceWarning
  case deviceGranted, deviceGrantedLead, deviceDenied, deviceDeniedLead
  case logoutTitle, logoutLead, staySignedIn, loggedOut, stillSignedIn, closePage, logoutErrorLead
  case footer, whoCanSignIn, code
  case scopeIdentity, scopeProfile, scopeEmail, scopeOffline
  case scopeRead, scopeWrite, scopeOther
  case mail, calendars, contacts, files, directory, tasks, notes
}

/// The scopes of the providers, and their descriptions for users.
enum ScopeWords {
  static let basic: Set<String> = ["openid", "profile", "email"]

  private static let google = "https://www.googleapis.com/auth/"
  private static let graph = "https://graph.microsoft.com/"

  /// Whether a provider has the scope.
  ///
  /// Microsoft's permissions have the form Resource.Operation, and Google's are URLs. Generic servers and Yahoo take
  /// any; Yahoo's are checked against the app's permissions elsewhere.
  static func exists(_ scope: String, at kind: IdentityProvider.Kind) -> Bool {
    if basic.contains(scope) { return true }
    switch kind {
    case .microsoft:
      if scope == "offline_access" { return true }
      var name = scope[...]
      if name.hasPrefix(graph) { name = name.dropFirst(graph.count) }
      if name == ".default" { return true }
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      return (2...4).contains(parts.count)
        && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { $0 == 0x2D || $0.isLetter } }
    case .google:
      return scope.hasPrefix(google) && scope.utf8.count > google.utf8.count
    case .yahoo, .oidc: return true
    }
  }

  static func lines(_ scopes: [String], in words: Wording) -> [Markup] {
    // `profile` already describes what User.Read allows.
    let isNamed = scopes.contains("profile")
    return scopes.filter { !isNamed || $0.lowercased() != "user.read" }.map { line($0, in: words) }
  }

  /// One line of the consent page: the description, and the scope itself unless it is a basic one.
  private static func line(_ scope: String, in words: Wording) -> Markup {
    switch scope {
    case "openid": return "<li><span>\(words(.scopeIdentity))</span></li>"
    case "profile": return "<li><span>\(words(.scopeProfile))</span></li>"
    case "email": return "<li><span>\(words(.scopeEmail))</span></li>"
    case "offline_access": return "<li><span>\(words(.scopeOffline))</span></li>"
    default: break
    }
    return "<li><span>\(meaning(scope.lowercased(), in: words))<code>\(scope)</code></span></li>"
  }

  private static func meaning(_ scope: String, in words: Wording) -> String {
    let things: [(String, Phrase)] = [
      ("mail", .mail), ("calendar", .calendars), ("contact", .contacts), ("people", .contacts),
      ("sdct", .contacts), ("file", .files), ("drive", .files), ("sites", .files),
      ("directory", .directory), ("group", .directory), ("task", .tasks), ("notes", .notes),
    ]
    guard let thing = things.first(where: { scope.contains($0.0) })?.1 else {
      return scope.hasSuffix("user.read") ? words(.scopeProfile) : words(.scopeOther)
    }
    let reads = [".read", "-r", "readonly", ".read.all", ".read.shared"].contains {
      scope.hasSuffix($0)
    }
    return words(reads ? .scopeRead : .scopeWrite, ["what": words(thing)])
  }
}
