import Host
import Lua

/// The comments of a text file, or of a Lua library file, by the members that they document.
struct PageText {
  /// The comment at the top of the file.
  private(set) var top = DocComment()
  /// Functions and fields of the module by name, in order.
  private(set) var members: [(name: String, comment: DocComment)] = []
  /// The classes with their comments and those of their methods.
  private(set) var classes: [(name: String, comment: DocComment, methods: [DocComment])] = []
  /// Fields of the module, from `@field` in the top comment.
  var fields: [DocTag] { top.fields }
  private let statements: [(names: [String], text: String)]

  /// Reads a file; skips members of tables that are not in `owners`; nil reads all.
  init(_ source: String, owners: [String]? = nil) {
    let reader = DocReader(source)
    statements = reader.statements
    for (index, comment) in reader.comments.enumerated() {
      if let name = comment.className {
        classes.append((name, comment, []))
        continue
      }
      switch comment.target {
      case .nothing:
        // A library file begins with the top comment; in a text file it documents no statement.
        if owners == nil ? !comment.isOverStatement : index == 0 { top = comment }
      case .field(let owner, let name):
        if owners?.contains(owner) ?? true { members.append((name, comment)) }
      case .function(let owner, let name, let isMethod, _):
        if isMethod {
          add(comment, to: owner)
        } else if owners?.contains(owner) ?? true, owners == nil || !name.hasPrefix("__") {
          members.append((name, comment))
        }
      }
    }
  }

  private mutating func add(_ comment: DocComment, to owner: String) {
    if let known = classes.firstIndex(where: { $0.name == owner }) {
      classes[known].methods.append(comment)
    } else {
      classes.append((owner, DocComment(), [comment]))
    }
  }

  func member(_ name: String) -> DocComment? { members.first { $0.name == name }?.comment }

  func method(_ name: String, of type: String) -> DocComment? {
    classes.first { $0.name == type }?.methods.first { comment in
      guard case .function(_, let word, _, _) = comment.target else { return false }
      return word == name
    }
  }

  /// The body of a text file's function as a complete script, with the statements from the file's head that
  /// it needs.
  func script(_ body: String) -> String {
    guard !body.isEmpty else { return "" }
    var needed = Self.words(body)
    var head: [String] = []
    for (names, text) in statements.reversed() where names.contains(where: needed.contains) {
      needed.formUnion(Self.words(text))
      head.insert(text, at: 0)
    }
    return (head + [body]).joined(separator: "\n")
  }

  /// The free names of a piece of Lua: without the local names it declares and the members of tables.
  private static func words(_ text: String) -> Set<String> {
    var words: Set<String> = []
    var own: Set<String> = []
    let code = text.split(separator: "\n").filter { !$0.trimmed.hasPrefix("--") }
    var rest = code.joined(separator: "\n")[...]
    var before: Character = " "
    var last = ""
    var (isFunction, isTaken) = (false, false)
    while let first = rest.first {
      let word = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      if word.isEmpty {
        before = first
        if first == "(", isFunction { (isTaken, isFunction) = (true, false) }
        if first == ")" { isTaken = false }
        if first != " " { last = "" }
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(word.count)
      // The parameters of a function are local names.
      if last == "local" || isTaken { own.insert(word) }
      if before != ".", before != ":" { words.insert(word) }
      isFunction = word == "function" || isFunction && last == "function"
      (last, before) = (word, " ")
    }
    return words.subtracting(own)
  }
}

struct HostPages {
  let module: ReferencePage
  let classes: [ReferencePage]

  init(_ module: Module, _ text: PageText) {
    let maker = EntryMaker(text: text)
    let word = module.name.split(separator: ".").last.map(String.init) ?? module.name
    var entries = module.declarations.map {
      maker.entry($0, of: module.name, isMethod: false)
    }
    let object = module.declarations.first?.usage.prefix { $0 != "." }
    // Constructors and tables have no declarations; a test compares the texts with the module's table.
    for (name, comment) in text.members where !entries.contains(where: { $0.name == name }) {
      let made = maker.entry(comment, of: module.name, object: object.map(String.init) ?? word)
      if let made { entries.append(made) }
    }
    entries += text.fields.map {
      maker.field($0, of: module.name, signature: "\(object.map(String.init) ?? word).")
    }
    entries += module.others.map { other in
      let called = "\(object.map(String.init) ?? word).\(other.name)"
      return ReferenceEntry(
        kind: other.isFunction ? .function : .field, owner: module.name, name: other.name,
        signature: other.isFunction ? "\(called)(…)" : called,
        summary: "Another SDK's name for \(other.current).", current: other.current)
    }
    self.module = ReferencePage(
      .module, module.name, module.summary,
      text: [text.top.summary, text.top.text].filter { !$0.isEmpty }.joined(separator: " "),
      entries: entries)
    var pages = module.classes.map { type, methods in
      let comment = text.classes.first { $0.name == type.name }?.comment
      return ReferencePage(
        .class, type.name, type.summary,
        text: comment.map { [$0.summary, $0.text].filter { !$0.isEmpty }.joined(separator: " ") }
          ?? "",
        entries: type.properties.filter { $0.current == nil }
          .map { maker.entry($0, of: type.name) }
          + type.properties.compactMap { property in
            property.current.map { current in
              ReferenceEntry(
                kind: .field, owner: type.name, name: property.name, signature: property.name,
                summary: "Another SDK's name for \(current).", current: current)
            }
          }
          + methods.map { maker.entry($0, of: type.name, isMethod: true) })
    }
    // Tables with known fields, which results and arguments refer to.
    for (name, comment, _) in text.classes where !pages.contains(where: { $0.name == name }) {
      pages.append(
        ReferencePage(
          .class, name, comment.summary, text: comment.text,
          entries: comment.fields.map { maker.field($0, of: name, signature: "") }))
    }
    classes = pages
  }
}

/// The texts about modules and classes that their declarations lack: Lua files whose functions have examples as bodies.
enum Texts {
  /// The text file of a module; empty when there is none.
  static func text(of module: String) -> String {
    guard let text = EmbeddedTexts.files["\(module).lua"] else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount),
      as: UTF8.self)
  }

  /// The default descriptions of arguments and fields, by name.
  static let commonWords = Dictionary(
    uniqueKeysWithValues: PageText(text(of: "common")).top.parameters.map { ($0.name, $0.words) })
}
