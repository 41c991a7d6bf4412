internal import CQREncode

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
