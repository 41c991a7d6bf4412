internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// The fields of an `accounts:signInWithIdp` request.
struct IdentityRequest {
  let requestURI: WebURL
  /// The provider's answer: the request URI's query, overridden by the posted body, overridden by the
  /// fragment, in which implicit answers come.
  let answer: FormFields
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
    let postBody = try fields.string("postBody")
    sessionID = try fields.string("sessionId").flatMap { $0.isEmpty ? nil : $0 }
    pendingToken = try fields.string("pendingToken").flatMap { $0.isEmpty ? nil : $0 }
    idToken = try fields.string("idToken").flatMap { $0.isEmpty ? nil : $0 }
    returnsIdPCredential = try fields.bool("returnIdpCredential") ?? false
    returnsRefreshToken = try fields.bool("returnRefreshToken") ?? false
    autoCreates = try fields.bool("autoCreate") ?? true
    guard let text = try fields.string("requestUri"), !text.isEmpty else {
      throw Refusal(.missingRequestURI)
    }
    guard let url = WebURL(text) else { throw Refusal(.invalidRequestURI) }
    requestURI = url
    posted = FormFields(parsing: postBody ?? "")
    var answer = url.fragmentFields
    for pair in posted.pairs { answer.append(pair.name, pair.value) }
    for pair in url.fields.pairs { answer.append(pair.name, pair.value) }
    self.answer = answer
  }

  /// A field of the answer that is not empty.
  func answered(_ name: String) -> String? {
    answer[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
