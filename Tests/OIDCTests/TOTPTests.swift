@testable import System
@testable import OIDC
import Testing

@Suite("One-time passwords", .timeLimit(.minutes(1)))
struct TOTPTests {
  private static func totp(
    _ secret: String, _ algorithm: DigestFunction = .sha1, digits: Int = 6, period: Int = 30
  ) -> TOTP {
    TOTP(
      secret: SecretBytes(Array(secret.utf8)), algorithm: algorithm, digits: digits, period: period)
  }

  /// RFC 4226 appendix D.
  @Test func `codes of a counter are the published ones`() {
    let totp = Self.totp("12345678901234567890")
    let codes = [
      "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
      "520489",
    ]
    #expect((0..<10).map { totp.code(at: $0) } == codes)
  }

  /// RFC 6238 appendix B.
  @Test(arguments: [
    (59, "94287082", "46119246", "90693936"), (1_111_111_109, "07081804", "68084774", "25091201"),
    (1_111_111_111, "14050471", "67062674", "99943326"),
    (1_234_567_890, "89005924", "91819424", "93441116"),
    (2_000_000_000, "69279037", "90698825", "38618901"),
    (20_000_000_000, "65353130", "77737706", "47863826"),
  ])
  func `codes of a time are the published ones`(
    seconds: Int64, sha1: String, sha256: String, sha512: String
  ) {
    let digits = "1234567890"
    let totps = [
      Self.totp(digits + digits, .sha1, digits: 8),
      Self.totp(digits + digits + digits + "12", .sha256, digits: 8),
      Self.totp(String(repeating: digits, count: 6) + "1234", .sha512, digits: 8),
    ]
    #expect(totps.map { $0.code(at: $0.step(at: seconds)) } == [sha1, sha256, sha512])
  }

  @Test(arguments: 0...10)
  func `a code is taken in its window and not beside it`(window: Int) {
    let totp = Self.totp("12345678901234567890")
    let now: Int64 = 1_234_567_890
    let step = totp.step(at: now)
    for distance in Int64(-12)...12 {
      let code = totp.code(at: step + distance)
      let found = totp.step(of: code, at: now, window: window)
      #expect(found == (abs(distance) <= window ? step + distance : nil))
    }
    #expect(totp.step(of: "", at: now, window: window) == nil)
    #expect(totp.step(of: "0" + totp.code(at: step), at: now, window: window) == nil)
    #expect(totp.step(of: String(totp.code(at: step).dropLast()), at: now, window: window) == nil)
  }

  @Test func `steps begin with their first second`() {
    let totp = Self.totp("secret")
    #expect([0, 29, 30, 59, 60].map { totp.step(at: $0) } == [0, 0, 1, 1, 2])
    #expect([-1, -30, -31].map { totp.step(at: $0) } == [-1, -1, -2])
    #expect(Self.totp("secret", period: 60).step(at: 119) == 1)
  }

  @Test func `fresh secrets are 20 bytes that do not show`() {
    let secret = TOTP.freshSecret()
    #expect(secret.count == 20)
    #expect(secret != TOTP.freshSecret())
    let totp = TOTP(secret: secret)
    #expect("\(totp)".contains("[secret]"))
    #expect(!String(reflecting: totp).contains("\(secret.reveal())"))
  }

  @Test(
    .enabled(if: OracleCommand.oathtool.isInstalled, "oathtool is not installed"),
    arguments: [DigestFunction.sha1, .sha256, .sha512], [6, 7, 8])
  func `codes are those of oathtool`(algorithm: DigestFunction, digits: Int) throws {
    for period in [30, 60] {
      let secret = SecureRandom.bytes(Int.random(in: 1...70))
      let totp = TOTP(
        secret: SecretBytes(secret), algorithm: algorithm, digits: digits, period: period)
      let now = Int64.random(in: 0...4_000_000_000)
      let codes = try OracleCommand.oathtool.run([
        "--totp=\(algorithm.rawValue.lowercased())", "--digits", "\(digits)", "--time-step-size",
        "\(period)s", "--now", "@\(now)", "--window", "5", "--base32",
        Base32.encode(secret, padded: true),
      ])
      let step = totp.step(at: now)
      #expect(codes == (0...5).map { totp.code(at: step + $0) })
    }
  }
}
