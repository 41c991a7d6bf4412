internal import Auth
internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// What a loopback listener was told: nothing yet, or the one answer it takes.
///
/// Sendable, because only the loop's thread touches it: the server's handlers run there, and so
/// does whoever waits.
final class LoopbackInbox: @unchecked Sendable {
  private enum Phase {
    /// No sign-in has begun.
    case idle
    /// The sign-in with this state is under way; nil when it has none.
    case expecting(state: String?, needsResult: Bool)
  }

  /// The address answers come to.
  var redirectURL: WebURL?
  /// The answer, from here or elsewhere.
  let slot: AnswerSlot

  private var phase = Phase.idle

  init(_ loop: EventLoop) { slot = AnswerSlot(loop) }

  func expect(_ state: String?, needsResult: Bool) {
    phase = .expecting(state: state, needsResult: needsResult)
  }

  // MARK: Requests

  func respond(to request: HTTPRequest) -> ServerResponse {
    guard let redirectURL else { return LoopbackPage.missing.response }
    // A page elsewhere that points a name of its own at this machine has that name in Host.
    guard request.url.authority == redirectURL.authority else {
      return LoopbackPage.foreign.response
    }
    // A browser says what a request is for: what a page elsewhere embeds is no return from a page.
    if let use = request.headers["Sec-Fetch-Dest"], use != "document" {
      return LoopbackPage.foreign.response
    }
    switch (request.url.path, request.method) {
    case (redirectURL.path, "GET"): return arrival(at: redirectURL.with(query: request.url.query))
    case (redirectURL.path, "POST"): return posted(request, to: redirectURL)
    case (redirectURL.path, _): return LoopbackPage.wrongMethod(allowed: "GET, POST").response
    case (redirectURL.fragmentPath, "POST"): return copied(request, from: redirectURL)
    case (redirectURL.fragmentPath, _): return LoopbackPage.wrongMethod(allowed: "POST").response
    default: return LoopbackPage.missing.response
    }
  }

  /// What a browser shows of an answer in the fragment it keeps to itself, so a page must look.
  private func arrival(at url: WebURL) -> ServerResponse {
    let fields = LoopbackFields(url, postBody: nil)
    guard fields.isAnswer else {
      guard case .expecting(_, needsResult: true) = phase, slot.result == nil else {
        return take(PageAnswer(finalURL: url.description), fields)
      }
      return LoopbackPage.fragment(url.fragmentPath).response
    }
    return take(PageAnswer(finalURL: url.description), fields)
  }

  /// OAuth 2.0 Form Post Response Mode section 2.
  private func posted(_ request: HTTPRequest, to redirectURL: WebURL) -> ServerResponse {
    guard request.isForm else { return LoopbackPage.wrongType.response }
    let url = redirectURL.with(query: request.url.query)
    let body = String(decoding: request.body, as: UTF8.self)
    let fields = LoopbackFields(url, postBody: body)
    guard fields.isAnswer else { return LoopbackPage.empty.response }
    return take(PageAnswer(finalURL: url.description, postBody: Secret(body)), fields)
  }

  /// What the fragment's page found in its address, or a person copied from there.
  private func copied(_ request: HTTPRequest, from redirectURL: WebURL) -> ServerResponse {
    guard request.isForm else { return LoopbackPage.wrongType.response }
    let text = request.form["address"] ?? ""
    let url =
      text.hasPrefix("#")
      ? redirectURL.with(fragment: String(text.dropFirst())) : WebURL(text)
    guard let url, url.origin == redirectURL.origin, url.path == redirectURL.path else {
      return LoopbackPage.empty.response
    }
    let fields = LoopbackFields(url, postBody: nil)
    guard fields.isAnswer else { return LoopbackPage.empty.response }
    return take(PageAnswer(finalURL: url.description), fields)
  }

  private func take(_ answer: PageAnswer, _ fields: LoopbackFields) -> ServerResponse {
    guard slot.result == nil else { return LoopbackPage.used.response }
    guard case .expecting(let state, let needsResult) = phase else {
      return LoopbackPage.unexpected.response
    }
    if let problem = fields.problem(expecting: state, needsResult: needsResult) {
      slot.settle(.failure(AuthError(.webStateMismatch, "the browser came back with \(problem)")))
      return LoopbackPage.forged.response
    }
    slot.settle(.success(answer))
    return (fields.isRefusal ? LoopbackPage.refused : .finished).response
  }
}

extension WebURL {
  /// Where the page for fragments sends what it found.
  fileprivate var fragmentPath: String { path + (path.hasSuffix("/") ? "" : "/") + "fragment" }
}

extension HTTPRequest {
  fileprivate var isForm: Bool {
    let type = headers["Content-Type"]?.split(separator: ";").first ?? ""
    return type.lowercased().split(separator: " ") == ["application/x-www-form-urlencoded"]
  }
}
