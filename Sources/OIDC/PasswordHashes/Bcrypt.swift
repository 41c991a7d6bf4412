import CShims
import System

/// The algorithm BCRYPT, whose hashes are texts that contain version, cost and salt.
enum Bcrypt {
  /// The cost of new hashes, the default of most libraries.
  private static let usualCost: Int32 = 10
  /// The allowed costs; cost 16 takes several seconds, and each step doubles the time.
  private static let allowedCosts = 4...15
  /// bcrypt ignores all bytes of a password after these.
  private static let countedLength = 72
  /// The length before the 31 digits of the hash: version, cost and 22 digits of salt.
  private static let settingLength = 29

  /// Returns a hash in version 2b; nil unless the salt has 16 bytes and the password no zero byte.
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
    // The last digit of a salt has unused bits, which libcrypt sets to zero.
    return constantTimeEqual(Array(own[settingLength...]), Array(hash[settingLength...]))
  }

  /// Whether this is a hash of version 2a, 2b or 2y with an allowed cost.
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
    // libcrypt would take only the part before the zero byte.
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
