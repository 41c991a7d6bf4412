public import System
internal import CXML

/// A parsed page as plain values: elements in document order, each with its parent.
///
/// libxml2's tree exists only inside `init`; what remains is `Sendable` and cannot dangle. Elements refer to each
/// other by index, so no traversal needs recursion, and deep nesting cannot exhaust the stack.
struct HTMLDocument: Sendable {
  enum Node: Sendable {
    case element(Int)
    case text(String)
  }

  struct Element: Sendable {
    var name: String
    var attributes: [String: String]
    var parent: Int?
    /// Whether it is invisible because of `hidden`, an inline style, or an enclosing element.
    var isHidden = false
    /// Whether an enclosing fieldset disables its controls, except in its first legend (HTML,
    /// "concept-fe-disabled").
    var isDisabledByFieldset = false
    /// The nearest enclosing element of each kind, which may be the element itself.
    var nearest: [Landmark: Int] = [:]
    var outermostTable: Int?
    var children: [Node] = []
    /// One past the last descendant: `index..<end` is the element with its content.
    var end = 0
  }

  /// The kinds of enclosing elements that are looked up.
  enum Landmark: String { case form, label, noscript, template, select, optgroup, nav, footer }

  private(set) var elements: [Element] = []

  /// A sign-in page has a few hundred elements; this limits the memory.
  static let maximumElements = 60_000

  /// Parses `bytes` leniently; nil when there is no document.
  ///
  /// - Parameter charset: from the Content-Type header; takes precedence over the page's own
  ///   declaration.
  init?(parsing bytes: [UInt8], charset: String? = nil) {
    do throws(PageFault) { try self.init(reading: bytes, charset: charset) } catch { return nil }
  }

  /// Parses `bytes` leniently, up to a deadline.
  init(
    reading bytes: [UInt8], charset: String?, until deadline: ContinuousClock.Instant? = nil
  ) throws(PageFault) {
    guard !bytes.isEmpty else { throw .empty }
    guard bytes.count <= Int(Int32.max), let context = htmlNewParserCtxt() else {
      throw .unreadable
    }
    defer { htmlFreeParserCtxt(context) }
    let options = Int32(
      HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
        | HTML_PARSE_NONET.rawValue | HTML_PARSE_NODEFDTD.rawValue
        | HTML_PARSE_IGNORE_ENC.rawValue)
    let (text, encoding) = Charset.prepare(bytes, header: charset)
    guard AttributeWork.isBearable(text) else { throw .tooManyAttributes }
    // Some libxml2 errors bypass the context and would be printed to the terminal.
    xmlSetStructuredErrorFunc(nil) { _, _ in }
    let parsed = text.withUnsafeBytes { buffer in
      htmlCtxtReadMemory(
        context, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), nil,
        encoding, options)
    }
    guard let document = parsed else { throw .unreadable }
    defer { xmlFreeDoc(document) }
    guard let root = xmlDocGetRootElement(document) else { throw .unreadable }
    try read(root, until: deadline)
    if elements.isEmpty { throw .unreadable }
    if elements.count > Self.maximumElements { throw .tooManyElements }
  }

  private mutating func read(
    _ root: xmlNodePtr, until deadline: ContinuousClock.Instant?
  ) throws(PageFault) {
    var node: xmlNodePtr? = root
    var parent: Int?
    var legends: Set<Int> = []
    while let current = node {
      var entered = false
      switch current.pointee.type {
      case XML_ELEMENT_NODE:
        // Stop here, where all collected elements are still consistent.
        if elements.count > Self.maximumElements { return }
        if elements.count % 1_000 == 0 { try PageFault.check(deadline) }
        let index = elements.count
        var element = Element(
          name: Self.text(current.pointee.name).lowercased(),
          attributes: Self.attributes(of: current), parent: parent, end: index + 1)
        element.isHidden = parent.map { elements[$0].isHidden } ?? false || element.hidesItself
        inherit(from: parent, by: &element, at: index, &legends)
        elements.append(element)
        if let parent { elements[parent].children.append(.element(index)) }
        if current.pointee.children != nil {
          parent = index
          entered = true
        }
      case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
        if let parent {
          elements[parent].children.append(.text(Self.text(current.pointee.content)))
        }
      default: break
      }
      if entered {
        node = current.pointee.children
        continue
      }
      var climbing: xmlNodePtr? = current
      while let here = climbing {
        if here == root {
          node = nil
          break
        }
        if let next = here.pointee.next {
          node = next
          break
        }
        climbing = here.pointee.parent
        if let index = parent {
          elements[index].end = elements.count
          parent = elements[index].parent
        }
      }
      if climbing == nil { node = nil }
    }
    // Close what is still open at the end of the document, such as the root.
    var open = parent
    while let index = open {
      elements[index].end = elements.count
      open = elements[index].parent
    }
    if !elements.isEmpty { elements[0].end = elements.count }
  }

  /// Copies what is known from the parent, so that no element needs to search its ancestors.
  private func inherit(
    from parent: Int?, by element: inout Element, at index: Int, _ legends: inout Set<Int>
  ) {
    if let parent {
      element.nearest = elements[parent].nearest
      element.outermostTable = elements[parent].outermostTable
      let isFirstLegend =
        element.name == "legend" && elements[parent].name == "fieldset"
        && legends.insert(parent).inserted
      element.isDisabledByFieldset =
        elements[parent].isDisabledByFieldset
        || elements[parent].name == "fieldset" && has("disabled", parent) && !isFirstLegend
    }
    if let landmark = Landmark(rawValue: element.name) { element.nearest[landmark] = index }
    if element.name == "table", element.outermostTable == nil { element.outermostTable = index }
  }

  private static func attributes(of node: xmlNodePtr) -> [String: String] {
    var found: [String: String] = [:]
    var attribute = node.pointee.properties
    while let current = attribute {
      let name = text(current.pointee.name).lowercased()
      // An attribute without a value, such as `disabled`, has no child.
      var value = ""
      var part = current.pointee.children
      while let piece = part {
        value += text(piece.pointee.content)
        part = piece.pointee.next
      }
      if found[name] == nil { found[name] = value }
      attribute = current.pointee.next
    }
    return found
  }

  private static func text(_ pointer: UnsafePointer<xmlChar>?) -> String {
    pointer.map { String(decodingCString: $0, as: UTF8.self) } ?? ""
  }
}

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
  ///
  /// - Parameter isSkipped: Which elements inside to leave out.
  func text(
    of index: Int, limit: Int = 4_000, skipping isSkipped: (Element) -> Bool = { _ in false }
  ) -> String {
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
        if Self.unread.contains(elements[child].name) || isSkipped(elements[child]) { continue }
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

/// Why a response cannot be read as a page.
enum PageFault: Error {
  /// Not HTML by its type, compressed, or a download.
  case noPage
  case empty
  case unreadable
  case tooManyElements
  case tooManyAttributes
  /// The time limit of the sign-in was reached before the page was parsed.
  case late

  /// The reason for an error message; nil when the caller must inspect the response.
  var reason: String? {
    switch self {
    case .noPage, .late: nil
    case .empty: "it is empty"
    case .unreadable: "there is no HTML in it"
    case .tooManyElements:
      "it has more than \(HTMLDocument.maximumElements) elements, which is the limit"
    case .tooManyAttributes:
      "it has a tag of about 10,000 attributes or more, which is the limit"
    }
  }

  /// Throws when the deadline has passed.
  static func check(_ deadline: ContinuousClock.Instant?) throws(PageFault) {
    if let deadline, ContinuousClock.now > deadline { throw .late }
  }
}

extension SystemLibrary {
  /// libxml2, which parses pages.
  public static var xml: SystemLibrary {
    // 20914 means 2.9.14.
    let number = String(cString: luath_xml_version()).prefix(while: \.isNumber)
    let version = Int(number).map { "\($0 / 10_000).\($0 / 100 % 100).\($0 % 100)" }
    return SystemLibrary("libxml2", version, headers: LIBXML_DOTTED_VERSION)
  }
}
