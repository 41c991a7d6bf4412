import Foundation
import Testing

/// Files of journeys that write down what happens, and runs of them.
struct JourneyFolder {
  /// What each file begins with: `say` adds a line to the log of all files.
  private static let beginning = """
    local journey, expect = require "luath.journey", require "luath.expect"
    local task, Auth = require "luath.task", require "luath.auth"
    local function say(...)
      local file = assert(io.open("log.txt", "a"))
      file:write(table.concat({ ... }, " "), "\\n")
      file:close()
    end

    """
  private let folder: ScriptFolder

  /// Makes files; those that `luath test` runs get the beginning.
  init(_ files: [String: String]) throws {
    folder = try ScriptFolder(
      Dictionary(
        uniqueKeysWithValues: files.map { name, text in
          let isRun = name.hasSuffix("_journey.lua") || name.hasSuffix("_spec.lua")
          return (name, isRun ? Self.beginning + text : text)
        }))
  }

  /// Makes one file of `Programs/NAME.lua`, in which `parts` take the place of calls of their names.
  init(program name: String, _ parts: [String: String] = [:]) throws {
    try self.init(["one_journey.lua": luaProgram(name, parts)])
  }

  /// Makes a file that need not be text.
  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: folder.url.appending(path: name))
  }

  /// What a file in the folder has; empty if it is not there.
  func data(of name: String) -> Data {
    (try? Data(contentsOf: folder.url.appending(path: name))) ?? Data()
  }

  func text(of name: String) -> String { String(decoding: data(of: name), as: UTF8.self) }

  /// Runs another command of luath to its end.
  func luath(_ arguments: String...) async throws -> Luath.Ending {
    try await Luath(arguments, in: folder.url).ending()
  }

  /// Runs `luath test` to its end.
  func test(
    _ options: String..., limit: Double = 120, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Luath.Ending {
    try? FileManager.default.removeItem(at: folder.url.appending(path: "log.txt"))
    let ending = try await Luath(["test"] + options, in: folder.url).ending(within: limit)
    #expect(!ending.wasKilled, "the run did not end", sourceLocation: sourceLocation)
    return ending
  }

  /// Starts `luath test`.
  func start(_ options: String...) throws -> Luath {
    try Luath(["test"] + options, in: folder.url)
  }

  /// The lines that the last run wrote down.
  var log: [String] {
    let text = try? String(contentsOf: folder.url.appending(path: "log.txt"), encoding: .utf8)
    return text?.split(separator: "\n").map(String.init) ?? []
  }
}
