import Foundation
import Testing

/// `luath check` on what readers of the SDKs may type.
@Suite(.timeLimit(.minutes(2))) struct MistakeTests {
  /// The table of `Tests/HostTests`, as text in a form that needs no Lua to read it.
  private static let reader = """
    local mistakes = dofile "mistakes.lua"
    for index, mistake in ipairs(mistakes) do
      local file = assert(io.open(("%03d.lua"):format(index), "w"))
      file:write(mistake.code, "\\n")
      file:close()
      print(((mistake.write or mistake.says):gsub("\\n", "\\n    ")))
    end
    """

  private static let table = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "HostTests/Programs/Guides/mistakes.lua")

  @Test func `check shows the line to write for each mistake`() async throws {
    let text = try String(contentsOf: Self.table, encoding: .utf8)
    let folder = try ScriptFolder(["mistakes.lua": text, "reader.lua": Self.reader])
    let made = try await Luath(["run", "reader.lua"], in: folder.url).ending()
    let hints = made.output.replacing("\n    ", with: "\u{1}").split(separator: "\n")
      .map { $0.replacing("\u{1}", with: "\n    ") }
    #expect(hints.count >= 90, "\(made.errors)")
    let files = hints.indices.map { String(format: "%03d.lua", $0 + 1) }
    let check = try await Luath(["check"] + files, in: folder.url).ending()
    #expect(check.code == 3)
    let reports = check.errors.components(separatedBy: "luath: error: ").dropFirst()
    #expect(reports.count == hints.count)
    for (file, hint) in zip(files, hints) {
      let report = reports.first { $0.hasPrefix("\(file):") } ?? ""
      #expect(report.contains("\(hint)\n"), "\(file): \(report)")
    }
  }
}
