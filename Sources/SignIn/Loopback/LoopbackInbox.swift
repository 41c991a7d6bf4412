internal import Client
internal import System
internal import HTTP
internal import IdentityToolkit

/// The request handler of a loopback listener; it accepts one response.
///
/// Sendable, because only the loop's thread uses it: the server's handlers and the waiting task run there.
final class LoopbackInbox: @unchecked Sendable {
  private enum Phase {
    /// No sign-in has begun.
    case idle
    /// A sign-in with this state is in progress; the state is nil when the protocol has none.
    case expecting(state: String?, needsResult: Bool)
  }

  var redirectURL: WebURL?
  /// The response, which may also come from elsewhere.
  let slot: AnswerSlot

  private var phase = Phase.idle

  init(_ loop: EventLoop) { slot = AnswerSlot(loop) }

  func expect(_ state: String?, needsResult: Bool) {
    phase = .expecting(state: state, needsResult: needsResult)
  }

  // MARK: Requests

  func respond(to request: HTTPRequest) -> ServerResponse {
    guard let redirectURL else { return LoopbackPage.missing.response }
    // Prevents DNS rebinding: a foreign page with its own name for this machine sends that name in Host.
    guard request.url.authority == redirectURL.authority else {
      return LoopbackPage.foreign.response
    }
    // Reject requests that a page elsewhere embeds: only a navigation can be a redirect.
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

  /// Handles a GET.
  ///
  /// The response may be in the fragment, which a browser does not send, so a page must read it.
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

  /// Handles a POST (OAuth 2.0 Form Post Response Mode section 2).
  private func posted(_ request: HTTPRequest, to redirectURL: WebURL) -> ServerResponse {
    guard request.isForm else { return LoopbackPage.wrongType.response }
    let url = redirectURL.with(query: request.url.query)
    let body = String(decoding: request.body, as: UTF8.self)
    let fields = LoopbackFields(url, postBody: body)
    guard fields.isAnswer else { return LoopbackPage.empty.response }
    return take(PageAnswer(finalURL: url.description, postBody: Secret(body)), fields)
  }

  /// Handles the URL that the fragment page found, or that the user pasted there.
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
  /// The path to which the fragment page posts.
  fileprivate var fragmentPath: String { path + (path.hasSuffix("/") ? "" : "/") + "fragment" }
}

extension HTTPRequest {
  fileprivate var isForm: Bool {
    let type = headers["Content-Type"]?.split(separator: ";").first ?? ""
    return type.lowercased().split(separator: " ") == ["application/x-www-form-urlencoded"]
  }
}
