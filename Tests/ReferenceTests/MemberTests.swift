import Foundation
@testable import Reference
import Testing

/// The reference against the tables that scripts find.
@Suite struct MemberTests {
  @Test func `modules have what the reference says, and the reference all they have`() async throws
  {
    let catalogue = try await Catalogue.make()
    // The words of specs are no table, and a module that is called is one itself.
    let pages = catalogue.pages.filter { $0.subject == .module && $0.name != "luath.spec" }
    let lists = pages.map { page in
      let isCalled = ["luath.journey", "luath.expect", "luath.actor"].contains(page.name)
      let names = page.entries.map(\.name)
        .filter { !isCalled || !page.name.hasSuffix(".\($0)") }
      return "[\"\(page.name)\"] = { \(names.map { "\"\($0)\"" }.joined(separator: ", ")) },"
    }
    let script = """
      local PAGES = {
      \(lists.joined(separator: "\n"))
      }
      local problems = {}
      local function note(...) problems[#problems + 1] = (...):format(select(2, ...)) end

      for module, names in pairs(PAGES) do
        local table_, known = require(module), {}
        for _, name in ipairs(names) do
          known[name] = true
          local value = table_
          local good = pcall(function()
            for word in name:gmatch "[^.]+" do
              known[word] = known[word] or "part"
              value = value[word]
            end
          end)
          -- The origin of an emulator is there on an emulator alone, as here.
          if not good or value == nil then note("%s has no %s", module, name) end
        end
        for name, value in pairs(table_) do
          if not known[name] then note("%s.%s is not in the reference", module, name) end
          if known[name] == "part" and type(value) == "table" then
            for part in pairs(value) do
              if not known[name .. "." .. part] and not known[name .. ".custom"] then
                note("%s.%s.%s is not in the reference", module, name, part)
              end
            end
          end
        end
      end
      for _, list in ipairs { "checks", "own" } do
        for name in pairs(require("luath.expect." .. list)) do
          local isKnown = false
          for _, known in ipairs(PAGES["luath.expect"]) do isKnown = isKnown or known == name end
          if not isKnown then note("the check %s is not in the reference", name) end
        end
      end
      table.sort(problems)
      print(table.concat(problems, "\\n"))
      """
    try await Program.withFolder { folder in
      try script.write(
        to: folder.appending(path: "members.lua"), atomically: true, encoding: .utf8)
      let ending = try await Program.run(["run", "members.lua"], in: folder)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(ending.output == "\n", "\(ending.output)")
    }
  }
}
