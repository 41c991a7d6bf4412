internal import CShims
internal import Glibc
internal import Synchronization

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
