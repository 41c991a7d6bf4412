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
      of: luaProgram("BustedWords/order"))
    #expect(
      log == [
        "setup 1", "setup 2", "lazy_setup", "before 1", "before 2", "one", "finally", "after 1",
        "after 2", "before 1", "before 2", "inner before", "two", "inner after", "after 1",
        "after 2", "lazy_teardown", "teardown 1", "teardown 2", "outside",
      ])
  }

  @Test func `globals belong to whoever wrote them`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/globals"))
    #expect(log == ["file setup block 1", "nil 1 2", "nil nil nil"])
  }

  @Test func `insulate puts globals and modules back, expose keeps them`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/insulate"))
    #expect(log == ["1 table", "1", "nil nil nil", "7", "7"])
  }

  @Test func `after_each starts where before_each came to`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/after-each"), code: 1)
    #expect(log == ["after", "outer after"])
  }

  @Test func `words that declare are refused within tests and hooks`() async throws {
    let words = [
      "describe", "it", "before_each", "setup", "insulate", "randomize", "lazy_teardown",
    ]
    let list = words.map { "\($0) = \($0)" }.joined(separator: ", ")
    let log = try await log(
      of: luaProgram("BustedWords/refused-words", ["LIST": list]))
    #expect(log == ["refused"])
  }

  @Test func `names may be curried or left out, and pending ends a test`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/names"))
    #expect(log == ["curried", "unnamed", "spec"])
  }

  @Test func `busted can be required, and calls may wait`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/required"))
    #expect(log == ["true"])
  }

  @Test func `tests and hooks get no arguments`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/arguments"))
    #expect(log == ["0", "0", "0", "0"])
  }

  /// As busted itself did it.
  @Test func `specs publish, and hear of tests`() async throws {
    let log = try await log(
      of: luaProgram("BustedWords/subscriptions"), code: 1)
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
        "false not 'suite'", "end own one_spec.lua success",
      ])
  }
}
