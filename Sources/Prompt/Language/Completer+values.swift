import Lua
import Reference
import System

/// Completions for values that would have to be computed, by their types in the reference.
extension Completer {
  /// Functions of Lua's library that return strings.
  private static let textFunctions: Set<String> = [
    "tostring", "type", "string.char", "string.format", "string.gsub", "string.lower", "string.rep",
    "string.reverse", "string.sub", "string.upper", "table.concat", "os.date", "utf8.char",
  ]

  /// The members of a chain's value, with their signatures.
  func results(
    of chain: ValueChain, isMethod: Bool, _ context: CompletionContext
  ) -> [Completions.Item] {
    guard let catalogue, let type = type(of: chain, in: catalogue) else { return [] }
    if type == "string" { return members(["string"], true, context) }
    guard let page = catalogue.page(ofType: type) else { return [] }
    let entries = page.entries.filter { entry in
      entry.current == nil && (entry.kind == .method || !isMethod && entry.kind != .function)
    }
    return entries.map { Completions.Item($0.name, note: $0.signature) }
  }

  private func type(of chain: ValueChain, in catalogue: Catalogue) -> String? {
    guard case .name(let name) = chain.root else {
      return type(behind: chain.links[...], of: "string", in: catalogue)
    }
    // The value before the first call exists already, or does not exist, as before a sign-in.
    let end = chain.links.firstIndex(of: .call) ?? chain.links.count
    let path = [name] + chain.links[..<end].compactMap(\.name)
    if end < chain.links.count, let result = result(of: path, in: catalogue) {
      return type(behind: chain.links[(end + 1)...], of: result, in: catalogue)
    }
    for count in (1..<max(path.count, 1)).reversed() {
      let asked = JSON.array(path.prefix(count).map(JSON.string))
      guard let owner = ask("owner", [asked])?.owner else { continue }
      return type(behind: chain.links[(count - 1)...], of: owner, in: catalogue)
    }
    return nil
  }

  /// The result type of the function at a path of names.
  private func result(of path: [String], in catalogue: Catalogue) -> String? {
    if Self.textFunctions.contains(path.joined(separator: ".")) { return "string" }
    let called = ask("called", [.array(path.map(JSON.string))])?.owner
    return called.flatMap { catalogue.called($0)?.results.first?.type }
  }

  /// The type at the end of links that begin at a value of type `first`.
  private func type(
    behind links: ArraySlice<ValueChain.Link>, of first: String, in catalogue: Catalogue
  ) -> String? {
    var (links, type) = (links, first)
    while let link = links.popFirst() {
      guard let name = link.name else { return nil }
      if type == "string" {
        guard Self.textFunctions.contains("string.\(name)"), links.popFirst() == .call else {
          return nil
        }
        continue
      }
      guard let entry = catalogue.page(ofType: type)?.entries.first(where: { $0.name == name })
      else { return nil }
      if links.first == .call {
        links.removeFirst()
        guard let result = entry.results.first?.type else { return nil }
        type = result
      } else {
        guard let colon = entry.signature.firstRange(of: ": ") else { return nil }
        type = String(entry.signature[colon.upperBound...])
      }
    }
    return type
  }
}

extension ValueChain.Link {
  fileprivate var name: String? {
    switch self {
    case .field(let name), .method(let name): name
    case .call: nil
    }
  }
}

extension Catalogue {
  /// The page of a type as written in signatures, where `?` marks an optional one.
  fileprivate func page(ofType type: String) -> ReferencePage? {
    let name = type.hasSuffix("?") ? String(type.dropLast()) : type
    return pages.first { $0.subject == .class && $0.name == name }
  }

  /// The function with a full name; a module that can be called has a function of its own name.
  func called(_ name: String) -> ReferenceEntry? {
    if let page = pages.first(where: { $0.name == name }) {
      return page.entries.first { "luath.\($0.name)" == name }
    }
    return entries(named: name).first
  }
}

/// An expression that computes a value, parsed backwards from its end: `("x"):rep(3)`, `f { a = 1 }.user`.
///
/// Its type is looked up in the reference; the expression is not run.
struct ValueChain: Equatable {
  enum Root: Equatable {
    case name(String)
    /// A string in parentheses.
    case text
  }

  enum Link: Equatable {
    case field(String)
    case method(String)
    case call
  }

  let root: Root
  let links: [Link]

  init(_ root: Root, _ links: [Link] = []) {
    self.root = root
    self.links = links
  }

  /// Parses the chain that ends before an index; nil for other expressions, such as `a[1]`.
  init?(endingBefore end: Int, in tokens: [LuaToken]) {
    guard let found = Self.read(endingBefore: end, in: tokens) else { return nil }
    self = found.chain
  }

  private static func read(
    endingBefore end: Int, in tokens: [LuaToken]
  ) -> (chain: ValueChain, start: Int)? {
    var links: [Link] = []
    var last = end - 1
    while last >= 0 {
      let token = tokens[last]
      if token.kind == .name {
        let sign = last > 0 ? tokens[last - 1] : nil
        guard let sign, sign.is(".") || sign.is(":") else {
          return (ValueChain(.name(token.word), links.reversed()), last)
        }
        links.append(sign.is(":") ? .method(token.word) : .field(token.word))
        last -= 2
        continue
      }
      guard let open = start(of: last, in: tokens) else { return nil }
      if open > 0, canBeCalled(tokens[open - 1]) {
        links.append(.call)
        last = open - 1
        continue
      }
      guard token.is(")") else { return nil }
      if last - open == 2, tokens[open + 1].kind == .string {
        return (ValueChain(.text, links.reversed()), open)
      }
      let inner = Array(tokens[(open + 1)..<last])
      guard let value = read(endingBefore: inner.count, in: inner), value.start == 0 else {
        return nil
      }
      return (ValueChain(value.chain.root, value.chain.links + links.reversed()), open)
    }
    return nil
  }

  /// The start of call arguments that end at `last`: a string, a table, or parentheses.
  private static func start(of last: Int, in tokens: [LuaToken]) -> Int? {
    if tokens[last].kind == .string { return last }
    let closer = tokens[last].word
    guard let opener = [")": "(", "}": "{"][closer] else { return nil }
    var depth = 0
    for index in (0...last).reversed() where tokens[index].kind == .symbol {
      if tokens[index].is(closer) { depth += 1 }
      if tokens[index].is(opener) { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private static func canBeCalled(_ token: LuaToken) -> Bool {
    token.kind == .name || token.kind == .string || token.is(")") || token.is("}")
  }
}
