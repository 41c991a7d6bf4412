internal import System
internal import HTTP
internal import IdentityToolkit

/// Rewrites a page without secrets; forms, labels and text stay.
///
/// Comments, scripts, and everything that only a script would read are removed.
struct MaskedPage {
  enum Use {
    /// For display: it loads nothing, runs nothing and sends nothing.
    case viewing
    /// For the form driver to read again.
    case replaying
  }

  private let document: HTMLDocument
  private let mask: PageMask
  private let use: Use
  private var text = ""

  /// Returns the page's HTML, in UTF-8.
  static func html(of document: HTMLDocument, mask: PageMask, for use: Use) -> String {
    var page = MaskedPage(document: document, mask: mask, use: use)
    page.write()
    return page.text
  }

  private init(document: HTMLDocument, mask: PageMask, use: Use) {
    self.document = document
    self.mask = mask
    self.use = use
  }

  private enum Work {
    case node(HTMLDocument.Node, inside: Int)
    case end(String)
  }

  private mutating func write() {
    text = "<!DOCTYPE html>\n"
    var work: [Work] = document.elements.isEmpty ? [] : [.node(.element(0), inside: 0)]
    while let next = work.popLast() {
      switch next {
      case .end(let name): text += "</\(name)>"
      case .node(.text(let words), let parent): write(words, inside: parent)
      case .node(.element(let index), _):
        let name = document.elements[index].name
        guard Self.isName(name), !isLeftOut(index) else { continue }
        open(index)
        if name == "head" { writeHead() }
        if Self.void.contains(name) { continue }
        work.append(.end(name))
        if name == "script" || name == "iframe" || name == "style" && use == .replaying { continue }
        work += document.elements[index].children.reversed().map { .node($0, inside: index) }
      }
    }
    text += "\n"
  }

  private mutating func writeHead() {
    text += "<meta charset=\"utf-8\">"
    guard use == .viewing else { return }
    text += "<meta http-equiv=\"Content-Security-Policy\" "
    text += "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
  }

  private func isLeftOut(_ index: Int) -> Bool {
    let attributes = document.elements[index].attributes
    switch document.elements[index].name {
    case "meta":
      if attributes["charset"] != nil { return true }
      let kind = attributes["http-equiv"]?.lowercased()
      return use == .viewing ? kind != nil : kind != nil && kind != "refresh"
    case "base": return use == .viewing
    case "object", "embed", "applet", "frame": return true
    default: return false
    }
  }

  private mutating func write(_ words: String, inside parent: Int) {
    let name = document.elements[parent].name
    let masked = mask.text(words)
    switch name {
    case "style": if !masked.contains("<") { text += masked }
    case "textarea": text += Markup.escaped(Self.isCode(document.elements[parent]) ? "" : masked)
    default: text += Markup.escaped(masked)
    }
  }

  private mutating func open(_ index: Int) {
    let element = document.elements[index]
    text += "<\(element.name)"
    for (name, value) in element.attributes.sorted(by: { $0.key < $1.key })
    where Self.isName(name) {
      guard let kept = kept(name, value, of: element) else { continue }
      text += kept.isEmpty ? " \(name)" : " \(name)=\"\(Markup.escaped(kept))\""
    }
    text += ">"
  }

  /// Returns what is kept of an attribute's value; nil removes the attribute.
  private func kept(_ name: String, _ value: String, of element: HTMLDocument.Element) -> String? {
    if value.isEmpty { return name.hasPrefix("on") ? nil : value }
    switch name {
    case "href", "action", "formaction", "src", "cite", "background", "poster", "ping",
      "longdesc", "xlink:href":
      return mask.address(value)
    case "srcset", "imagesrcset", "srcdoc", "nonce", "integrity": return nil
    case "value": return maskedValue(value, of: element)
    case "content": return maskedContent(value, of: element)
    case let name where name.hasPrefix("on"): return nil
    case let name where name.hasPrefix("data-"): return Redaction.mask
    default: return mask.text(value)
    }
  }

  private func maskedValue(_ value: String, of element: HTMLDocument.Element) -> String {
    guard element.name == "input" else { return mask.text(value) }
    switch element.attributes["type"]?.lowercased() {
    case "password": return Redaction.mask
    // The user's e-mail address is visible on the page anyway, and the form reader needs it.
    case "hidden": return Self.isAddress(value) ? mask.text(value) : Redaction.mask
    default: return Self.isCode(element) ? Redaction.mask : mask.text(value)
    }
  }

  private func maskedContent(_ value: String, of element: HTMLDocument.Element) -> String {
    if element.attributes["http-equiv"]?.lowercased() == "refresh" {
      return mask.refresh(value)
    }
    let name = element.attributes["name"]?.lowercased() ?? ""
    return ["viewport", "description", "generator", "robots", "color-scheme"].contains(name)
      ? mask.text(value) : Redaction.mask
  }

  /// Whether a field contains a one-time code or a similar secret.
  private static func isCode(_ element: HTMLDocument.Element) -> Bool {
    ["name", "id", "autocomplete"].compactMap { element.attributes[$0] }.contains { name in
      let lower = name.lowercased()
      return SecretNames.mayHoldSecrets(name)
        || ["code", "otp", "pin", "key"].contains { lower.contains($0) }
    }
  }

  private static func isAddress(_ text: String) -> Bool {
    guard text.utf8.count < 255, !text.contains(where: \.isWhitespace) else { return false }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
      && !PageMask.looksLikeToken(parts[0])
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 80
      && name.utf8.allSatisfy {
        $0.isLetterOrDigit
          || [0x2D, 0x5F, 0x3A].contains($0)
      }
  }

  private static let void: Set<String> = [
    "area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]
}

/// Makes pages safe to show in a report.
public enum ShownPage {
  /// Returns the page's HTML without values, scripts and external resources; nil if it is not HTML.
  ///
  /// Forms, labels and text stay.
  ///
  /// - Parameter type: its Content-Type.
  public static func html(_ bytes: [UInt8], type: String?) -> String? {
    let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
    guard SignInPage.isHTML(type), let document = HTMLDocument(parsing: bytes, charset: charset)
    else { return nil }
    return MaskedPage.html(of: document, mask: PageMask([]), for: .viewing)
  }
}
