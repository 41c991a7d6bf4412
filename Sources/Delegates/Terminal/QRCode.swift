internal import CQREncode

/// An address as a picture for a telephone's camera (ISO/IEC 18004), in characters.
struct QRCode {
  private let modules: [UInt8]
  private let width: Int
  /// Readers want a margin of four modules, in the light colour.
  private let margin = 4

  /// The symbol of a text; nil when it is too long for one, 2953 bytes.
  init?(_ text: String) {
    guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
    defer { QRcode_free(code) }
    width = Int(code.pointee.width)
    guard let data = code.pointee.data else { return nil }
    modules = Array(UnsafeBufferPointer(start: data, count: width * width))
  }

  /// How many characters a line has.
  var columns: Int { width + 2 * margin }

  /// Two rows of modules in each line of half blocks, light on dark as terminals mostly are.
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
