import Testing

/// At which line the failure of a call of the library is reported.
@Suite(.timeLimit(.minutes(5)))
struct FailureLineTests {
  @Test func `a mistake in a call on a person is reported at the line of the call`() async throws {
    let folder = try JourneyFolder(program: "FailureLine/people")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    // Seven lines stand before a file's own text.
    for (line, words) in [
      (10, "there is no option of a provider's page 'aswers', did you mean 'answers'?"),
      (13, "option of a provider's page 'scopes': table expected, got string"),
      (16, "is not signed in"),
    ] {
      let lines = ending.output.split(separator: "\n").filter { $0.contains(words) }
      #expect(lines.first?.contains("one_journey.lua:\(line):") == true, "\(ending.output)")
    }
  }

  @Test func `a function of the library names its own line, also behind return`() async throws {
    let folder = try JourneyFolder(program: "FailureLine/library")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    for (line, words) in [
      (14, "there is no field of a user 'emial'"), (18, "invalidCredential: "),
      (20, "module 'not.there' not found"), (21, "bad argument #2 to 'signIn'"),
      (22, "bad argument #1 to 'password'"), (24, "bad argument #1 to 'step'"),
    ] {
      let lines = ending.output.split(separator: "\n").filter { $0.contains(words) }
      #expect(lines.first?.contains("one_journey.lua:\(line):") == true, "\(ending.output)")
    }
  }

  @Test func `a task of a function of the library fails at the line that spawned it`()
    async throws
  {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("alone", function() require("luath.task").spawn(expect.equal, 1, 2) end)
      """
    ])
    let ending = try await folder.test()
    #expect(
      ending.output.contains("one_journey.lua:8: in a task: expected 2, got 1"),
      "\(ending.output)")
  }

  @Test func `assert raises what a call raised, with one place`() async throws {
    let folder = try JourneyFolder(program: "FailureLine/assert")
    let ending = try await folder.test()
    #expect(ending.output.contains("one_journey.lua:10: boom\n"), "\(ending.output)")
    #expect(
      ending.output.contains(#/\n  \S*one_journey\.lua:13: invalidCredential: [^\n]*together\n/#),
      "\(ending.output)")
  }

  @Test func `a failure inside a delegate quotes the delegate's line, and names the call`()
    async throws
  {
    let folder = try JourneyFolder(program: "FailureLine/delegate")
    let output = try await folder.test().output
    let lines = output.split(separator: "\n").map(String.init)
    for (line, words, quoted, call) in [
      (
        14, "the delegate function failed: the text \"nothing like that\" is not on the page",
        "page:click({ text = \"nothing like that\" }, { timeout = 0.1 })", 12
      ),
      (
        21, "the delegate function failed: attempt to index a nil value (field 'nothing')",
        "local _ = page.nothing.more", 23
      ),
      (31, "userDisabled: ", "error(Auth.createError \"userDisabled\")", 30),
    ] {
      let at = try #require(
        lines.lastIndex { $0.contains("one_journey.lua:\(line):") && $0.contains(words) },
        "\(output)")
      let block = lines[at...].prefix(8)
      #expect(block.contains { $0.hasSuffix("\(line) | \(quoted)") }, "\(block)")
      #expect(block.contains { $0.contains("one_journey.lua:\(call): in ") }, "\(block)")
    }
  }
}
