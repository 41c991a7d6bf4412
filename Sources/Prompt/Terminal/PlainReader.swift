import CShims
import Glibc
import Synchronization

/// Reads entries from a user or a file.
protocol PromptReader: AnyObject, Sendable {
  /// Waits for an entry and blocks the calling thread.
  ///
  /// - Parameters:
  ///   - prompt: shown before the first line.
  ///   - continuation: shown before each further line.
  func readText(prompt: String, continuation: String) -> TypedText

  /// Prints text above the edited entry; from any thread.
  func printAbove(_ text: String)

  /// Makes the waiting `readText`, or else the next one, return `interrupted`; from any thread.
  func interrupt()
}

/// The result of reading an entry.
enum TypedText: Equatable, Sendable {
  /// An entry to run: one or more lines, without the last line break.
  case text(String)
  /// Ctrl-C with nothing typed.
  case interrupted
  /// Ctrl-C, which discards the unfinished entry.
  case dropped
  /// Ctrl-D with nothing typed, or the end of the input.
  case ended
}

// Unchecked: only the one thread inside `readText` uses `language` and `isOver` (its documentation
// requires that). Everything that other threads use is atomic or written once.
/// Reads entries line by line, without terminal control sequences.
///
/// For files, pipes and terminals that cannot move the cursor. It reads no further than the end of the
/// entry, so that scripts can read the rest of the input themselves.
final class PlainReader: PromptReader, @unchecked Sendable {
  private let input: Int32
  private let output: Int32?
  private let language: any EditorLanguage
  private let alarm = Alarm()
  private var isOver = false

  /// Creates a reader of lines.
  ///
  /// - Parameters:
  ///   - input: the descriptor that lines are read from.
  ///   - output: the descriptor for prompts and other output; nil to write none.
  ///   - language: decides where an entry ends.
  init(input: Int32 = 0, output: Int32?, language: any EditorLanguage) {
    self.input = input
    self.output = output
    self.language = language
  }

  /// Reads lines until the language considers them complete; blocks the calling thread.
  ///
  /// Only one thread at a time may call it. If the input ends inside an entry, returns the incomplete
  /// entry, so that its error can be reported.
  func readText(prompt: String, continuation: String) -> TypedText {
    var text = ""
    var isFirst = true
    while !isOver {
      show(isFirst ? prompt : continuation)
      var line: [UInt8] = []
      switch readLine(&line) {
      case .interrupted:
        show("\n")
        return .interrupted
      case .ended:
        isOver = true
        if line.isEmpty {
          show("\n")
          return isFirst ? .ended : .text(text)
        }
      case .whole: break
      }
      if line.last == 0x0D { line.removeLast() }
      text += (isFirst ? "" : "\n") + String(decoding: line, as: UTF8.self)
      isFirst = false
      if isOver || language.isComplete(text) { return .text(text) }
    }
    return .ended
  }

  /// Writes the text without changes.
  func printAbove(_ text: String) { show(text) }

  /// Makes the waiting `readText`, or else the next one, return `interrupted`; from any thread.
  func interrupt() { alarm.ring(0) }

  private enum Line {
    case whole, interrupted, ended
  }

  /// Reads up to the end of a line and consumes nothing after it.
  private func readLine(_ line: inout [UInt8]) -> Line {
    var places = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A terminal returns at most one line, and in a file the position can be set back; else read single bytes.
    let place = lseek(input, 0, SEEK_CUR)
    let size = isatty(input) == 1 || place >= 0 ? buffer.count : 1
    // A script's `io.read` may have buffered input, which comes before the rest of the descriptor.
    while input == STDIN_FILENO {
      let byte = luath_input_ahead()
      guard byte >= 0 else { break }
      if byte == 0x0A { return .whole }
      line.append(UInt8(truncatingIfNeeded: byte))
    }
    while true {
      guard poll(&places, 2, -1) > 0 else {
        if errno == EINTR || errno == EAGAIN { continue }
        return .ended
      }
      if places[1].revents != 0 {
        while alarm.next() != nil {}
        return .interrupted
      }
      let count = read(input, &buffer, size)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return .ended }
      guard let end = buffer[..<count].firstIndex(of: 0x0A) else {
        line += buffer[..<count]
        continue
      }
      line += buffer[..<end]
      if place >= 0 { lseek(input, off_t(end + 1 - count), SEEK_CUR) }
      return .whole
    }
  }

  private func show(_ text: String) {
    if let output { WholeText.write(text, to: output) }
  }
}

/// Writes to descriptors that may accept a text only in parts.
enum WholeText {
  /// Writes all of a text, or stops when the reader is gone.
  static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var sent = 0
      while sent < bytes.count, let start = bytes.baseAddress {
        let count = Glibc.write(descriptor, start + sent, bytes.count - sent)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&place, 1, -1)
          continue
        }
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}
