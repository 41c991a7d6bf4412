internal import System
internal import HTTP
internal import IdentityToolkit

/// The fields of an `accounts:signInWithIdp` request.
struct IdentityRequest {
  let requestURI: AbsoluteURI
  /// The provider's response: the request URI's query, overridden by the posted body, overridden by the
  /// fragment, which carries implicit responses.
  let answer: FormFields
  /// Whether something overrode the request URI's query.
  private let isMerged: Bool
  let posted: FormFields
  /// A parameter that the provider's response has more than once, in one or several places (RFC 6749 section 3.1).
  ///
  /// Parsers differ in which value they take, so the end of a redirect flow is refused then.
  let repeated: String?
  let sessionID: String?
  let pendingToken: String?
  /// The Firebase ID token of the account to link to.
  let idToken: String?
  let returnsIdPCredential: Bool
  let returnsRefreshToken: Bool
  /// Whether an unknown identity creates an account; false for reauthentication.
  let autoCreates: Bool
  var caller = Caller()

  init(_ fields: Fields) throws(Refusal) {
    sessionID = fields.text("sessionId")
    pendingToken = fields.text("pendingToken")
    idToken = fields.text("idToken")
    returnsIdPCredential = try fields.bool("returnIdpCredential") ?? false
    returnsRefreshToken = try fields.bool("returnRefreshToken") ?? false
    autoCreates = try fields.bool("autoCreate") ?? true
    guard let text = fields.text("requestUri") else { throw Refusal(.missingRequestURI) }
    guard let uri = AbsoluteURI(text) else { throw Refusal(.invalidRequestURI) }
    requestURI = uri
    let posted = Self.form(fields.text("postBody"))
    self.posted = posted
    let implicit = Self.form(uri.fragment)
    let query = FormFields(parsing: uri.query ?? "")
    isMerged = !posted.isEmpty || !implicit.isEmpty
    let sources = [query, posted, implicit]
    repeated = Self.givenOnce.first { name in
      sources.reduce(0) { $0 + $1.all(name).count } > 1
    }
    answer = Self.overridden(Self.overridden(query, by: posted), by: implicit)
  }

  /// The parameters used at the end of a redirect flow; other names may be the app's own.
  private static let givenOnce = [
    "state", "code", "iss", "id_token", "access_token", "error", "error_description",
  ]

  /// Parses a form that may begin with the question mark of a query, as browsers do.
  private static func form(_ text: String?) -> FormFields {
    let bytes = (text ?? "").utf8
    let mark = bytes.first == UInt8(ascii: "?") ? 1 : 0
    return FormFields(parsing: String(Substring(bytes.dropFirst(mark))))
  }

  /// The fields with each name of `other` set to its first value there, in the place of its first occurrence
  /// here (the URL standard's `searchParams.set`).
  private static func overridden(_ fields: FormFields, by other: FormFields) -> FormFields {
    guard !other.isEmpty else { return fields }
    var values: [ExactString: String] = [:]
    for pair in other.pairs {
      let name = ExactString(string: pair.name)
      if values[name] == nil { values[name] = pair.value }
    }
    var placed: Set<ExactString> = []
    var pairs: [(String, String)] = []
    for pair in fields.pairs {
      let name = ExactString(string: pair.name)
      guard let value = values[name] else {
        pairs.append((pair.name, pair.value))
        continue
      }
      if placed.insert(name).inserted { pairs.append((pair.name, value)) }
    }
    for pair in other.pairs {
      let name = ExactString(string: pair.name)
      if placed.insert(name).inserted { pairs.append((pair.name, values[name] ?? "")) }
    }
    return FormFields(pairs)
  }

  /// A field of the response; nil if it is empty.
  func answered(_ name: String) -> String? {
    answer[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The request URI with the whole response as its query.
  var wholeURI: String { isMerged ? requestURI.text(query: answer) : requestURI.text }
}
