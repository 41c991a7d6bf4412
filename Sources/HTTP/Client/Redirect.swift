/// The request that a redirect leads to (RFC 9110 section 15.4).
struct Redirect {
  let next: Result<HTTPRequest, HTTPError>

  /// Headers about the wanted response or the type of the body.
  ///
  /// Only these are sent to another origin: any other header may contain a secret, whatever its name.
  private static let harmless: Set = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control",
    "content-encoding", "content-language", "content-type", "pragma", "user-agent",
  ]

  /// Fails when the response is not a redirect.
  init?(_ request: HTTPRequest, _ response: HTTPResponse) {
    // 1. 303: fetch the other resource. 2. 301 and 302 after POST: every browser changes it to GET,
    //   which the RFC allows. 3. 307 and 308: repeat method and body.
    let becomesGet: Bool
    switch response.status {
    case 303: becomesGet = request.method != "HEAD"
    case 301, 302: becomesGet = request.method == "POST"
    case 307, 308: becomesGet = false
    default: return nil
    }
    guard let location = response.headers["Location"] else { return nil }
    guard let url = request.url.resolving(location) else {
      next = .failure(
        HTTPError(
          .malformedURL, "\(request.url.place) redirects to something that is no web address",
          hint: "check the Location header of its response"))
      return
    }
    if request.url.scheme == "https", url.scheme == "http", !url.isLoopback {
      next = .failure(
        HTTPError(
          .tls, "\(request.url.place) redirects from https to http at \(url.place)",
          hint: "ask for the final address if plain http is really wanted"))
      return
    }
    var following = request
    following.url =
      url.fragment == nil && request.url.fragment != nil
      ? url.with(fragment: request.url.fragment) : url
    following.headers.remove("Host")
    if url.origin != request.url.origin {
      if !becomesGet, !request.body.isEmpty, !request.repeatsBodyElsewhere {
        next = .failure(Self.refusedBody(of: request, to: url, response.status))
        return
      }
      let allowed = Self.harmless.subtracting(request.privateHeaders)
      for field in request.headers.fields where !allowed.contains(field.name.lowercased()) {
        following.headers.remove(field.name)
      }
    }
    if becomesGet {
      following.method = "GET"
      following.body = []
      following.headers.remove("Content-Type")
      following.headers.remove("Content-Encoding")
    }
    next = .success(following)
  }

  private static func refusedBody(
    of request: HTTPRequest, to url: WebURL, _ status: Int
  ) -> HTTPError {
    HTTPError(
      .bodyRedirected,
      "\(request.url.place) redirects with status \(status) to \(url.place), another origin, and the "
        + "request has a body",
      hint:
        "send the request to the final address, or pass redirectBody = true if the body may go there"
    )
  }
}
