@testable import Emulator
@testable import System
import Foundation
@testable import Host
import Testing

/// A Lua program against an emulator of its own, for tests that need servers or settings made in Swift.
///
/// What needs only Lua is a spec in `stdlib/spec`. Programs have what `support/flows.lua` gives at hand.
struct Flow {
  var runner = ScriptRunner()

  /// On the first line, so that the lines of a failure are those of the test.
  private static let prelude = """
    local Auth, admin, crypto = require "luath.auth", require "luath.admin", require "luath.crypto" \
    local emulator, http, json = require "luath.emulator", require "luath.http", require "luath.json" \
    local host, task, ui = require "luath.host", require "luath.task", require "luath.ui" \
    local flows, auth = require "support.flows", Auth.auth() \
    local equal, refused, mistake = flows.equal, flows.refused, flows.mistake \
    local provider, form, way, ways = flows.provider, flows.form, flows.way, flows.ways\u{20}
    """

  /// Runs `Programs/NAME.lua`, which must end well, and gives its trace.
  ///
  /// The program finds `values` in `given`.
  @discardableResult
  func run(
    program name: String, given values: JSON = .object([:]),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await run(
      Self.text(ofProgram: name, given: values), sourceLocation: sourceLocation)
  }

  /// Runs `Programs/NAME.lua`, which must end with `flows.answer`, and gives the answer and the trace.
  func answer(
    ofProgram name: String, given values: JSON = .object([:]),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (answer: JSON, trace: [String]) {
    try await answer(
      of: Self.text(ofProgram: name, given: values), sourceLocation: sourceLocation)
  }

  /// The text of `Programs/NAME.lua`, which finds `values` in `given`.
  ///
  /// Modules that programs share are beside them: `require "SUITE.NAME"`.
  static func text(ofProgram name: String, given values: JSON) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Programs")
    let program = try String(contentsOf: folder.appending(path: "\(name).lua"), encoding: .utf8)
    return "package.path = [==[\(folder.path)/?.lua;]==] .. package.path "
      + "local given = json.decode [==[\(values.encoded())]==] \(program)"
  }

  /// Runs a flow that must end well, and gives its trace.
  @discardableResult
  func run(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await runner.run(
      Self.prelude + text, folder: folderOfSpecs, sourceLocation: sourceLocation)
  }

  /// Runs a flow that ends with `flows.answer`, and gives the answer and the trace.
  func answer(
    of text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> (answer: JSON, trace: [String]) {
    let (outcome, trace) = try await runner.outcome(
      Self.prelude + text, folder: folderOfSpecs)
    guard case .failed(let failure) = outcome, failure.code == "answer" else {
      Issue.record("the flow gave no answer but \(outcome)", sourceLocation: sourceLocation)
      return (.null, trace)
    }
    return (try JSON.parse(failure.message), trace)
  }
}
