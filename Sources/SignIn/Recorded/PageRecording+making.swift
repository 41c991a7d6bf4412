internal import System
internal import HTTP

extension PageRecording {
  /// Creates a recording from the exchanges of a transport, with secrets removed.
  init(
    _ request: (providerID: String, url: WebURL, redirectURI: WebURL),
    _ exchanges: [RecordingTransport.Exchange], secrets: [Secret], answer: Answer
  ) {
    let mask = PageMask(secrets + Self.secrets(of: exchanges))
    providerID = request.providerID
    start = WebURL(mask.address(request.url.description)) ?? request.url.with(query: nil)
    redirectURI = request.redirectURI
    self.exchanges = exchanges.map { Exchange($0.request, $0.response, mask) }
    self.answer = answer
    if case .refusal(let error, let description, let isPosted, let isInFragment) = answer {
      self.answer = .refusal(
        error: mask.text(error), description: description.map { mask.text($0) },
        isPosted: isPosted, isInFragment: isInFragment)
    }
  }

  /// Returns the secrets in the exchanges: states and codes in URLs, and cookies.
  private static func secrets(of exchanges: [RecordingTransport.Exchange]) -> [Secret] {
    var found: [Secret] = []
    for exchange in exchanges {
      found += PageMask.secrets(in: exchange.request.url)
      let location = exchange.response.headers["Location"] ?? ""
      if let next = exchange.request.url.resolving(location) { found += PageMask.secrets(in: next) }
      for cookie in exchange.response.headers.all("Set-Cookie") {
        let pair = cookie.prefix { $0 != ";" }
        guard let equals = pair.firstIndex(of: "=") else { continue }
        let value = PageForm.trimmed(String(pair[pair.index(after: equals)...]))
        if value.utf8.count >= 8 { found.append(Secret(value)) }
      }
    }
    return found
  }
}

extension PageRecording.Exchange {
  fileprivate init(_ request: HTTPRequest, _ response: HTTPResponse, _ mask: PageMask) {
    method = request.method
    (address, fields) = Self.outline(of: request, mask)
    status = response.status
    let type = response.headers["Content-Type"]
    let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
    let document =
      SignInPage.isPage(response)
      ? HTMLDocument(parsing: response.body, charset: charset) : nil
    page = document.map { MaskedPage.html(of: $0, mask: mask, for: .replaying) } ?? ""
    headers = Self.kept(response.headers, isPage: document != nil, mask)
  }

  private static func kept(
    _ headers: HTTPHeaders, isPage: Bool, _ mask: PageMask
  ) -> [(name: String, value: String)] {
    var kept: [(name: String, value: String)] = []
    if let type = headers["Content-Type"] {
      kept.append(("Content-Type", isPage ? "text/html; charset=utf-8" : mask.text(type)))
    }
    if let location = headers["Location"] { kept.append(("Location", mask.landing(location))) }
    for name in ["Content-Disposition", "WWW-Authenticate"] {
      if let value = headers[name] { kept.append((name, mask.text(value))) }
    }
    if let refresh = headers["Refresh"] { kept.append(("Refresh", mask.refresh(refresh))) }
    for cookie in headers.all("Set-Cookie") {
      guard let equals = cookie.firstIndex(of: "=") else { continue }
      let attributes = cookie[equals...].drop { $0 != ";" }
      kept.append(
        (
          "Set-Cookie",
          mask.text(String(cookie[..<equals])) + "=masked" + mask.text(String(attributes))
        ))
    }
    return kept
  }
}

extension PageMask {
  /// Masks a URL, except for the error codes in it, which are not secret.
  fileprivate func landing(_ location: String) -> String {
    var masked = address(location)
    let shown: Set<String> = ["error", "error_subcode"]
    for part in [location.drop { $0 != "?" }, location.drop { $0 != "#" }] {
      for pair in FormFields(parsing: String(part.dropFirst())).pairs
      where shown.contains(pair.name) {
        let plain = FormFields([(pair.name, text(pair.value))]).encoded
        masked = masked.replacing("\(pair.name)=\(Self.inAddress)", with: plain)
      }
    }
    return masked
  }
}
