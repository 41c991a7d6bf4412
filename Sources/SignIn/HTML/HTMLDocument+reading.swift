extension HTMLDocument {
  func attribute(_ name: String, of index: Int) -> String? { elements[index].attributes[name] }

  func has(_ name: String, _ index: Int) -> Bool { elements[index].attributes[name] != nil }

  /// Returns the indices of all elements with one of `names`, in document order.
  func all(_ names: Set<String>, inside scope: Int? = nil) -> [Int] {
    let range = scope.map { $0 + 1..<elements[$0].end } ?? 0..<elements.count
    return range.filter { names.contains(elements[$0].name) }
  }

  /// Returns the nearest enclosing element of a kind, which may be the element itself.
  func closest(_ landmark: Landmark, to index: Int) -> Int? {
    elements[index].nearest[landmark]
  }

  /// Returns the names of an element besides its text: from attributes, and from images inside.
  func names(of index: Int) -> [String] {
    var names = ["aria-label", "title", "alt"].map { attribute($0, of: index) }
    // Buttons and links contain few images; an element around half of the page is neither.
    let end = min(elements[index].end, index + 40)
    for inner in index + 1..<max(end, index + 1) {
      switch elements[inner].name {
      case "img": names += ["alt", "title"].map { attribute($0, of: inner) }
      case "svg": names.append(attribute("aria-label", of: inner))
      case "title": names.append(rawText(of: inner))
      default: break
      }
    }
    return names.compactMap { $0.map(PageForm.trimmed) }.filter { !$0.isEmpty }
  }

  /// Returns the visible text of an element, with white space collapsed.
  ///
  /// Visits only a few elements per byte of the limit, so that many empty ones cost no more.
  func text(of index: Int, limit: Int = 4_000) -> String {
    var words = ""
    var rest = limit * 4
    var stack = [(nodes: elements[index].children[...], endsBlock: false)]
    while var open = stack.popLast() {
      guard let node = open.nodes.popFirst() else {
        if open.endsBlock { words += " " }
        continue
      }
      stack.append(open)
      switch node {
      case .text(let text): words += text
      case .element(let child):
        if Self.unread.contains(elements[child].name) { continue }
        let isInline = Self.inline.contains(elements[child].name)
        if !isInline { words += " " }
        stack.append((elements[child].children[...], !isInline))
      }
      rest -= 1
      if rest == 0 || words.utf8.count > limit { break }
    }
    return words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Returns the text unchanged, for elements whose white space counts.
  func rawText(of index: Int) -> String {
    var text = ""
    for node in elements[index].children { if case .text(let part) = node { text += part } }
    return text
  }

  private static let unread: Set<String> = [
    "script", "style", "template", "head", "title", "select", "textarea", "svg",
  ]
  private static let inline: Set<String> = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "i", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "u", "var", "wbr", "font",
  ]
}

extension HTMLDocument.Element {
  /// Whether the element hides itself and its content: by `hidden`, or by an inline style.
  var hidesItself: Bool {
    if attributes["hidden"] != nil || attributes["aria-hidden"] == "true" { return true }
    if name == "template" || (name == "dialog" && attributes["open"] == nil) { return true }
    guard let style = attributes["style"]?.lowercased() else { return false }
    let compact = style.filter { !$0.isWhitespace }
    return Self.concealing.contains { compact.contains($0) }
  }

  /// Styles of honeypot fields, hidden from users but not from bots.
  private static let concealing = [
    "display:none", "visibility:hidden", "left:-", "top:-", "right:-", "text-indent:-",
    "clip:rect(0", "clip-path:inset(50%", "opacity:0;", "opacity:0.0;", ";height:0", ";width:0",
  ]
}
