import Lua
import Host

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
        entries: type.properties.map { maker.entry($0, of: type.name) }
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
