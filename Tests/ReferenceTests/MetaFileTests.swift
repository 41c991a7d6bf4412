import Foundation
@testable import Reference
import Testing

/// The definitions for lua-language-server, read as it reads them; Tests/Peers/language_server.py has a language
/// server read them.
@Suite struct MetaFileTests {
  private static let builtIn: Set<String> = [
    "any", "boolean", "integer", "number", "string", "table", "function", "fun", "nil", "userdata",
    "true", "false", "async",
  ]

  @Test func `Lua compiles every file`() async throws {
    // Not luac, whose release in Debian 12 frees twice when it is given several files.
    let lua = try #require(Program.path(of: "lua5.4"))
    try await Program.withFolder { folder in
      let files = try await GeneratedFiles.write("meta/", below: folder)
      #expect(files.count > 40)
      try "for _, file in ipairs(arg) do assert(loadfile(file)) end".write(
        to: folder.appending(path: "load.lua"), atomically: true, encoding: .utf8)
      let ending = try await Program.run(
        ["load.lua"] + files.map(\.path), in: folder, program: lua)
      #expect(ending.code == 0, "\(ending.errors)")
    }
  }

  @Test func `every annotation has its form, and every type a name that is there`() async throws {
    let files = try await GeneratedFiles.all().filter { $0.key.hasPrefix("meta/") }
    var classes = Self.builtIn
    for (path, text) in files {
      for line in text.split(separator: "\n") {
        guard let word = ["---@class ", "---@enum "].first(where: line.hasPrefix) else { continue }
        let isNew = classes.insert(String(line.dropFirst(word.count).prefix { $0 != ":" })).inserted
        #expect(isNew, "\(path): \(line) is there twice")
      }
    }
    for (path, text) in files {
      #expect(text.hasPrefix("---@meta "), "\(path)")
      for line in text.split(separator: "\n") where line.hasPrefix("---@") {
        let words = line.dropFirst(4).split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words[0] {
        case "class" where rest.contains(": "):
          try check(String(rest.drop { $0 != " " }.dropFirst()), classes, "\(path): \(line)")
        case "meta", "class", "enum":
          #expect(!rest.isEmpty && !rest.contains(" "), "\(path): \(line)")
        case "async": #expect(rest.isEmpty)
        case "deprecated": #expect(!rest.isEmpty)
        case "overload", "return": try check(rest, classes, "\(path): \(line)")
        case "param", "field":
          let name = rest.prefix { $0 != " " }
          let isName =
            ["[string]", "[integer]"].contains(name)
            || name.allSatisfy { $0.isLetter || $0.isNumber || "_?.".contains($0) }
          #expect(isName, "\(path): \(line)")
          try check(String(rest.dropFirst(name.count + 1)), classes, "\(path): \(line)")
        default: Issue.record("\(path): \(line)")
        }
      }
    }
  }

  /// Reads the type a text begins with.
  private func check(_ text: String, _ classes: Set<String>, _ place: String) throws {
    var type = TypeReader(text)
    let isType = type.readType()
    #expect(isType, "\(place): no type")
    for name in type.names {
      #expect(classes.contains(name), "\(place): there is no type \(name)")
    }
  }

  @Test func `callbacks and tables of options have types`() async throws {
    let files = try await GeneratedFiles.all()
    func file(_ name: String) throws -> String { try #require(files["meta/\(name).lua"]) }
    let journey = try file("luath.journey")
    #expect(
      journey.contains("---@overload fun(name: string, body: (fun(j: Journey, row: table)))\n"))
    #expect(journey.contains("\n---@field tags? string[] "))
    // "as of `journey`"
    #expect(journey.contains("---@param options? luath.journey.options "))
    #expect(try file("luath.auth").contains("---@enum Auth.ErrorCode\nauth.ErrorCode = {\n"))
    #expect(try file("luath.http").contains("---@param options? luath.http.get.options "))
    #expect(
      try file("classes/Server").contains("fun(request: ServerRequest): string|Server.on.reply|nil")
    )
    #expect(
      try file("classes/Auth").contains(
        "---@param delegate? UIDelegate|fun(request: SignInRequest): string "))
    for (path, text) in files where path.hasPrefix("meta/") {
      for line in text.split(separator: "\n") where line.hasPrefix("---@param ") {
        let type = line.prefix { $0 != "`" }
        #expect(!type.contains("{ ") || type.contains("fun("), "\(path): \(line)")
      }
    }
  }

  @Test func `a table of options has no keys but its fields`() async throws {
    let files = try await GeneratedFiles.all()
    var count = 0
    for (path, text) in files where path.hasPrefix("meta/") {
      let blocks = text.split(separator: "\n\n").filter { $0.hasPrefix("---@class ") }
      for block in blocks where block.contains(": table<") {
        count += 1
        let lines = block.split(separator: "\n")
        let fields = lines.dropFirst().map { $0.dropFirst(10).prefix { !"? ".contains($0) } }
        let keys = fields.map { "\"\($0)\"" }.joined(separator: "|")
        #expect(lines[0].hasSuffix(": table<\(keys), any>"), "\(path): \(lines[0])")
      }
    }
    #expect(count > 150)
    let journey = try #require(files["meta/luath.journey.lua"])
    #expect(
      journey.contains(
        "---@class luath.journey.group.options: table<\"tags\", any>\n---@field tags? "))
    // `(exact)` would not do, nor may a class of values be closed to scripts.
    #expect(try #require(files["meta/classes/Journey.lua"]).contains("---@class Journey\n"))
  }

  @Test func `a fixture for a file has a class of its own`() async throws {
    let files = try await GeneratedFiles.all()
    let journey = try #require(files["meta/luath.journey.lua"])
    #expect(journey.contains("---@overload fun(name: string, options: { scope: \"file\"|\"run\", "))
    #expect(
      journey.contains("---@overload fun(name: string, build: (fun(f: Journey): any)): table\n"))
    let fixture = try #require(files["meta/classes/Fixture.lua"])
    for name in ["name", "users", "defer", "use", "attach", "log", "secret"] {
      #expect(fixture.contains("---@field \(name) "), "\(name)")
    }
    #expect(!fixture.contains("step"))
  }

  @Test func `fields that scripts read unchecked are not optional, those that may be nil are`()
    async throws
  {
    let files = try await GeneratedFiles.all()
    for (name, fields) in MetaTypes.presentFields {
      let text = try #require(files["meta/classes/\(name).lua"])
      let page = try #require(
        try await Catalogue.shared.pages.first { $0.subject == .class && $0.name == name })
      for field in fields {
        // In the reference the field may be nil.
        let entry = page.entries.first { $0.name == field }
        #expect(entry?.results.first?.type.hasSuffix("?") == true, "\(name).\(field)")
        let line = try #require(
          text.split(separator: "\n").first { $0.hasPrefix("---@field \(field) ") })
        let type = entry?.results.first?.type.dropLast() ?? ""
        #expect(line.hasPrefix("---@field \(field) \(type) "), "\(line)")
      }
    }
    let auth = try #require(files["meta/classes/Auth.lua"])
    #expect(auth.contains("---@field currentUser User? "))
    for path in ["luath.expect", "luath"] {
      #expect(try #require(files["meta/\(path).lua"]).contains("---@return AuthError|any err"))
    }
  }

  @Test func `a function has the arguments of its signature`() async throws {
    let files = try await GeneratedFiles.all()
    var count = 0
    for page in try await Catalogue.shared.pages {
      let path = page.subject == .module ? "meta/\(page.name).lua" : "meta/classes/\(page.name).lua"
      let text = try #require(files[path])
      for entry in page.entries
      where [.function, .method].contains(entry.kind) && entry.current == nil {
        count += 1
        #expect(text.contains("---     \(entry.signature)\n"), "\(entry.signature)")
        // What the definition says, put together again.
        guard let lines = Self.definition(of: entry, in: text) else {
          // Tables and modules that are called as well have it for an overload.
          let isTable = page.entries.contains { $0.name.hasPrefix("\(entry.name).") }
          #expect(isTable || page.name.hasSuffix(".\(entry.name)"), "\(entry.fullName)")
          #expect(text.contains("---@overload"), "\(entry.fullName) is not in \(path)")
          continue
        }
        var words = ""
        for (index, line) in lines.filter({ $0.hasPrefix("---@param ") }).enumerated() {
          let name = String(line.dropFirst(10).prefix { $0 != " " })
          let comma = index == 0 ? "" : ", "
          words +=
            name.hasSuffix("?")
            ? (index == 0 ? "" : " ") + "[\(comma)\(name.dropLast())]" : comma + name
        }
        let isVariadic = entry.signature.contains("...)") && !words.hasSuffix("...")
        if isVariadic { words += words.isEmpty ? "..." : ", ..." }
        #expect(
          entry.signature.hasSuffix("(\(words))"), "\(entry.signature) is \(words) in \(path)")
        #expect(entry.waits == lines.contains("---@async"), "\(entry.fullName)")
      }
    }
    #expect(count > 300)
  }

  /// The comment over the definition of a function.
  private static func definition(of entry: ReferenceEntry, in text: String) -> [Substring]? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let end = lines.firstIndex { line in
      line.hasPrefix("function ")
        && (line.contains(".\(entry.name)(") || line.contains(":\(entry.name)(")
          || line.hasPrefix("function \(entry.name)("))
    }
    guard let end else { return nil }
    return lines[..<end].reversed().prefix { $0.hasPrefix("---") }.reversed()
  }
}

/// Reads types as LuaLS writes them.
private struct TypeReader {
  private var rest: Substring
  /// The names in it.
  private(set) var names: [String] = []

  init(_ text: String) { rest = text[...] }

  private mutating func take(_ text: String) -> Bool {
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }

  private mutating func skip() { while rest.first == " " { rest = rest.dropFirst() } }

  private mutating func word() -> String {
    let word = rest.prefix { $0.isLetter || $0.isNumber || "_.-".contains($0) }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  /// `A|B[]?`; false when it is none.
  mutating func readType() -> Bool {
    repeat {
      guard readPart() else { return false }
      while take("[]") || take("?") {}
    } while take("|")
    return true
  }

  private mutating func readPart() -> Bool {
    if take("...") { return rest.first == " " || rest.isEmpty || readPart() }
    if take("(") { return readType() && take(")") }
    if take("\"") {
      rest = rest.drop { $0 != "\"" }.dropFirst()
      return true
    }
    if take("{") { return readFields(until: "}") }
    _ = take("async ")
    if take("fun(") {
      guard readFields(until: ")") else { return false }
      guard take(":") else { return true }
      repeat {
        skip()
        guard readType() else { return false }
      } while take(",")
      return true
    }
    let name = word()
    guard !name.isEmpty else { return false }
    names.append(name)
    guard take("<") else { return true }
    repeat {
      skip()
      guard readType() else { return false }
    } while take(",")
    return take(">")
  }

  private mutating func readFields(until end: String) -> Bool {
    while true {
      skip()
      if take(end) { return true }
      if !take("...") {
        if take("[") {
          guard readType(), take("]") else { return false }
        } else {
          guard !word().isEmpty else { return false }
          _ = take("?")
        }
      }
      if take(":") {
        skip()
        guard readType() else { return false }
      }
      skip()
      _ = take(",")
    }
  }
}
