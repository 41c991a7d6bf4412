public import System

/// Time-based one-time passwords (RFC 6238), as in authenticator apps.
///
/// The defaults are those of Identity Platform: SHA-1, six digits, a new code every 30 seconds.
public struct TOTP: Sendable, Equatable {
  /// The secret shared with the authenticator app.
  public let secret: SecretBytes
  /// The hash function of the codes.
  public let algorithm: DigestFunction
  /// The number of digits of a code.
  public let digits: Int
  /// The lifetime of a code in seconds.
  public let period: Int

  /// Creates codes; six to eight digits, a period of at least one second, and not with MD5.
  public init(
    secret: SecretBytes, algorithm: DigestFunction = .sha1, digits: Int = 6, period: Int = 30
  ) {
    precondition(
      (6...8).contains(digits) && period > 0 && algorithm != .md5, "no app makes such codes")
    self.secret = secret
    self.algorithm = algorithm
    self.digits = digits
    self.period = period
  }

  /// Returns a new secret of 20 bytes, the length RFC 4226 recommends (section 4, R6).
  public static func freshSecret() -> SecretBytes {
    SecretBytes(SecureRandom.bytes(20))
  }

  /// Returns the number of periods since 1970 at a time in seconds.
  public func step(at seconds: Int64) -> Int64 {
    // Rounded down before 1970 too, where division would round toward zero.
    let (quotient, remainder) = seconds.quotientAndRemainder(dividingBy: Int64(period))
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Returns the code of a step (RFC 4226 section 5.3, with the step as counter).
  public func code(at step: Int64) -> String {
    let counter = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian) { Array($0) }
    let mac = secret.reveal().withUnsafeBufferPointer { secret in
      counter.withUnsafeBufferPointer { algorithm.hmac(key: secret, message: $0) }
    }
    let offset = Int(mac[mac.count - 1] & 0xF)
    let word = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let modulus = (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 }
    let number = String(word % modulus)
    return String(repeating: "0", count: digits - number.utf8.count) + number
  }

  /// Returns the step of a code, at most `window` steps before or after the current time.
  ///
  /// Nil when no step matches. The nearest step wins. RFC 6238 section 5.2 forbids a second use of
  /// a code: the caller must store the step and reject one that is not later.
  public func step(of code: String, at seconds: Int64, window: Int) -> Int64? {
    let now = step(at: seconds)
    var match: Int64?
    // All steps are tried, so that the time does not reveal which one matched.
    for distance in (0...Int64(max(window, 0))).reversed() {
      for step in [now - distance, now + distance]
      where constantTimeEqual(self.code(at: step), code) {
        match = step
      }
    }
    return match
  }
}
