import Glibc

/// The computer that this process runs on.
public enum Machine {
  /// Its host name, gethostname(2); empty if it has none.
  public static var name: String {
    var name = [CChar](repeating: 0, count: 256)
    // The last byte stays 0 if the name is longer.
    gethostname(&name, name.count - 1)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
