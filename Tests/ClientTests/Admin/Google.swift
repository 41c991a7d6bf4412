@testable import Client
@testable import System
@testable import HTTP
@testable import OIDC
import Synchronization

/// A stand-in for Google: the token endpoint of service accounts, and an interface that asks for
/// their access tokens.
final class Google: Sendable {
  static let email = "robot@demo-admin.iam.gserviceaccount.com"
  static let tokenURL = "https://oauth2.googleapis.com/token"
  /// A refusal of the interface, as its front end words it.
  static let unauthenticated: JSON = [
    "error": [
      "code": 401, "status": "UNAUTHENTICATED",
      "message":
        "Request had invalid authentication credentials. Expected OAuth 2 access token.",
    ]
  ]

  struct State {
    var now: Int64 = 1_800_000_000
    /// What the token endpoint answers instead of a token.
    var refusal: (status: Int, body: JSON)?
    /// What it answers instead of anything in JSON.
    var page: ServerResponse?
    var lifetime: JSON = 3599
    var tokens: Set<String> = []
    var exchanges = 0
    var calls: [HTTPRequest] = []
    /// What the interface answers; the token is looked at before.
    var answer: @Sendable (HTTPRequest) -> ServerResponse = { _ in
      ServerResponse(json: ["users": [["localId": "ada"]]])
    }
  }

  let state = Mutex(State())
  let key: SigningKey

  init(_ key: SigningKey) { self.key = key }

  /// The JSON key of the service account.
  func keyFile(_ changes: JSONObject = [:]) -> JSON {
    var file: JSONObject = [
      "type": "service_account", "project_id": "demo-admin",
      "private_key_id": .string(key.keyID), "private_key": .string(key.privatePEM.reveal()),
      "client_email": .string(Self.email), "token_uri": .string(Self.tokenURL),
    ]
    for (name, value) in changes.entries { file[name] = value }
    return .object(file)
  }

  /// Answers a request to either host, whose name begins the path.
  func answer(_ request: HTTPRequest) -> ServerResponse {
    state.withLock { state in
      if request.url.path == "/oauth2.googleapis.com/token" { return exchange(request, &state) }
      state.calls.append(request)
      let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init)
      guard let token, state.tokens.contains(token) else {
        return ServerResponse(status: 401, json: Self.unauthenticated)
      }
      return state.answer(request)
    }
  }

  private func exchange(_ request: HTTPRequest, _ state: inout State) -> ServerResponse {
    state.exchanges += 1
    if let page = state.page { return page }
    if let refusal = state.refusal {
      return ServerResponse(status: refusal.status, json: refusal.body)
    }
    func refuse(_ words: String) -> ServerResponse {
      ServerResponse(
        status: 400, json: ["error": "invalid_grant", "error_description": .string(words)])
    }
    guard request.form["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer",
      let token = try? JWT(decoding: request.form["assertion"] ?? "")
    else { return refuse("Bad Request") }
    do {
      try token.verify(KeySet([key]), algorithms: [.rs256])
    } catch {
      return refuse("Invalid JWT Signature.")
    }
    let (issued, ends) = (token.claims["iat"]?.integer ?? 0, token.claims["exp"]?.integer ?? 0)
    guard abs(issued - state.now) <= 300, ends > issued, ends - issued <= 3600 else {
      return refuse(
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
          + "timeframe. Check your iat and exp values in the JWT claim.")
    }
    guard token.claims["iss"]?.string == Self.email, token.keyID == key.keyID,
      token.claims["aud"]?.string == Self.tokenURL,
      token.claims["scope"]?.string?.split(separator: " ").contains(
        "https://www.googleapis.com/auth/identitytoolkit") == true
    else { return refuse("Invalid grant: account not found") }
    let fresh = "ya29.token-\(state.exchanges)"
    state.tokens.insert(fresh)
    return ServerResponse(
      json: [
        "access_token": .string(fresh), "expires_in": state.lifetime, "token_type": "Bearer",
      ])
  }
}

/// A clock that a test sets.
final class SetClock: AuthClock {
  var now: Int64 = 1_800_000_000
}

/// Carries requests for Google's hosts to the stand-in.
final class GoogleTransport: Transport {
  private let google: Google
  private var gates: [CheckedContinuation<Void, Never>] = []
  /// Whether token requests wait for `release`.
  var holdsExchanges = false
  private(set) var pauses: [Duration] = []

  init(_ google: Google) { self.google = google }

  var heldCount: Int { gates.count }

  func release() {
    let waiting = gates
    gates = []
    for gate in waiting { gate.resume() }
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    if holdsExchanges, request.url.host == "oauth2.googleapis.com" {
      await withCheckedContinuation { gates.append($0) }
      guard !Task.isCancelled else { throw HTTPError(.cancelled, "cancelled", hint: "") }
    }
    var inner = request
    inner.url = try mapped(request.url, to: "http://127.0.0.1")
    let answer = google.answer(inner)
    return HTTPResponse(
      status: answer.status, headers: answer.headers, body: answer.body, url: request.url)
  }

  func pause(for duration: Duration) async throws(HTTPError) { pauses.append(duration) }
}

/// The address on a stand-in for a host of Google's, whose name begins the path there.
func mapped(_ url: WebURL, to origin: String) throws(HTTPError) -> WebURL {
  guard url.scheme == "https", let mapped = WebURL("\(origin)/\(url.host)\(url.pathAndQuery)")
  else {
    throw HTTPError(.unsupported, "\(url.origin) is not one of Google's addresses", hint: "")
  }
  return mapped
}
