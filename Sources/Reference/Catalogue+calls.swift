import Host
import System

/// A name inside a call or a value: an option, an argument, an argument label, a field of a result.
struct CallPart: Sendable {
  /// The name alone: `raisesConflict`.
  let name: String
  /// What has it, as scripts write it: `provider:getCredential`.
  let place: String
  /// The name with what is around it: `options.raisesConflict`.
  let path: String
  /// Its type and what it means.
  let words: String
  /// Whether it is an argument by position, which scripts do not name.
  var isPositional = false

  /// A name for ``isMeant(by:)``.
  static func spelling(of name: String) -> String {
    let text = name.lowercased().replacing(":", with: ".")
    return text.hasPrefix("error.") ? "err." + text.dropFirst("error.".count) : text
  }

  /// Whether a name means it: `raisesConflict`, `options.raisesConflict` or `getCredential.raisesConflict`.
  func isMeant(by text: String) -> Bool {
    // Most names end differently, which is seen without their lower case.
    guard let last = name.utf8.last, let other = text.utf8.last, (last | 0x20) == (other | 0x20)
    else { return false }
    let name = self.name.lowercased()
    guard text.hasSuffix(name) else { return false }
    let owner = place.lowercased().replacing(":", with: ".")
    let method = owner.split(separator: ".").last.map(String.init) ?? owner
    return [name, path.lowercased(), "\(owner).\(name)", "\(method).\(name)"].contains(text)
  }
}

/// Names that stand inside calls, for which no entry exists.
extension Catalogue {
  /// The names inside the calls and results of all entries, and the SDKs' names in errors and lists.
  static func callParts(of entries: [ReferenceEntry]) -> [CallPart] {
    entries.filter { $0.current == nil }.flatMap { parts(of: $0) } + sdkParts
  }

  /// The parts that a name means; those spelled exactly like it if there are any.
  func callParts(named name: String) -> [CallPart] {
    let lowered = CallPart.spelling(of: name)
    let found = callParts.filter { $0.isMeant(by: lowered) }
    let exact = found.filter { name.hasSuffix($0.name) }
    return exact.isEmpty ? found : exact
  }

  private static func parts(of entry: ReferenceEntry) -> [CallPart] {
    let place = entry.writtenName
    var parts = entry.parameters.flatMap { Self.parts(of: $0, under: "", at: place) }
    for label in Spellings.shared.labels(ofUsage: entry.signature) {
      let index = label.argument - 1
      let argument = entry.parameters.indices.contains(index) ? entry.parameters[index].name : ""
      let meaning = label.option ?? argument
      parts.append(
        CallPart(
          name: label.name, place: place, path: "\(place){ \(label.name) = … }",
          words: "an argument label: the \(label.option == nil ? "argument" : "option") \(meaning)")
      )
    }
    for result in entry.results where result.type.contains("{") {
      for field in result.type.matches(of: /[{,] *(\w+)\??: ?(\{|[\w.|\[\]]+\??)/) {
        let type = field.output.2 == "{" ? "table" : String(field.output.2)
        parts.append(
          CallPart(
            name: String(field.output.1), place: place, path: "result.\(field.output.1)",
            words: "a field of the result: \(type)"))
      }
    }
    return parts
  }

  private static func parts(
    of value: ReferenceEntry.Value, under path: String, at place: String
  ) -> [CallPart] {
    guard value.name != "..." else { return [] }
    let type = (value.isOptional ? "optional " : "") + value.plainType
    let words = [type, value.summary].filter { !$0.isEmpty }.joined(separator: ": ")
    let whole = path + value.name
    let own = CallPart(
      name: value.name, place: place, path: whole, words: words, isPositional: path.isEmpty)
    return [own] + value.fields.flatMap { Self.parts(of: $0, under: whole + ".", at: place) }
  }

  /// Names of Firebase's SDKs for fields of errors and methods of lists.
  private static var sdkParts: [CallPart] {
    let keys = Spellings.shared.errorKeys
    let errors = Spellings.shared.errorFields.map { name, field in
      let itself =
        "the error itself: err.\(name).email is err.email"
        + keys.map { "; err.\(name)[Auth.\($0.key)] is err.\($0.value)" }.joined()
      return CallPart(
        name: name, place: "err", path: "err.\(name)",
        words: field.isEmpty ? itself : "another name of err.\(field)")
    }
    let lists = Spellings.shared.listMethods.map { name, method in
      CallPart(
        name: name, place: "list", path: "list:\(name)(value)",
        words:
          "another name of list:\(method)(value), whether a list that luath returns has a value")
    }
    return errors + lists
  }

  /// The help for a name that stands inside calls; nil when there is no such part.
  func text(ofParts parts: [CallPart], _ style: HelpStyle) -> String? {
    guard let name = parts.first?.name else { return nil }
    let places = Set(parts.map(\.place)).sorted()
    let kind =
      places == ["err"]
      ? "field of errors, as Firebase's SDKs name it"
      : "part of \(places.count > 3 ? "\(places.count) calls" : places.joined(separator: ", "))"
    return "\(style.bold(name))\n\(style.wrapped(kind, indent: 2))\n\n"
      + style.list(parts.map(Self.line), indent: 2)
  }

  /// A list of the options of a name, for the end of a help; empty when there are none.
  func list(ofOptions parts: [CallPart], _ style: HelpStyle) -> String {
    let options = parts.filter { !$0.isPositional }
    guard !options.isEmpty else { return "" }
    let most = 6
    var text = "\n\(style.bold("In calls"))\n"
    text += style.list(options.prefix(most).map(Self.line), indent: 2)
    if options.count > most { text += "  and \(options.count - most) more\n" }
    return text
  }

  private static func line(_ part: CallPart) -> (name: String, words: String) {
    if part.path.hasPrefix(part.place) { return (part.path, part.words) }
    return ("\(part.place)(…)", "\(part.path), \(part.words)")
  }
}
