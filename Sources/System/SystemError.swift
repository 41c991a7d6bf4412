import Glibc

/// An error of the operating system.
public struct SystemError: Error, Equatable {
  /// The `errno`.
  public let code: Int32

  /// The error of an `errno`.
  public init(_ code: Int32) { self.code = code }

  /// The system's message.
  public var message: String { String(cString: strerror(code)) }

  /// The system's message in lower case, for the end of a sentence.
  public var words: String { message.lowercased() }
}

/// Reads whole files.
public enum WholeFile {
  /// Reads a file of at most `limit` bytes; fails with `EFBIG` if it is larger.
  public static func read(_ path: String, atMost limit: Int = .max) throws(SystemError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    return try read(file, atMost: limit)
  }

  /// Reads an open file from its position to its end; fails with `EFBIG` if that is more than `limit` bytes.
  public static func read(
    _ descriptor: Int32, atMost limit: Int = .max
  ) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(descriptor, &block, block.count)
      if count == 0 { return bytes }
      guard count > 0 || errno == EINTR else { throw SystemError(errno) }
      bytes += block.prefix(max(count, 0))
      guard bytes.count <= limit else { throw SystemError(EFBIG) }
    }
  }
}

extension String {
  /// The folder of the file that this path names.
  public var folder: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}

extension UInt8 {
  /// Whether it is a digit in ASCII.
  @inlinable public var isDigit: Bool { (0x30...0x39).contains(self) }

  /// Whether it is a letter in ASCII.
  @inlinable public var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }

  /// Whether it is a letter or digit in ASCII.
  @inlinable public var isLetterOrDigit: Bool { isLetter || isDigit }
}
