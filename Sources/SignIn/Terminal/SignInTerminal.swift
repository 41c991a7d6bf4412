public import System
internal import HTTP
internal import CQREncode

/// The terminal that sign-ins use to talk to the user.
public final class SignInTerminal: Sendable {
  /// Whether input and output are both a terminal.
  public let isInteractive: Bool
  /// The number of characters per line; nil when the output is not a terminal.
  public let columns: Int?
  /// Writes text for the user, separate from the program's results.
  let write: @Sendable (String) -> Void
  /// Reads a line without its end; nil at the end of input or when the task is canceled.
  let readLine: @Sendable () async -> String?

  private let isTaken = Guarded(false)

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - isInteractive: whether input and output are both a terminal.
  ///   - columns: the number of characters per line; nil when the output is not a terminal.
  ///   - write: writes text for the user, separate from the program's results.
  ///   - readLine: reads a line without its end, or several lines pasted at once, and leaves the rest
  ///     to other readers. Returns nil at the end of input, and soon after the task is canceled. It
  ///     must not block the caller's thread.
  public init(
    isInteractive: Bool, columns: Int?, write: @escaping @Sendable (String) -> Void,
    readLine: @escaping @Sendable () async -> String?
  ) {
    self.isInteractive = isInteractive
    self.columns = columns
    self.write = write
    self.readLine = readLine
  }

  /// Asks a question and returns the entered line.
  ///
  /// Nil at the end of input, when the task is canceled, and while a sign-in is asking for something.
  public func ask(_ question: String) async -> String? {
    guard takeTurn() else { return nil }
    defer { endTurn() }
    write(question)
    return await readLine()
  }

  /// Reserves the terminal until `endTurn`; false when it is in use.
  func takeTurn() -> Bool {
    isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  func endTurn() { isTaken.withLock { $0 = false } }

  /// The QR code of a URL with an empty line after it; empty if it does not fit.
  func picture(of url: WebURL) -> String {
    guard let columns, let code = QRCode(url.description), code.columns <= columns else {
      return ""
    }
    return code.lines.map { $0 + "\n" }.joined() + "\n"
  }
}

/// A QR code (ISO/IEC 18004) drawn with characters.
struct QRCode {
  private let modules: [UInt8]
  private let width: Int
  /// The margin of four light modules that readers need.
  private let margin = 4

  /// Encodes a text; nil when it is longer than 2953 bytes.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = Array(UnsafeBufferPointer(start: data, count: width * width))
  }

  /// The number of characters per line.
  var columns: Int { width + 2 * margin }

  /// The lines, each with two rows of modules as half blocks; light on dark, like most terminals.
  var lines: [String] {
    stride(from: -margin, to: width + margin, by: 2).map { row in
      String(
        (-margin..<width + margin).map { column -> Character in
          switch (isDark(row, column), isDark(row + 1, column)) {
          case (true, true): " "
          case (true, false): "▄"
          case (false, true): "▀"
          case (false, false): "█"
          }
        })
    }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool {
    guard (0..<width).contains(row), (0..<width).contains(column) else { return false }
    return modules[row * width + column] & 1 == 1
  }
}

extension SystemLibrary {
  /// libqrencode, which makes QR codes of URLs.
  public static var qrencode: SystemLibrary {
    SystemLibrary("libqrencode", String(cString: QRcode_APIVersionString()))
  }
}
