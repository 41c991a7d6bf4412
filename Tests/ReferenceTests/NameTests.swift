@testable import Host
@testable import Reference
@testable import luath
import Testing

/// Names that `luath doc` explains although no function, error or option of a command has them.
@Suite struct NameTests {
  private static func catalogue() async throws -> Catalogue {
    try await Catalogue.whole
  }

  @Test func `every option, argument, label and field of a result is explained`() async throws {
    let catalogue = try await Self.catalogue()
    let parts = catalogue.callParts
    #expect(parts.count > 900)
    // A name is asked for once, as `timeout` is an option of many calls.
    for (name, parts) in Dictionary(grouping: parts, by: \.name) {
      let text = try #require(catalogue.explanation(of: name), "\(name)")
      for part in parts where !part.isPositional {
        #expect(
          text.contains(part.place) || text.contains(" more\n"), "\(part.path) of \(part.place)")
      }
    }
  }

  @Test(arguments: [
    ("raisesConflict", "provider:getCredential(…)"),
    ("options.raisesConflict", "provider:getCredential(…)"),
    ("getCredential.raisesConflict", "provider:getCredential(…)"),
    ("forEmail", "auth:fetchProviders{ forEmail = … }"),
    ("withCredential", "an argument label: the argument proof"),
    ("err.customData", "the error itself: err.customData.email is err.email"),
    (
      "userInfo",
      "err.userInfo[Auth.AuthErrorUserInfoUpdatedCredentialKey] is err.pendingCredential"
    ),
    ("error.localizedDescription", "another name of err.message"),
    ("containsObject", "another name of list:contains(value)"),
  ])
  func `a name inside a call leads to the call`(_ name: String, _ words: String) async throws {
    let text = try #require(try await Self.catalogue().explanation(of: name), "\(name)")
    let line = text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(line.contains(words), "\(text)")
  }

  @Test func `a class is found by its name, and by small letters unless a field has them`()
    async throws
  {
    let catalogue = try await Self.catalogue()
    #expect(catalogue.explanation(of: "UserInfo")?.hasPrefix("UserInfo\n  class\n") == true)
    #expect(
      catalogue.explanation(of: "userInfo")?.hasPrefix("userInfo\n  field of errors") == true)
  }

  /// The names in code marks of the documents: one word of letters, digits, and the marks within names.
  private static var writtenNames: Set<String> {
    var names: Set<String> = []
    for section in Document.all.flatMap(\.sections) {
      var isCode = false
      for line in section.lines {
        if line.hasPrefix("```") { isCode.toggle() }
        guard !isCode else { continue }
        for (index, part) in line.split(separator: "`", omittingEmptySubsequences: false)
          .enumerated()
        where index % 2 == 1 {
          let isName = part.allSatisfy { $0.isLetter || $0.isNumber || "_.:-".contains($0) }
          if isName, part.contains(where: \.isLetter) { names.insert(String(part)) }
        }
      }
    }
    return names
  }

  @Test func `every name that the documents write in code marks is explained`() async throws {
    let catalogue = try await Self.catalogue()
    let names = Self.writtenNames
    #expect(names.count > 1000)
    for name in names {
      let text = catalogue.explanation(of: name) ?? ""
      #expect(text.split(separator: "\n").count > 1, "\(name)")
    }
  }

  @Test func `what only the manual explains is shown with its place`() async throws {
    let catalogue = try await Self.catalogue()
    for name in ["login_hint", "unreadableToken", "heldBy", "LUATH_BATCH_REASON"] {
      let text = try #require(catalogue.explanation(of: name), "\(name)")
      #expect(text.hasPrefix("\(name)\n  in the manual; "), "\(text)")
      #expect(text.contains("#"), "\(text)")
    }
  }

  @Test func `a key that has a section is explained by it, and a command by its help`() async throws
  {
    let catalogue = try await Self.catalogue()
    let project = try #require(catalogue.explanation(of: "project"))
    #expect(project.contains("  oneAccountPerEmail\n"), "\(project)")
    #expect(project.contains("  key of luath.lua; see luath doc "), "\(project)")
    let run = try #require(catalogue.explanation(of: "luath run"))
    #expect(run.contains("\nUsage: luath run "), "\(run)")
    let rate = try #require(catalogue.explanation(of: "rate"))
    #expect(rate.contains("option of luath load\n"), "\(rate)")
    let guides = try #require(catalogue.explanation(of: "guides"))
    #expect(guides.contains("  guides/load  ") || guides.contains("  guides/load\n"), "\(guides)")
  }

  @Test func `a command is explained beside a function of its name, and a section by its title`()
    async throws
  {
    let catalogue = try await Self.catalogue()
    let show = try #require(catalogue.explanation(of: "show"))
    #expect(show.contains("\nUsage: luath show "), "\(show)")
    #expect(show.contains("\nui.show("), "\(show)")
    let run = try #require(catalogue.explanation(of: "run"))
    #expect(run.contains("\nUsage: luath run "), "\(run)")
    #expect(run.contains("\n--run N\n"), "\(run)")
    for title in ["live view", "The live view"] {
      let section = try #require(catalogue.explanation(of: title))
      #expect(section.hasPrefix("## The live view\n"), "\(section)")
    }
  }

  @Test func `words of a name, other exit codes and commands of the prompt are understood`()
    async throws
  {
    let catalogue = try await Self.catalogue()
    let key = try #require(catalogue.explanation(of: "enumeration protection"))
    #expect(key.hasPrefix("enumerationProtection\n  key of luath.lua; "), "\(key)")
    #expect(catalogue.nearest(to: "enumerationProtecton") == "enumerationProtection")
    let code = try #require(catalogue.explanation(of: "exit code 77"))
    #expect(code.contains("os.exit(77)"), "\(code)")
    #expect(Catalogue.luaAddress(of: ".load") == nil)
    #expect(Catalogue.luaAddress(of: "load") != nil)
  }
}
