import Foundation
import Testing

/// The words of busted mean what they mean there.
///
/// The expected orders were taken down from busted 2.1.1.
@Suite(.timeLimit(.minutes(5)))
struct BustedWordsTests {
  /// Runs a spec; the lines it wrote.
  private func log(
    of spec: String, code: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let folder = try JourneyFolder(["one_spec.lua": spec])
    let ending = try await folder.test()
    #expect(
      ending.code == code, "\(ending.output)\(ending.errors)", sourceLocation: sourceLocation)
    return folder.log
  }

  @Test func `setups, hooks and teardowns come in busted's order`() async throws {
    let log = try await log(
      of: """
        describe("a", function()
          setup(function() say "setup 1" end)
          setup(function() say "setup 2" end)
          teardown(function() say "teardown 1" end)
          teardown(function() say "teardown 2" end)
          lazy_setup(function() say "lazy_setup" end)
          lazy_teardown(function() say "lazy_teardown" end)
          before_each(function() say "before 1" end)
          before_each(function() say "before 2" end)
          after_each(function() say "after 1" end)
          after_each(function() say "after 2" end)
          it("one", function()
            finally(function() say "finally" end)
            say "one"
          end)
          describe("inner", function()
            before_each(function() say "inner before" end)
            after_each(function() say "inner after" end)
            it("two", function() say "two" end)
          end)
        end)
        it("outside", function() say "outside" end)
        """)
    #expect(
      log == [
        "setup 1", "setup 2", "lazy_setup", "before 1", "before 2", "one", "finally", "after 1",
        "after 2", "before 1", "before 2", "inner before", "two", "inner after", "after 1",
        "after 2", "lazy_teardown", "teardown 1", "teardown 2", "outside",
      ])
  }

  @Test func `globals belong to whoever wrote them`() async throws {
    let log = try await log(
      of: """
        fileWide = "file"
        setup(function() bySetup = "setup" end)
        describe("a", function()
          ofBlock = "block"
          before_each(function() count = (count or 0) + 1 end)
          it("one", function()
            say(fileWide, bySetup, ofBlock, count)
            ofTest = 1
            _G.shared = 1
          end)
          it("two", function() say(tostring(ofTest), tostring(_G.shared), count) end)
        end)
        it("outside", function() say(tostring(ofBlock), tostring(count), tostring(_G.fileWide)) end)
        """)
    #expect(log == ["file setup block 1", "nil 1 2", "nil nil nil"])
  }

  @Test func `insulate puts globals and modules back, expose keeps them`() async throws {
    let log = try await log(
      of: """
        insulate("in", function()
          _G.inside = 1
          package.loaded.fake = {}
          it("sees", function()
            say(tostring(_G.inside), type(package.loaded.fake))
            _G.during = 1
          end)
          it("sees still", function() say(tostring(_G.during)) end)
        end)
        it("outside", function()
          say(tostring(_G.inside), tostring(_G.during), type(package.loaded.fake))
        end)
        expose("ex", function()
          exposed = 7
          it("within", function() say(tostring(exposed)) end)
        end)
        it("after", function() say(tostring(exposed)) end)
        """)
    #expect(log == ["1 table", "1", "nil nil nil", "7", "7"])
  }

  @Test func `after_each starts where before_each came to`() async throws {
    let log = try await log(
      of: """
        after_each(function() say "outer after" end)
        describe("a", function()
          before_each(function() error "before broke" end)
          after_each(function() say "after" end)
          describe("b", function()
            before_each(function() say "never" end)
            after_each(function() say "never" end)
            it("c", function() say "never" end)
          end)
        end)
        """, code: 1)
    #expect(log == ["after", "outer after"])
  }

  @Test func `words that declare are refused within tests and hooks`() async throws {
    let words = [
      "describe", "it", "before_each", "setup", "insulate", "randomize", "lazy_teardown",
    ]
    let list = words.map { "\($0) = \($0)" }.joined(separator: ", ")
    let log = try await log(
      of: """
        local words = { \(list) }
        it("one", function()
          for name, word in pairs(words) do
            local good, message = pcall(word, "x", function() end)
            assert(not good and message:find("'" .. name .. "' not supported", 1, true), message)
          end
          say "refused"
        end)
        """)
    #expect(log == ["refused"])
  }

  @Test func `names may be curried or left out, and pending ends a test`() async throws {
    let log = try await log(
      of: """
        describe "curried" (function()
          it "too" (function() say "curried" end)
        end)
        it(function() say "unnamed" end)
        context("c", function() spec("s", function() say "spec" end) end)
        pending("never", function() say "never" end)
        pending "neither"
        it("stops", function() pending "not yet" say "never" end)
        """)
    #expect(log == ["curried", "unnamed", "spec"])
  }

  @Test func `busted can be required, and calls may wait`() async throws {
    let log = try await log(
      of: """
        require "busted.runner" ()
        local busted = require "busted"
        busted.describe("a", function()
          busted.before_each(function() task.sleep(0.01) end)
          busted.it("b", function()
            task.sleep(0.01)
            say(tostring(busted.version ~= nil))
          end)
        end)
        """)
    #expect(log == ["true"])
  }

  @Test func `tests and hooks get no arguments`() async throws {
    let log = try await log(
      of: """
        local function count(...) say(tostring(select("#", ...))) end
        setup(count)
        before_each(count)
        after_each(count)
        it("one", count)
        """)
    #expect(log == ["0", "0", "0", "0"])
  }

  /// As busted itself did it.
  @Test func `specs publish, and hear of tests`() async throws {
    let log = try await log(
      of: """
        local busted = require "busted"
        busted.subscribe({ "test", "start" }, function(element, parent)
          say("start", element.name, element.descriptor, parent.name)
          return nil, true
        end)
        busted.subscribe({ "test", "end" }, function(element, parent, status)
          say("end", element.name, parent.name, status)
          return nil, true
        end)
        describe("block", function()
          before_each(function() say "before" end)
          after_each(function() say "after" end)
          it("passes", function() finally(function() say "finally" end) end)
          it("fails", function() assert.is_true(false) end)
          it("raises", function() error "on purpose" end)
          it("waits", function() pending "later" end)
        end)
        it("own", function()
          local first = busted.subscribe({ "a", "b" }, function(x) say("first", x) return 1, true end)
          busted.subscribe({ "a", "b" }, function(x) say("second", x) return 2 end)
          busted.subscribe({ "a", "b" }, function(x) say("third", x) return 3, true end)
          say(#busted.publish({ "a", "b" }, "x"), #busted.publish({ "a" }, "x"))
          busted.unsubscribe(first.id, { "a", "b" })
          say(#busted.publish({ "a", "b" }, "y"))
          local good, message = pcall(busted.subscribe, { "suite", "end" }, print)
          say(tostring(good), message:match "not of 'suite'")
        end)
        """, code: 1)
    let results = [
      ("passes", "success"), ("fails", "failure"), ("raises", "error"), ("waits", "pending"),
    ]
    let block = results.flatMap { name, status in
      ["before", "start \(name) it block"] + (name == "passes" ? ["finally"] : [])
        + ["end \(name) block \(status)", "after"]
    }
    #expect(Array(log.prefix(block.count)) == block)
    #expect(
      log.dropFirst(block.count) == [
        "start own it one_spec.lua", "first x", "second x", "2 0", "second y", "1",
        "false not of 'suite'", "end own one_spec.lua success",
      ])
  }
}
