internal import System
internal import HTTP
internal import OIDC

/// The readable content and the controls of one sign-in page.
struct SignInPage: Sendable {
  struct Link: Sendable {
    var address: WebURL
    var text: String
  }

  var url: WebURL
  var base: WebURL
  var title: String
  var heading: String
  /// The error message of the page, if it has one.
  var message: String?
  /// Other text of the page: below its heading, or all of a short page without one.
  ///
  /// Nil when there is a `message`.
  var remark: String?
  var forms: [PageForm]
  var links: [Link]
  /// The target of a refresh, which may be the page itself.
  var refresh: WebURL?
  /// The delay of the refresh in seconds.
  var refreshDelay = 0
  /// The HTTP authentication scheme of the response, if it requires one.
  var challenge: String?
  /// The charset of forms without their own.
  var charset = SubmissionCharset.utf8
  /// Whether the page submits its form by itself, by a script or because it has no button.
  var sendsItself = false
  /// Whether the page is useless without scripts.
  var needsScript: Bool

  /// Whether a media type is HTML; without a type, the body decides.
  static func isHTML(_ type: String?) -> Bool {
    guard let type, !PageForm.trimmed(type).isEmpty else { return true }
    let name = PageForm.trimmed(String(type.prefix { $0 != ";" })).lowercased()
    return ["text/html", "application/xhtml+xml", "text/xml", "application/xml"].contains(name)
  }

  /// Parses a response, up to a deadline.
  init(
    _ response: HTTPResponse, until deadline: ContinuousClock.Instant? = nil
  ) throws(PageFault) {
    guard Self.isPage(response) else { throw .noPage }
    let charset = Self.parameter("charset", of: response.headers["Content-Type"] ?? "")
    let document = try HTMLDocument(
      reading: response.body, charset: charset, until: deadline)
    self.init(document, at: response.url, refreshHeader: response.headers["Refresh"])
    try PageFault.check(deadline)
    challenge = Self.challenge(of: response)
    self.charset = SubmissionCharset(Charset.name(of: response.body, header: charset))
  }

  /// The scheme of a required HTTP authentication (RFC 9110, section 11.6.1).
  static func challenge(of response: HTTPResponse) -> String? {
    guard response.status == 401, let header = response.headers["WWW-Authenticate"] else {
      return nil
    }
    let name = PageForm.trimmed(header).prefix { $0.isASCII && ($0.isLetter || $0 == "-") }
    return name.isEmpty ? nil : String(name.prefix(40))
  }

  /// Whether a response is a page to display, neither a download nor data.
  static func isPage(_ response: HTTPResponse) -> Bool {
    let disposition = response.headers["Content-Disposition"] ?? ""
    // We request no compression and unpack nothing, which also avoids decompression bombs.
    let coding = PageForm.trimmed(response.headers["Content-Encoding"] ?? "").lowercased()
    return isHTML(response.headers["Content-Type"]) && ["", "identity"].contains(coding)
      && !PageForm.trimmed(disposition).lowercased().hasPrefix("attachment")
  }

  init(_ document: HTMLDocument, at url: WebURL, refreshHeader: String? = nil) {
    self.url = url
    let reference = document.all(["base"]).lazy.compactMap { document.attribute("href", of: $0) }
      .first
    let base = reference.flatMap { url.resolving(PageForm.trimmed($0)) } ?? url
    self.base = base
    title = document.all(["title"]).first.map { Self.words(document.rawText(of: $0)) } ?? ""
    heading =
      document.all(["h1", "h2"]).lazy.filter { !document.elements[$0].isHidden }
      .map { document.text(of: $0, limit: 200) }.first { !$0.isEmpty } ?? ""
    forms = PageForm.all(in: document).filter(\.isSent)
    links = document.all(["a"]).compactMap { index in
      guard let target = document.attribute("href", of: index), !document.elements[index].isHidden,
        let address = base.resolving(PageForm.trimmed(target))
      else { return nil }
      let text = document.text(of: index, limit: 200)
      return Link(
        address: address, text: text.isEmpty ? document.names(of: index).first ?? "" : text)
    }
    message = Self.message(in: document)
    if let refresh = Self.refresh(in: document, header: refreshHeader) {
      self.refresh = refresh.reference.map { base.resolving($0) } ?? url
      refreshDelay = refresh.seconds
    }
    needsScript = Self.needsScript(document, forms)
    sendsItself = Self.sendsItself(document)
    let whole = heading.isEmpty ? Self.shortText(in: document) : nil
    readRemark(
      paragraphs: whole ?? Self.paragraphs(in: document), other: Self.looseText(in: document))
  }

  /// Whether the page has no usable forms and depends on scripts.
  private static func needsScript(_ document: HTMLDocument, _ forms: [PageForm]) -> Bool {
    guard !document.all(["script"]).isEmpty else {
      return document.all(["noscript"]).contains {
        document.text(of: $0, limit: 400).lowercased().contains("javascript")
      }
    }
    return forms.allSatisfy { form in
      PageForm.trimmed(form.action ?? "").lowercased().hasPrefix("javascript:")
    }
  }

  /// Returns the text of an alert, found by role, live region, or typical class names.
  private static func message(in document: HTMLDocument) -> String? {
    let marks = ["error", "alert", "invalid", "danger", "feedback", "problem"]
    var byClass: String?
    for index in 0..<document.elements.count {
      let attributes = document.elements[index].attributes
      guard !attributes.isEmpty else { continue }
      let isAlert = attributes["role"] == "alert" || attributes["aria-live"] == "assertive"
      let named = "\(attributes["class"] ?? "") \(attributes["id"] ?? "")".lowercased()
      guard isAlert || (byClass == nil && marks.contains { named.contains($0) }) else { continue }
      if ["html", "body", "form", "input", "button", "main"].contains(document.elements[index].name)
      {
        continue
      }
      if document.elements[index].isHidden || document.closest(.noscript, to: index) != nil {
        continue
      }
      let text = shortened(document.text(of: index, limit: 400))
      if text.isEmpty { continue }
      if isAlert { return text }
      byClass = text
    }
    return byClass
  }

  /// Returns all text of a page; nil if it is long.
  private static func shortText(in document: HTMLDocument) -> String? {
    let text = document.all(["body"]).first.map { document.text(of: $0, limit: 400) } ?? ""
    return text.utf8.count <= 240 ? text : nil
  }

  /// Returns the text of a page outside of its forms, menus and footers.
  private static func looseText(in document: HTMLDocument) -> String {
    guard let body = document.all(["body"]).first else { return "" }
    return document.text(of: body, limit: 2_000) {
      $0.isHidden || ["form", "nav", "footer", "noscript"].contains($0.name)
    }
  }

  /// Returns the first paragraphs, list items and table cells, up to the length of a message.
  private static func paragraphs(in document: HTMLDocument) -> String {
    var text = ""
    var end = 0
    for index in document.all(["p", "li", "dt", "dd", "pre", "code", "td", "th"])
    where index >= end && !document.elements[index].isHidden {
      let isAside = [HTMLDocument.Landmark.form, .template, .nav, .footer].contains {
        document.closest($0, to: index) != nil
      }
      if isAside { continue }
      let words = document.text(of: index, limit: 400)
      if words.isEmpty { continue }
      // Nested elements are included already.
      end = document.elements[index].end
      let isName = ["dt", "th"].contains(document.elements[index].name) && words.last != ":"
      text += (text.isEmpty ? "" : " ") + words + (isName ? ":" : "")
      if text.utf8.count > 400 { break }
    }
    return text
  }

  /// Sets the remark, if there is no message.
  ///
  /// - Parameters:
  ///   - paragraphs: The text of the page's paragraphs, lists and tables.
  ///   - other: All text of the page, for pages that mark up no paragraphs.
  mutating func readRemark(paragraphs: String, other: String) {
    var text = paragraphs
    if let code = other.firstRange(of: RedirectComplaint.microsoftCode),
      message?.contains(RedirectComplaint.microsoftCode) != true
    {
      // Alerts and tables of Microsoft's error pages may have other facts only.
      message = nil
      text = String(other[code.lowerBound...])
    } else if paragraphs.isEmpty {
      let rest = other.dropFirst(heading.count)
      let isBelow = other.hasPrefix(heading) && (rest.isEmpty || rest.first == " ")
      text = PageForm.trimmed(isBelow ? String(rest) : other)
    }
    guard message == nil, !text.isEmpty else { return }
    remark = Self.shortened(heading.isEmpty ? text : "\(heading): \(text)")
  }

  private static func refresh(in document: HTMLDocument, header: String?) -> Refresh? {
    let metas = document.all(["meta"]).filter {
      document.attribute("http-equiv", of: $0)?.lowercased() == "refresh"
    }
    // Includes a refresh inside noscript, because we run no scripts.
    return ([header] + metas.map { document.attribute("content", of: $0) }).lazy
      .compactMap { $0.flatMap { Refresh($0) } }
      .first { $0.seconds <= Refresh.longestDelay }
  }

  static func parameter(_ name: String, of header: String) -> String? {
    for part in header.split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, PageForm.trimmed(String(pair[0])).lowercased() == name else {
        continue
      }
      return PageForm.trimmed(String(pair[1])).filter { $0 != "\"" }
    }
    return nil
  }

  static func words(_ text: String) -> String {
    shortened(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }

  /// Shortens a text for a message and removes control characters.
  static func shortened(_ text: String) -> String {
    let scalars = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
    var clean = String(String.UnicodeScalarView(scalars))
    if clean.count > 240 { clean = clean.prefix(239) + "…" }
    return clean
  }
}

/// Detects pages that submit their form by themselves, to hand over to another server.
extension SignInPage {
  /// Whether the page has a script that submits a form, or no visible button.
  ///
  /// A script that waits for a click does not count: its form is for the user to submit.
  static func sendsItself(_ document: HTMLDocument) -> Bool {
    var isSent = false
    var waitsForClick = false
    var hasButton = false
    for index in document.elements.indices {
      let element = document.elements[index]
      if document.closest(.template, to: index) != nil { continue }
      let script =
        element.name == "script" ? document.rawText(of: index) : element.attributes["onload"]
      if let script {
        isSent = isSent || calls.contains { script.contains($0) }
        waitsForClick = waitsForClick || handlesClick(script)
      }
      if element.isHidden || document.closest(.noscript, to: index) != nil { continue }
      waitsForClick = waitsForClick || element.attributes["onclick"] != nil
      hasButton = hasButton || isPressable(element)
    }
    return (isSent || !hasButton) && !waitsForClick
  }

  private static let calls = [".submit(", ".requestSubmit(", ".click()"]
  private static let clicks = ["onclick", "\"click\"", "'click'", "`click`"]

  private static func handlesClick(_ script: String) -> Bool {
    clicks.contains { script.contains($0) }
      || script.split(separator: ".click(").dropFirst().contains { !$0.hasPrefix(")") }
  }

  private static func isPressable(_ element: HTMLDocument.Element) -> Bool {
    switch element.name {
    case "button": true
    case "a": element.attributes["href"] != nil
    case "input":
      ["submit", "button", "image"].contains(
        PageForm.trimmed(element.attributes["type"] ?? "").lowercased())
    default: element.attributes["role"] == "button"
    }
  }
}

/// A `<meta http-equiv=refresh>` or Refresh header (HTML, "shared declarative refresh steps").
struct Refresh {
  /// The delay in seconds.
  let seconds: Int
  /// The target; nil for the same page.
  let reference: String?

  /// Pages with a longer delay are treated as pages to read.
  static let longestDelay = 30

  init?(_ value: String) {
    let text = PageForm.trimmed(value)
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty || text.hasPrefix(".") else { return nil }
    seconds = digits.isEmpty ? 0 : Int(digits) ?? Int.max
    let rest = text.drop { ($0.isASCII && $0.isNumber) || $0 == "." }
    var target = PageForm.trimmed(String(rest.drop { $0 == ";" || $0 == "," || $0.isWhitespace }))
    if target.lowercased().hasPrefix("url") {
      let behind = PageForm.trimmed(String(target.dropFirst(3)))
      if behind.hasPrefix("=") { target = PageForm.trimmed(String(behind.dropFirst())) }
    }
    if let quote = target.first, quote == "\"" || quote == "'" {
      target = String(target.dropFirst().prefix { $0 != quote })
    }
    reference = target.isEmpty ? nil : target
  }
}
