import CShims
import Encoding

/// The algorithm BCRYPT, whose hashes are texts that hold version, cost and salt themselves.
enum Bcrypt {
  /// The cost of new hashes, as most libraries have it.
  private static let usualCost: Int32 = 10
  /// The costs that are verified; the next one already takes some seconds, and each one doubles it.
  private static let allowedCosts = 4...15
  /// No byte of a password after these counts.
  private static let countedLength = 72
  /// What precedes the 31 digits of the hash: version, cost and 22 digits of salt.
  private static let settingLength = 29

  /// A hash in version 2b; nil when the salt is not 16 bytes or the password holds a zero byte.
  static func hash(_ password: UnsafeBufferPointer<UInt8>, salt: [UInt8]) -> [UInt8]? {
    guard salt.count == 16 else { return nil }
    var setting = [CChar](repeating: 0, count: settingLength + 1)
    guard luath_bcrypt_setting(usualCost, salt, &setting, setting.count) == 1 else { return nil }
    return run(password, setting: setting)
  }

  static func verify(_ password: UnsafeBufferPointer<UInt8>, hash: [UInt8]) -> Bool {
    guard isReadable(hash) else { return false }
    let setting = hash[..<settingLength].map { CChar(bitPattern: $0) } + [0]
    guard let own = run(password, setting: setting) else { return false }
    // The last digit of a salt has bits that do not count, which libcrypt sets to zero.
    return constantTimeEqual(Array(own[settingLength...]), Array(hash[settingLength...]))
  }

  /// Whether this is a hash of version 2a, 2b or 2y, of a cost that is allowed.
  private static func isReadable(_ hash: [UInt8]) -> Bool {
    let text = String(decoding: hash.prefix(7), as: UTF8.self)
    guard hash.count == Int(luath_bcrypt_length),
      ["$2a$", "$2b$", "$2y$"].contains(text.prefix(4)), text.hasSuffix("$"),
      let cost = Int(text.dropFirst(4).prefix(2))
    else { return false }
    return allowedCosts.contains(cost)
  }

  private static func run(
    _ password: UnsafeBufferPointer<UInt8>, setting: [CChar]
  ) -> [UInt8]? {
    // libcrypt would take what precedes the zero byte for the whole password.
    guard !password.contains(0) else { return nil }
    let counted = min(password.count, countedLength)
    return withWipedBytes(counted + 1) { text in
      for index in 0..<counted { text[index] = password[index] }
      var hash = [CChar](repeating: 0, count: Int(luath_bcrypt_length))
      let status = text.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { luath_bcrypt($0, setting, &hash) }
      }
      return status == 1 ? hash.map { UInt8(bitPattern: $0) } : nil
    }
  }
}
