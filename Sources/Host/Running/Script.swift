/// A script to run: its text, its name in errors, and its arguments.
public struct Script: Sendable {
  /// The source text.
  public let text: [UInt8]
  /// The name in errors, usually the path as given.
  public let name: String
  /// The folder that `require` searches first; nil for text that is not from a file.
  let folder: String?
  /// The arguments of the script.
  let arguments: [String]
  /// Why the file could not be read, for callers that continue without it.
  public var problem: String?

  /// Creates a script; like Lua, skips a byte order mark and a first line that begins with `#`.
  public init(text: [UInt8], name: String, folder: String?, arguments: [String] = []) {
    self.name = name
    self.folder = folder
    self.arguments = arguments
    self.text = Self.source(text)
  }

  /// The text that Lua compiles.
  static func source(_ text: [UInt8]) -> [UInt8] {
    let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
    // Keep the line break, so that line numbers stay correct.
    return Array(text.first == UInt8(ascii: "#") ? text.drop { $0 != UInt8(ascii: "\n") } : text)
  }
}

/// How a script ended.
public enum ScriptOutcome: Sendable {
  case finished
  case failed(ScriptFailure)
  case notLoaded(ScriptFailure)
  case stopped(ScriptStop)
  case exited(Int32)
}

/// Why a script was stopped.
public enum ScriptStop: Sendable {
  case time
  case memory
  case interrupt
}

/// An error that ended a script.
public struct ScriptFailure: Sendable {
  /// The message, without the position.
  public let message: String
  /// The code, if it is one of luath's errors.
  public let code: String?
  /// What the user can do.
  public let hint: String?
  /// `file:line`, if known.
  public var place: String?
  /// The traceback.
  public let traceback: String
  /// The function whose call failed, for the caret.
  public let name: String?
  /// The path of keys to a faulty value in a project file.
  let keys: [String]
  /// The details of a failed check of `luath.expect`.
  public var check: ScriptCheck?

  /// Creates a failure.
  init(
    message: String, code: String? = nil, hint: String? = nil, place: String? = nil,
    traceback: String = "", name: String? = nil, keys: [String] = []
  ) {
    self.message = message
    self.code = code
    self.hint = hint
    self.place = place
    self.traceback = traceback
    self.name = name
    self.keys = keys
  }
}
