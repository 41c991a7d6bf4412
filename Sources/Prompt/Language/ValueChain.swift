import Lua
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
