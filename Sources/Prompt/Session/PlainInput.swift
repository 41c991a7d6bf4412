import Glibc
import Lua
public import Terminal

/// What a prompt gets its texts from.
public protocol PromptInput: Sendable {
  /// Waits for a text; called on a thread of its own.
  func readText(prompt: String, continuation: String) -> TypedText
}

/// Reads texts from standard input where no editor can be: from pipes, files and terminals without escape
/// codes.
///
/// Byte by byte, so that what follows a text is left for the script's own `io.read`.
public final class PlainInput: PromptInput {
  private let isComplete: @Sendable (String) -> Bool
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - write: shows prompts.
  ///   - isComplete: whether a text can be run; otherwise another line is read.
  public init(
    write: @escaping @Sendable (String) -> Void, isComplete: @escaping @Sendable (String) -> Bool
  ) {
    self.write = write
    self.isComplete = isComplete
  }

  /// Reads lines until they make a whole text; at the end of input, what there is.
  public func readText(prompt: String, continuation: String) -> TypedText {
    write(prompt)
    guard var text = Self.line() else { return .ended }
    while !isComplete(text) {
      write(continuation)
      guard let line = Self.line() else { return .text(text) }
      text += "\n" + line
    }
    return .text(text)
  }

  private static func line() -> String? {
    var line: [UInt8] = []
    while let byte = LuaInput.takeAhead() ?? byte() {
      if byte == UInt8(ascii: "\n") {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
      }
      line.append(byte)
    }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  private static func byte() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = Glibc.read(STDIN_FILENO, &byte, 1)
      if count == 1 { return byte }
      if count < 0, errno == EINTR { continue }
      return nil
    }
  }
}
