internal import CShims
internal import Glibc
internal import Synchronization

// `language` and `isOver` are touched by the one thread that calls `readText`, which its
// documentation asks for; what other threads touch is atomic or written once.
/// Reads texts line by line, without any sequence that acts on a terminal.
///
/// For files, pipes and terminals that move no cursor. What follows the lines that were taken stays
/// in the input, for scripts that read it themselves.
public final class PlainReader: PromptReader, @unchecked Sendable {
  private let input: Int32
  private let output: Int32?
  private let language: any EditorLanguage
  private let alarm = Alarm()
  private var isOver = false

  /// A reader of lines.
  ///
  /// - Parameters:
  ///   - input: the descriptor that lines are read from.
  ///   - output: where prompts and texts of others are written; nil where nobody looks at them.
  ///   - language: says where a text ends.
  public init(input: Int32 = 0, output: Int32?, language: any EditorLanguage) {
    self.input = input
    self.output = output
    self.language = language
  }

  /// Reads lines until the language calls them complete, and blocks the calling thread meanwhile.
  ///
  /// What is begun when the input ends is given as it is, so that its error can be told.
  ///
  /// - Parameters:
  ///   - prompt: written before the first line.
  ///   - continuation: written before each further line.
  public func readText(prompt: String, continuation: String) -> TypedText {
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

  /// Writes a text of others.
  public func printAbove(_ text: String) { show(text) }

  /// Has the `readText` that waits, or else the next one, return `interrupted`; from any thread.
  public func interrupt() { alarm.ring(0) }

  private enum Line {
    case whole, interrupted, ended
  }

  /// Reads to the end of a line, and not a byte further.
  private func readLine(_ line: inout [UInt8]) -> Line {
    var places = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 4096)
    // A terminal gives one line at most, and a file lets itself be put back.
    let place = lseek(input, 0, SEEK_CUR)
    let size = isatty(input) == 1 || place >= 0 ? buffer.count : 1
    // A script's own `io.read` reads ahead; that came before what is in the descriptor now.
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
