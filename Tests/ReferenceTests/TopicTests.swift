import Foundation
@testable import HTTP
@testable import Host
@testable import IdentityToolkit
@testable import Reference
@testable import luath
import Testing

/// What `luath doc` explains besides functions: errors, options, keys, commands, exit codes and pages.
@Suite struct TopicTests {
  private static func catalogue() async throws -> Catalogue {
    try await Catalogue.whole
  }

  /// The text of each source file in some folders, by path.
  private static func sources(
    _ folders: [String], _ kind: String
  ) throws -> [(path: String, text: String)] {
    try folders.flatMap { folder in
      let root = Program.root.appending(path: folder)
      let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
      return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == kind }
        .map { ("\(folder)/\($0.lastPathComponent)", try String(contentsOf: $0, encoding: .utf8)) }
    }
  }

  /// A text without the line breaks and margins of wrapping.
  private static func joined(_ text: String) -> String {
    text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  private static func matches(_ pattern: String, _ text: String) throws -> [String] {
    let regex = try NSRegularExpression(pattern: pattern)
    return regex.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
      Range($0.range(at: 1), in: text).map { String(text[$0]) }
    }
  }

  /// The cases of `enum Code` in a source file, by their raw values.
  private static func cases(_ path: String) throws -> [String] {
    let text = try String(contentsOf: Program.root.appending(path: path), encoding: .utf8)
    let start = try #require(text.range(of: "enum Code: String"), "\(path)")
    let body = text[start.upperBound...]
    let end = try #require(body.range(of: "\n  }\n"))
    return try body[..<end.lowerBound].split(separator: "\n").flatMap { line -> [String] in
      let line = String(line)
      guard line.contains("case ") else { return [] }
      if line.contains(" = ") { return try Self.matches(#"= "(\w+)""#, line) }
      return try Self.matches(#"(?:case |, )(\w+)"#, line)
    }
  }

  /// The codes of the errors of a module, from its enumeration or from the places that raise them.
  private static func codes() throws -> [String: Set<String>] {
    var codes = [
      "luath.http": Set(try cases("Sources/HTTP/Messages/HTTPMessages.swift")),
      "luath.oidc": Set(try cases("Sources/OIDC/Provider/OIDCError.swift")),
      "luath.webdriver": Set(try cases("Sources/SignIn/Pages/PageError.swift")),
      "luath.ui": Set(try cases("Sources/SignIn/Driver/FormReader+failure.swift")),
    ]
    codes["luath.ui"]?.insert("otherThanRecorded")
    // Errors of tasks and of the HTTP server.
    codes["luath.process"] = ["cancelled"]
    codes["luath.server"] = ["cancelled", "portInUse", "portReserved"]
    let names = [
      "HostModule": "luath", "Pause": "luath", "EmulatorModule": "luath.emulator",
      "HTTPModule": "luath.http",
      "JSONModule": "luath.json", "TaskModule": "luath.task", "TOTPModule": "luath.totp",
      "CryptoModule": "luath.crypto", "AdminModule": "luath.admin", "PlannerModule": "luath batch",
      "Interpreter+session": "luath.journey", "ScriptProcess": "luath.process",
      "ScriptServer": "luath.server",
    ]
    let raises = #"(?:"code",\s*\.string\(\s*|"code": |failure\(\s*)"([a-z]\w+)""#
    for (path, text) in try sources(["Sources/Host/Modules", "Sources/Host/Running"], "swift") {
      let file = path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
      guard let module = names[String(file)] else { continue }
      codes[module, default: []].formUnion(try matches(raises, text))
    }
    for (_, text) in try sources(["Sources/Batch"], "swift") {
      codes["luath batch", default: []].formUnion(
        try matches(#"(?:RowFailure\(\s*|Self\.failure\(\s*|, code: )"([a-z]\w+)""#, text)
          + matches(#"static let (?:inDoubt|changedSincePlan) = "(\w+)""#, text))
    }
    for (_, text) in try sources(["stdlib/luath/batch"], "lua") {
      codes["luath batch", default: []].formUnion(try matches(#"code = "(\w+)""#, text))
    }
    return codes
  }

  @Test func `every error code of every module is explained, and no other`() async throws {
    let catalogue = try await Self.catalogue()
    let codes = try Self.codes()
    var count = 0
    for (owner, names) in codes {
      for code in names {
        let text = catalogue.explanation(of: code) ?? ""
        #expect(text.contains("\(code)\n  error code of \(owner)"), "\(owner): \(code)")
        count += 1
      }
    }
    #expect(count > 120)
    for error in ModuleError.all {
      let known = codes[error.owner] ?? []
      #expect(
        known.contains(error.code)
          || ["luath.json", "luath.journey", "luath batch"].contains(error.owner),
        "nothing raises \(error.code) of \(error.owner)")
      #expect(!error.meaning.isEmpty && !error.advice.isEmpty, "\(error.code)")
      #expect(!error.meaning.hasSuffix(".") && !error.advice.hasSuffix("."), "\(error.code)")
    }
  }

  @Test func `an error of the client is found by the spellings of each SDK`() async throws {
    let catalogue = try await Self.catalogue()
    for code in ErrorCode.allCases {
      let web = code.webCode
      let upper = code.rawValue.prefix(1).uppercased() + code.rawValue.dropFirst()
      var spellings = [
        code.rawValue, "AuthErrorCode.\(code.rawValue)", "Auth.ErrorCode.\(code.rawValue)",
        ".\(code.rawValue)", "FIRAuthErrorCode\(upper)", String(code.number), code.name,
      ]
      // Blocking functions cause `auth/internal-error` too, which is the code of internalError.
      if code != .blockingCloudFunctionError {
        let bare = web.replacingOccurrences(of: "auth/", with: "")
        spellings += [web, bare, "Firebase: Error (\(web))."]
      }
      for spelling in spellings {
        let text = catalogue.explanation(of: spelling) ?? ""
        #expect(text.contains("\(code.rawValue)\n  error code\n"), "\(spelling)")
      }
    }
  }

  @Test(arguments: [
    ("signIn(with:)", "auth:signIn("),
    ("auth.signIn(withEmail:password:completion:)", "auth:signIn("),
    ("Auth.auth().currentUser?.link(with:)", "user:link("),
    ("try await auth.signIn(with: credential)", "auth:signIn("),
    ("-[FIRAuth signInWithCredential:completion:]", "auth:signIn("),
    ("signInWithCredential:completion:", "auth:signIn("),
    ("reauthenticate(with:)", "user:reauthenticate("),
    ("fetchProviders(forEmail:)", "auth:fetchProviders("),
    ("createUser(withEmail:password:)", "auth:createUser("),
    ("signInWithPopup(auth, provider)", "auth:signIn("),
  ])
  func `a call is understood as the SDKs write it`(_ name: String, _ start: String) async throws {
    let text = try await Self.catalogue().explanation(of: name)
    #expect(text?.hasPrefix(start) == true, "\(name): \(text?.prefix(60) ?? "nothing")")
  }

  @Test func `every command, option and exit code is explained`() async throws {
    let catalogue = try await Self.catalogue()
    let all = Commands.all.flatMap { [$0] + $0.parts }
    #expect(all.count > 25)
    for command in all {
      let name = command.description.name
      let text = catalogue.explanation(of: "luath \(name)")
      #expect(text?.hasPrefix(command.description.summary.prefix(30)) == true, "\(name)")
      for option in command.description.options {
        for spelling in ["--\(option.name)", "\(name) --\(option.name)"] {
          let text = catalogue.explanation(of: spelling) ?? ""
          #expect(text.contains("\(option.spelling)\n  option of luath "), "\(spelling)")
        }
      }
    }
    for code in ExitCode.allCases {
      let text = catalogue.explanation(of: "exit code \(code.rawValue)") ?? ""
      #expect(text.hasPrefix("exit code \(code.rawValue)\n  of luath\n"), "\(code)")
    }
    #expect(catalogue.explanation(of: "exit codes")?.contains("\n  130  ") == true)
    let run = catalogue.explanation(of: "batch run") ?? ""
    #expect(run.hasPrefix("Carries out a plan;"))
    let rate = catalogue.explanation(of: "--rate") ?? ""
    #expect(rate.contains("option of luath load\n"))
    #expect(rate.contains("option of luath batch run, batch retry, batch undo"))
  }

  @Test func `the keys of luath.lua and the environment variables are explained`() async throws {
    let catalogue = try await Self.catalogue()
    let emulator = "Sources/Emulator/Configuration/"
    for path in [
      "\(emulator)ProjectConfiguration+json.swift", "\(emulator)Person.swift",
      "Sources/Emulator/Fault.swift",
    ] {
      let text = try String(contentsOf: Program.root.appending(path: path), encoding: .utf8)
      let start = try #require(text.range(of: "static let keys = ["), "\(path)")
      let keys = try Self.matches(
        #""(\w+)""#, String(text[start.upperBound...].prefix { $0 != "]" }))
      #expect(keys.count > 5)
      for key in keys {
        let text = catalogue.explanation(of: "project.\(key)") ?? ""
        #expect(text.contains("  key of luath.lua; see luath doc "), "\(key)")
      }
    }
    #expect(catalogue.explanation(of: "targets.protected")?.contains("key of luath.lua") == true)
    #expect(catalogue.explanation(of: "recentLoginMinutes")?.contains("\n  default  5\n") == true)
    for name in ["LUATH_ALLOW", "GOOGLE_APPLICATION_CREDENTIALS", "NO_COLOR", "TMPDIR"] {
      #expect(
        catalogue.explanation(of: name)?.contains("  environment variable; see luath doc ") == true)
    }
  }

  @Test func `the documents for users are there, whole and in sections`() async throws {
    let catalogue = try await Self.catalogue()
    let docs = Program.root.appending(path: "docs")
    let hidden = [
      "README.md", "reference.md", "tour.md", "threat-model.md", "releasing.md", "performance.md",
    ]
    let walker = FileManager.default.enumerator(atPath: docs.path)
    var count = 0
    for case let path as String in walker ?? .init()
    where path.hasSuffix(".md") && !path.hasPrefix("decisions/") {
      let name = Document.name(ofPath: path)
      guard !hidden.contains(path) else {
        #expect(!Document.all.contains { $0.name == name }, "\(name)")
        continue
      }
      let document = try #require(Document.all.first { $0.name == name }, "\(name)")
      let text = try #require(
        catalogue.explanation(of: name == "emulator" ? "emulator.md" : "\(name).md"))
      #expect(text.contains(document.title), "\(name)")
      #expect(!text.contains("<!--") && !text.contains("```") && !text.contains("]("), "\(name)")
      for section in document.sections where !section.anchor.isEmpty {
        let place = "\(name)#\(section.anchor)"
        #expect(catalogue.explanation(of: place)?.contains(section.title) == true, "\(place)")
      }
      count += 1
    }
    #expect(count > 20)
    for name in [
      "concepts", "guides/load", "docs/concepts.md", "guides/engines", "luath.lua", "exit-codes",
    ] {
      #expect(catalogue.explanation(of: name) != nil, "\(name)")
    }
    let load = catalogue.explanation(of: "guides/load") ?? ""
    #expect(Self.joined(load).contains("luath doc journeys#load"))
  }

  @Test func `every place that the documents name is one that luath doc shows`() async throws {
    let catalogue = try await Self.catalogue()
    var count = 0
    for document in Document.all {
      for place in try Self.matches(
        #"luath doc ([a-z/-]+(?:#[\w-]+)?)\)"#, Self.joined(document.text(HelpStyle())))
      {
        #expect(catalogue.explanation(of: place) != nil, "\(document.name) names \(place)")
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test func `no line of a page is wider than the terminal, but for code and names`() {
    for document in Document.all {
      for line in document.text(HelpStyle(columns: 72)).split(separator: "\n")
      where line.count > 72 && !line.hasPrefix("    ") {
        let isOneWord = line.split(separator: " ").contains { $0.count > 30 }
        #expect(isOneWord, "\(document.name): \(line)")
      }
    }
  }

  @Test func `names have no two subjects of one unambiguous name`() async throws {
    let names = try await Self.catalogue().topics.map(\.name)
    let twice = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys
    #expect(twice.isEmpty, "\(twice.sorted())")
  }

  @Test func `modules that only luath uses are hidden`() async throws {
    let catalogue = try await Self.catalogue()
    for name in ["luath.planner", "luath.runner"] {
      #expect(catalogue.explanation(of: name) == nil)
      #expect(!catalogue.overview().contains(name))
    }
    #expect(catalogue.overview().contains("  luath batch run"))
    #expect(catalogue.overview().contains("  guides/load"))
  }

  @Test func `words are found in options, commands, keys and pages`() async throws {
    let catalogue = try await Self.catalogue()
    let found = catalogue.mentions(of: "proxy") ?? ""
    #expect(found.contains("Pages about it:\n"))
    #expect(found.contains("https_proxy"))
    let signing = catalogue.mentions(of: "private key") ?? ""
    #expect(signing.contains("Commands, options and keys about it:\n"))
    #expect(signing.contains("luath batch seal --sign"))
  }
}
