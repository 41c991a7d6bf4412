import Testing

/// At which line the failure of a call of the library is reported.
@Suite(.timeLimit(.minutes(5)))
struct FailureLineTests {
  @Test func `a mistake in a call on a person is reported at the line of the call`() async throws {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local function ada(j) return j.people:new { password = "correct horse" } end
      journey("option", function(j)
        ada(j):signIn("microsoft.com", { aswers = { consent = false } })
      end)
      journey("kind", function(j)
        ada(j):signIn("microsoft.com", { scopes = "mail.read" })
      end)
      journey("signed out", function(j)
        ada(j):link "microsoft.com"
      end)
      """
    ])
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
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local merge = require "luath.merge"
      local auth = require("luath.auth").auth()
      local function behind(call)
        call()
      end
      journey("person", function(j)
        behind(function() return j.people:new { emial = "x" } end)
      end)
      journey("sign in", function(j)
        local ada = j.people:new { email = "ada@x.example" }
        behind(function() return ada:signIn() end)
      end)
      journey("module", function() behind(function() return require "not.there" end) end)
      journey("merge", function() behind(function() return merge.signIn(auth, 1) end) end)
      journey("policy", function() behind(function() return merge.password(1) end) end)
      journey("step", function(j)
        j:step("outer", function() return j:step(1) end)
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.code == 1)
    for (line, words) in [
      (14, "there is no field of a person 'emial'"), (18, "invalidCredential: "),
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
    let folder = try JourneyFolder([
      "one_journey.lua": """
      local luath, auth = require "luath", require("luath.auth").auth()
      journey("text", function()
        assert(luath.try(function() error "boom" end))
      end)
      journey("error", function()
        assert(luath.try(auth.signIn, auth, { email = "a@x.example", password = "S3cret-pw" }))
      end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("one_journey.lua:10: boom\n"), "\(ending.output)")
    #expect(
      ending.output.contains(#/\n  \S*one_journey\.lua:13: invalidCredential: [^\n]*together\n/#),
      "\(ending.output)")
  }
}
