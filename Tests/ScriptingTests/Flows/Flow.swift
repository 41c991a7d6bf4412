import Emulator
import Encoding
import Scripting
import Testing

/// A flow in Lua against an emulator of its own, with what `Fixtures/flows.lua` gives at hand.
struct Flow {
  var runner = ScriptRunner()

  /// On the first line, so that the lines of a failure are those of the test.
  private static let prelude = """
    local Auth, admin, crypto = require "luath.auth", require "luath.admin", require "luath.crypto" \
    local emulator, http, json = require "luath.emulator", require "luath.http", require "luath.json" \
    local host, task, ui = require "luath.host", require "luath.task", require "luath.ui" \
    local flows, auth = require "flows", Auth.auth() \
    local equal, refused, mistake = flows.equal, flows.refused, flows.mistake \
    local provider, form, way, ways = flows.provider, flows.form, flows.way, flows.ways\u{20}
    """

  /// Runs a flow that must end well, and gives its trace.
  @discardableResult
  func run(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await runner.run(
      Self.prelude + text, folder: folderOfFixtures, sourceLocation: sourceLocation)
  }

  /// Runs a flow that ends with `flows.answer`, and gives the answer and the trace.
  func answer(
    of text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (answer: JSON, trace: [String]) {
    let (outcome, trace) = try await runner.outcome(
      Self.prelude + text, folder: folderOfFixtures)
    guard case .failed(let failure) = outcome, failure.code == "answer" else {
      Issue.record("the flow gave no answer but \(outcome)", sourceLocation: sourceLocation)
      return (.null, trace)
    }
    return (try JSON.parse(failure.message), trace)
  }
}
