internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// The fields of an `accounts:signInWithIdp` request.
struct IdentityRequest {
  let requestURI: AbsoluteURI
  /// The provider's answer: the request URI's query, overridden by the posted body, overridden by the
  /// fragment, in which implicit answers come.
  let answer: FormFields
  /// Whether something overrode the request URI's query.
  private let isMerged: Bool
  let posted: FormFields
  let sessionID: String?
  let pendingToken: String?
  /// The Firebase ID token of the account to link to.
  let idToken: String?
  let returnsIdPCredential: Bool
  let returnsRefreshToken: Bool
  /// Whether an unknown identity makes a new account; reauthentication says no.
  let autoCreates: Bool

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
    posted = FormFields(parsing: fields.text("postBody") ?? "")
    let implicit = FormFields(parsing: uri.fragment ?? "")
    let query = FormFields(parsing: uri.query ?? "")
    isMerged = !posted.isEmpty || !implicit.isEmpty
    answer = isMerged ? Self.merged([query, posted, implicit]) : query
  }

  /// The last value under each name, where the name first stood.
  private static func merged(_ sources: [FormFields]) -> FormFields {
    var pairs: [(String, String)] = []
    var positions: [ExactString: Int] = [:]
    for pair in sources.flatMap(\.pairs) {
      let name = ExactString(string: pair.name)
      if let position = positions[name] {
        pairs[position].1 = pair.value
      } else {
        positions[name] = pairs.count
        pairs.append((pair.name, pair.value))
      }
    }
    return FormFields(pairs)
  }

  /// A field of the answer that is not empty.
  func answered(_ name: String) -> String? {
    answer[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The request URI with the whole answer as its query.
  var wholeURI: String { isMerged ? requestURI.text(query: answer) : requestURI.text }
}
