import System

extension Catalogue {
  /// Definition files for lua-language-server, with which editors complete and check luath's modules and classes.
  ///
  /// `workspace.library` in a `.luarc.json` names the folder of the files.
  public var metaFiles: [GeneratedFile] {
    let writer = MetaWriter(types: MetaTypes(pages))
    return pages.map { page in
      let isGlobal = page.name == "luath.spec"
      switch page.subject {
      case .module:
        return GeneratedFile(
          "\(page.name).lua", isGlobal ? writer.globals(page) : writer.module(page))
      case .class: return GeneratedFile("classes/\(page.name).lua", writer.class(page))
      }
    }
  }

  /// A `.luarc.json` for a project that contains the `metaFiles` in a folder.
  ///
  /// - Parameter library: The folder's path, relative to the project's.
  public static func editorSettings(library: String) -> GeneratedFile {
    let settings: JSON = [
      "runtime.version": "Lua 5.4", "workspace.library": [.string(library)],
      "workspace.checkThirdParty": false,
      "diagnostics.disable": [
        // Every call of luath may wait anywhere, which is what this would report.
        "await-in-sync",
        // EmmyLua's server assumes that no call changes a field. A sign-in changes `auth.currentUser`.
        "unnecessary-assert", "unnecessary-if",
      ],
      // EmmyLua's server takes every item of a list for optional otherwise, as in `user.providerData[1].uid`.
      "strict.arrayIndex": false,
    ]
    return GeneratedFile(".luarc.json", settings.encoded(pretty: true) + "\n")
  }
}

/// Writes definition files.
private struct MetaWriter {
  /// The table of error codes, which is an enum.
  private static let errorCodes = (owner: "luath.auth", name: "ErrorCode", type: "Auth.ErrorCode")

  let types: MetaTypes

  func module(_ page: ReferencePage) -> String {
    let word = page.name.split(separator: ".").last.map(String.init) ?? page.name
    // The call of the module itself.
    let call = page.entries.first { $0.signature.hasPrefix("\(word)(") }
    var text = "---@meta \(page.name)\n\n" + (call.map(types.classes) ?? "")
    text += comment(page.summary, page.text)
    if let call { text += "---\n" + description(call) }
    text += "---@class \(page.name)\n"
    // The tables in the module, which have members of their own.
    var tables: [String] = []
    for entry in page.entries {
      let parts = entry.name.split(separator: ".").map(String.init)
      if parts.count > 1, !tables.contains(parts[0]) { tables.append(parts[0]) }
    }
    for entry in page.entries
    where entry.kind == .field && !entry.name.contains(".") && !tables.contains(entry.name)
      && !isErrorCodes(entry)
    {
      text += field(entry, entry.name)
    }
    if let call { text += "---@overload \(type(of: call))\n" + overloads(of: call) }
    text += "local \(word) = {}\n"
    if let codes = page.entries.first(where: isErrorCodes) {
      text += "\n" + comment(codes.summary) + "---@enum \(Self.errorCodes.type)\n"
      text += "\(word).\(codes.name) = {\n"
      text += Catalogue.errorCodes.map { "  \($0) = \"\($0)\",\n" }.joined() + "}\n"
    }
    for table in tables {
      let name = "\(page.name).\(table)"
      let own = page.entries.first { $0.name == table }
      text += "\n"
      if let own {
        text +=
          own.kind == .field ? comment(own.summary) : types.classes(of: own) + description(own)
      }
      text += "---@class \(name)\n"
      for entry in page.entries where entry.kind == .field && entry.name.hasPrefix("\(table).") {
        text += field(entry, String(entry.name.dropFirst(table.count + 1)))
      }
      if let own, own.kind == .function { text += "---@overload \(type(of: own))\n" }
      text += "\(word).\(table) = {}\n"
    }
    for entry in page.entries
    where entry.kind == .function && !tables.contains(entry.name) && entry.name != call?.name {
      text += "\n" + function(entry, "\(word).\(entry.name)")
    }
    return text + "\nreturn \(word)\n"
  }

  func globals(_ page: ReferencePage) -> String {
    page.entries.reduce("---@meta _\n\n\(comment(page.summary, page.text))") { text, entry in
      text + "\n" + function(entry, entry.name)
    }
  }

  func `class`(_ page: ReferencePage) -> String {
    var text = "---@meta _\n\n" + comment(page.summary, page.text) + "---@class \(page.name)\n"
    for entry in page.entries where [.field, .property].contains(entry.kind) {
      let type = entry.results.first?.type ?? "any"
      let isPresent = MetaTypes.presentFields[page.name]?.contains(entry.name) == true
      text += field(
        entry, entry.name, isPresent && type.hasSuffix("?") ? String(type.dropLast()) : type)
    }
    if MetaTypes.openClasses.contains(page.name) {
      text += "---@field [string] any A field that a script sets.\n"
    }
    text += "local \(page.name) = {}\n"
    for entry in page.entries where entry.kind == .method {
      text += "\n" + function(entry, "\(page.name):\(entry.name)")
    }
    return text
  }

  // MARK: Parts

  private func comment(_ paragraphs: String...) -> String {
    let text = paragraphs.filter { !$0.isEmpty }.joined(separator: "\n\n")
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "---\n" : "--- \($0)\n" }.joined()
  }

  private func field(
    _ entry: ReferenceEntry, _ name: String, _ type: String? = nil
  ) -> String {
    "---@field \(name) \(type ?? entry.results.first?.type ?? "any") \(entry.summary)\n"
  }

  /// The summary, text, signature and errors of a function as a comment.
  private func description(_ entry: ReferenceEntry) -> String {
    var text = comment(entry.summary, entry.text)
    text += "---\n---     \(entry.signature)\n"
    if !entry.errors.isEmpty {
      text += "---\n--- Errors:\n"
      for error in entry.errors { text += "--- * `\(error.name)` \(error.summary)\n" }
    }
    return text + "---\n"
  }

  private func isErrorCodes(_ entry: ReferenceEntry) -> Bool {
    entry.owner == Self.errorCodes.owner && entry.name == Self.errorCodes.name
  }

  private func function(_ entry: ReferenceEntry, _ path: String) -> String {
    var text = types.classes(of: entry) + description(entry)
    if entry.waits { text += "---@async\n" }
    if let current = entry.current { text += "---@deprecated use \(current)\n" }
    for parameter in entry.parameters {
      let mark = parameter.isOptional && parameter.name != "..." ? "?" : ""
      let type = types.type(of: parameter, in: entry)
      text += "---@param \(parameter.name)\(mark) \(type) \(parameter.summary)".trimmed + "\n"
    }
    // Declarations do not list further arguments.
    let isVariadic =
      entry.signature.hasSuffix("...)") && entry.parameters.last?.name != "..."
    if isVariadic { text += "---@param ... any further arguments\n" }
    for result in entry.results {
      text += "---@return \(result.type) \(result.name) \(result.summary)".trimmed + "\n"
    }
    text += overloads(of: entry)
    let names = entry.parameters.map(\.name) + (isVariadic ? ["..."] : [])
    return text + "function \(path)(\(names.joined(separator: ", "))) end\n"
  }

  /// The overloads of the texts, and the one without the optional parameters that precede a required one.
  private func overloads(of entry: ReferenceEntry) -> String {
    let own = entry.overloads.map { "---@overload \($0)\n" }.joined()
    guard let last = entry.parameters.lastIndex(where: { !$0.isOptional }),
      entry.parameters[..<last].contains(where: \.isOptional)
    else { return own }
    let rest = entry.parameters.enumerated().filter { $0.offset > last || !$0.element.isOptional }
      .map(\.element)
    let object =
      entry.kind == .method ? [ReferenceEntry.Value("self", entry.owner)] : []
    return own + "---@overload \(type(of: entry, object + rest))\n"
  }

  private func type(
    of entry: ReferenceEntry, _ parameters: [ReferenceEntry.Value]? = nil
  ) -> String {
    let parameters = (parameters ?? entry.parameters).map {
      "\($0.name)\($0.isOptional ? "?" : ""): \(types.nestedType(of: $0, in: entry))"
    }
    let results =
      entry.results.isEmpty ? "" : ": " + entry.results.map(\.type).joined(separator: ", ")
    return "\(entry.waits ? "async " : "")fun(\(parameters.joined(separator: ", ")))\(results)"
  }
}

/// A file generated from the catalogue.
public struct GeneratedFile: Sendable {
  /// The path, relative to the output folder.
  public let path: String
  /// The contents.
  public let text: String

  /// Creates a file.
  public init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }
}
