/// A script to run: its text, the name errors show, and what follows it on the command line.
public struct Script: Sendable {
  /// The text.
  public let text: [UInt8]
  /// The name, usually the path as it was given.
  public let name: String
  /// The folder `require` looks in first; nil for text that is in no file.
  public let folder: String?
  /// The arguments of the script.
  public let arguments: [String]
  /// Why it could not be read, for who goes on without it.
  public var problem: String?

  /// Describes a script; a byte order mark and a first line that begins with `#` are skipped, as
  /// Lua does with files.
  public init(text: [UInt8], name: String, folder: String?, arguments: [String] = []) {
    self.name = name
    self.folder = folder
    self.arguments = arguments
    self.text = Self.source(text)
  }

  /// The text that Lua compiles.
  static func source(_ text: [UInt8]) -> [UInt8] {
    let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text[...]
    // The line break stays, so that line numbers stay right.
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

/// An error that ended a script, in words.
public struct ScriptFailure: Sendable {
  /// What happened, without the place.
  public let message: String
  /// The error's code, if it is one of luath's errors.
  public let code: String?
  /// What to do.
  public let hint: String?
  /// `file:line`, if known.
  public var place: String?
  /// The calls that led there.
  public let traceback: String
  /// The function whose call failed, for the caret.
  public let name: String?
  /// The keys of a project file that lead to what is wrong.
  public let keys: [String]
  /// What a check of `luath.expect` found.
  public var check: ScriptCheck?

  /// Describes a failure.
  public init(
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
