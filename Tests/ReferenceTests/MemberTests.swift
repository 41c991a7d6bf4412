import Foundation
@testable import Reference
import Testing

/// The reference against the tables that scripts find.
@Suite struct MemberTests {
  @Test func `modules have what the reference says, and the reference all they have`() async throws
  {
    let catalogue = try await Catalogue.shared
    // The words of specs are no table, and a module that is called is one itself.
    let pages = catalogue.pages.filter { $0.subject == .module && $0.name != "luath.spec" }
    let lists = pages.map { page in
      let isCalled = ["luath.journey", "luath.expect", "luath.actor"].contains(page.name)
      let names = page.entries.map(\.name)
        .filter { !isCalled || !page.name.hasSuffix(".\($0)") }
      return "[\"\(page.name)\"] = { \(names.map { "\"\($0)\"" }.joined(separator: ", ")) },"
    }
    let script = try luaProgram("Members", ["PAGES": lists.joined(separator: "\n")])
    try await Program.withFolder { folder in
      try script.write(
        to: folder.appending(path: "members.lua"), atomically: true, encoding: .utf8)
      let ending = try await Program.run(["run", "members.lua"], in: folder)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(ending.output == "\n", "\(ending.output)")
    }
  }
}
