import Host

/// The pages of a module of the Lua library and its classes.
struct LibraryPages {
  let module: ReferencePage
  let classes: [ReferencePage]

  init(_ part: LibraryPart) {
    let text = PageText(Texts.text(of: part.module))
    let maker = EntryMaker(text: text)
    var top = DocComment()
    var entries: [ReferenceEntry] = []
    var classes: [(name: String, comment: DocComment, entries: [ReferenceEntry])] = []
    func put(_ comment: DocComment, into name: String, _ object: String) {
      let at =
        classes.firstIndex { $0.name == name }
        ?? {
          classes.append((name, DocComment(), []))
          return classes.count - 1
        }()
      let merged = comment.completed(by: text.method(comment.name, of: name))
      if let entry = maker.entry(merged, of: name, object: object),
        !classes[at].entries.contains(where: { $0.name == entry.name })
      {
        classes[at].entries.append(entry)
      }
    }
    for (index, file) in part.files.enumerated() {
      let source = PageText(
        Stdlib.text(of: file.module) ?? "", owners: file.table.isEmpty ? [] : [file.table])
      if index == 0 { top = source.top }
      for (name, comment) in source.members {
        let whole = file.prefix + name
        let merged = comment.named(whole).completed(by: text.member(whole))
        guard !entries.contains(where: { $0.name == whole }), !merged.summary.isEmpty,
          let entry = maker.entry(merged, of: part.module, object: part.word)
        else { continue }
        entries.append(entry)
      }
      for (name, object) in part.classes {
        guard let found = source.classes.first(where: { $0.name == name }) else { continue }
        if classes.first(where: { $0.name == name }) == nil {
          classes.append((name, found.comment, []))
        }
        for comment in found.methods where !comment.name.hasPrefix("__") {
          put(comment, into: name, object)
        }
      }
    }
    // The call of a module itself comes first.
    let rest = text.members.filter { $0.name == "__call" } + text.members
    for (name, comment) in rest where !entries.contains(where: { $0.name == name }) {
      if let entry = maker.entry(comment, of: part.module, object: part.word),
        !entries.contains(where: { $0.name == entry.name })
      {
        entries.insert(entry, at: name == "__call" ? 0 : entries.count)
      }
    }
    for (name, comment, methods) in text.classes {
      if let known = classes.firstIndex(where: { $0.name == name }) {
        classes[known].comment = classes[known].comment.completed(by: comment)
      } else {
        classes.append((name, comment, []))
      }
      let object = part.classes.first { $0.name == name }?.object ?? name
      for method in methods { put(method, into: name, object) }
    }
    entries += text.fields.map {
      maker.field($0, of: part.module, signature: "\(part.word).")
    }
    // The library file's own description comes first; the texts may add to it or provide all of it.
    let summary = top.summary.isEmpty ? text.top.summary : top.summary
    let more = [top.text, top.summary.isEmpty ? "" : text.top.summary, text.top.text]
    module = ReferencePage(
      .module, part.module, summary,
      text: more.filter { !$0.isEmpty }.joined(separator: "\n\n"), entries: entries)
    if let at = classes.firstIndex(where: { $0.name == "Expectation" }) {
      classes[at].entries += entries.compactMap(Self.mirrored)
    }
    self.classes = classes.map { name, comment, entries in
      let all = comment.fields.map { maker.field($0, of: name, signature: "") } + entries
      return ReferencePage(
        .class, name, comment.summary, text: comment.text,
        entries: all + part.older.filter { $0.owner == name }.compactMap { Self.older($0, all) })
    }
  }

  /// An old name of one of a class's entries.
  private static func older(
    _ name: LibraryPart.OldName, _ entries: [ReferenceEntry]
  ) -> ReferenceEntry? {
    entries.first { $0.name == name.current }.map { entry in
      ReferenceEntry(
        kind: entry.kind, owner: name.owner, name: name.name, signature: entry.signature,
        summary: "An older spelling of \(entry.name).", parameters: entry.parameters,
        results: entry.results, waits: entry.waits, current: entry.name)
    }
  }

  /// The method of `expect(value)` for a check: without the value, and it returns the expectation itself.
  private static func mirrored(_ entry: ReferenceEntry) -> ReferenceEntry? {
    let place = entry.name == "raises" ? 1 : 0
    guard entry.parameters.count > place,
      entry.parameters[place].name == (place == 0 ? "actual" : "f")
    else { return nil }
    var parameters = entry.parameters
    parameters.remove(at: place)
    let isRaises = entry.name == "raises"
    return ReferenceEntry(
      kind: .method, owner: "Expectation", name: entry.name,
      signature: EntryMaker.signature("expect(value):\(entry.name)", parameters),
      summary: entry.summary, text: entry.text, parameters: parameters,
      results: isRaises
        ? entry.results : [ReferenceEntry.Value("expectation", "Expectation", "itself")],
      waits: entry.waits, example: entry.example)
  }
}

extension DocComment {
  var name: String {
    switch target {
    case .nothing: ""
    case .function(_, let name, _, _), .field(_, let name): name
    }
  }

  func named(_ name: String) -> DocComment {
    var comment = self
    switch target {
    case .nothing: break
    case .field(let owner, _): comment.target = .field(owner: owner, name: name)
    case .function(let owner, _, let isMethod, let arguments):
      comment.target = .function(
        owner: owner, name: name, isMethod: isMethod, arguments: arguments)
    }
    return comment
  }

  /// The comment with its parts replaced by those of a text file, where that has any.
  func completed(by other: DocComment?) -> DocComment {
    var comment = self
    // The body here is the library's code; examples come only from the texts.
    comment.body = other?.body ?? ""
    guard let other else { return comment }
    if !other.summary.isEmpty { comment.summary = other.summary }
    if !other.text.isEmpty { comment.text = other.text }
    if !other.code.isEmpty { comment.code = other.code }
    if !other.parameters.isEmpty { comment.parameters = other.parameters }
    if !other.results.isEmpty { comment.results = other.results }
    if !other.errors.isEmpty { comment.errors = other.errors }
    if !other.overloads.isEmpty { comment.overloads = other.overloads }
    if !other.fields.isEmpty { comment.fields = other.fields }
    comment.isAsync = comment.isAsync || other.isAsync
    // The texts omit internal parameters, and declare as functions what the library only assigns as fields.
    if case .function = other.target { comment.target = other.target }
    return comment
  }
}

/// A module of the Lua library in the reference, with the files that document it.
struct LibraryPart {
  /// The name that scripts require.
  let module: String
  /// The files, each with the table of its public functions and the prefix for their names.
  let files: [(module: String, table: String, prefix: String)]
  /// The classes in these files, each with the name of an object in signatures.
  let classes: [(name: String, object: String)]
  /// The old names of members of these classes.
  var older: [OldName] = []

  /// The name of a class's member before the last release, and the current one.
  typealias OldName = (owner: String, name: String, current: String)

  /// The name of the module in signatures: its last part; empty when its functions are globals.
  var word: String {
    module == "luath.spec" ? "" : module.split(separator: ".").last.map(String.init) ?? module
  }

  static let all = [
    LibraryPart(module: "luath", files: [("luath", "luath", "")], classes: []),
    LibraryPart(
      module: "luath.actor",
      files: [("luath.actor", "actor", ""), ("luath.actor.messages", "", "")],
      classes: [("Actor", "actor")],
      older: [("Actor", "ways", "signInMethods"), ("Actor", "letter", "newestEmail")]),
    LibraryPart(
      module: "luath.batch",
      files: [
        ("luath.batch", "batch", ""), ("luath.batch.survivor", "survivor", "survivor."),
        ("luath.batch.accounts", "", ""),
      ],
      classes: [("Accounts", "accounts")]),
    LibraryPart(
      module: "luath.expect",
      files: [("luath.expect", "expect", ""), ("luath.expect.any", "any", "any.")],
      classes: [("Expectation", "expect(value)")]),
    LibraryPart(
      module: "luath.journey",
      files: [
        ("luath.journey", "journey", ""), ("luath.journey.context", "", ""),
        ("luath.journey.users", "", ""),
      ],
      classes: [("Journey", "j"), ("Users", "j.users")], older: [("Journey", "people", "users")]),
    LibraryPart(
      module: "luath.merge",
      files: [("luath.merge", "merge", ""), ("luath.merge.policies", "policies", "")], classes: []),
    LibraryPart(module: "luath.spec", files: [], classes: []),
  ]
}
