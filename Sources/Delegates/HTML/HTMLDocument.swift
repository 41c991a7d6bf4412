internal import CXML

/// A parsed page as plain values: elements in document order, each knowing its parent.
///
/// libxml2's tree lives only inside `init`; what remains is `Sendable` and cannot dangle. Elements
/// are numbered, so walking up and down needs no recursion and no nesting can exhaust the stack.
struct HTMLDocument: Sendable {
  enum Node: Sendable {
    case element(Int)
    case text(String)
  }

  struct Element: Sendable {
    var name: String
    var attributes: [String: String]
    var parent: Int?
    /// Whether a person would not see it: because of `hidden`, an inline style, or what is around it.
    var isHidden = false
    /// Whether a fieldset around it disables the controls in it, its first legend excepted
    /// (HTML, "concept-fe-disabled").
    var isDisabledByFieldset = false
    /// The nearest element of each kind that counts for what is in it, itself included.
    var nearest: [Landmark: Int] = [:]
    /// The outermost table around it.
    var outermostTable: Int?
    var children: [Node] = []
    /// One past the last descendant, so that `index..<end` is the element with all it holds.
    var end = 0
  }

  /// The kinds of elements that are looked for around another one.
  enum Landmark: String { case form, label, noscript, template, select, optgroup, nav, footer }

  private(set) var elements: [Element] = []

  /// A sign-in page has a few hundred elements; what has more than this is not worth the memory.
  static let maximumElements = 60_000

  /// Reads `bytes` with whatever mistakes they have; nil when nothing at all can be made of them.
  ///
  /// - Parameter charset: what the Content-Type header says, which wins over the page's own word.
  init?(parsing bytes: [UInt8], charset: String? = nil) {
    do throws(PageFault) { try self.init(reading: bytes, charset: charset) } catch { return nil }
  }

  /// The same, up to a deadline.
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
    // Some errors of libxml2 pass by the context and would be written to the terminal.
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
        // Without the parent's link an element is unreachable, so this is the place to stop.
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
    // What was still open when the walk ended, the root above all, ends with the document.
    var open = parent
    while let index = open {
      elements[index].end = elements.count
      open = elements[index].parent
    }
    if !elements.isEmpty { elements[0].end = elements.count }
  }

  /// Takes over what is known of the parent, so that nothing has to climb up from each element.
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
      // An attribute without a value has no child; `disabled` alone means disabled all the same.
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
