import Glibc
import Testing

@testable import Prompt

@Suite struct PromptFilesTests {
  /// A folder of its own, which goes with the test.
  private func inFolder(_ body: (String) throws -> Void) throws {
    var name = Array("/tmp/luath-prompt-XXXXXX".utf8CString)
    _ = mkdtemp(&name)
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      for file in ["init.lua", "out.lua"] { unlink("\(folder)/\(file)") }
      rmdir(folder)
    }
    try body(folder)
  }

  @Test func `a start file that others can write is not run`() throws {
    try inFolder { folder in
      let path = "\(folder)/init.lua"
      #expect(NewFile.write("x = 1", to: path) == nil)
      #expect(StartFile.problem(of: path) == nil)
      chmod(path, 0o622)
      let problem = StartFile.problem(of: path)
      #expect(problem?.message.hasSuffix("is not run, as others can write it") == true)
      #expect(problem?.hint == "chmod go-w it")
      #expect(StartFile.problem(of: "\(folder)/none.lua")?.message.contains("no such file") == true)
    }
  }

  @Test func `nothing is overwritten`() throws {
    try inFolder { folder in
      let path = "\(folder)/out.lua"
      #expect(NewFile.write("one", to: path) == nil)
      #expect(NewFile.write("two", to: path) == "file exists")
      var facts = stat()
      stat(path, &facts)
      #expect(facts.st_mode & 0o777 == 0o600)
      #expect(facts.st_size == 3)
    }
  }

  @Test func `files are where the environment says`() {
    let settings = PromptSettings(environment: ["HOME": "/home/ada"])
    #expect(settings.historyFile == "/home/ada/.local/state/luath/history")
    let other = PromptSettings(environment: ["HOME": "/home/ada", "XDG_STATE_HOME": "/state"])
    #expect(other.historyFile == "/state/luath/history")
    let named = PromptSettings(environment: ["HOME": "/home/ada", "LUATH_HISTORY": "own/history"])
    #expect(named.historyFile == "own/history")
    let none = PromptSettings(environment: ["HOME": "/home/ada", "LUATH_HISTORY": ""])
    #expect(none.historyFile == nil)
    #expect(PromptSettings(environment: [:]).historyFile == nil)
    #expect(PromptSettings(environment: ["HOME": "relative"]).historyFile == nil)
  }

  @Test func `the text that an editor leaves comes back, and what fails is told`() throws {
    let editor = OwnEditor(environment: ["EDITOR": "sh -c 'printf edited > \"$0\"'"])
    #expect(try editor.edit("text").get() == "edited")
    let failing = OwnEditor(environment: ["EDITOR": "false"])
    #expect(throws: PromptProblem.self) { try failing.edit("text").get() }
  }
}
