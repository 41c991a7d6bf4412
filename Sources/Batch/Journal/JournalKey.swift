internal import System
import Glibc
import Storage
import OIDC

/// The key that encrypts the account data in a journal.
struct JournalKey: Sendable {
  /// A warning that other users can read the key file; nil if they cannot.
  let warning: String?
  let cipher: AES256GCM

  /// Creates a key; nil unless there are 32 bytes.
  init?(_ bytes: SecretBytes, warning: String? = nil) {
    guard bytes.count == AES256GCM.keyLength else { return nil }
    cipher = AES256GCM(key: bytes)
    self.warning = warning
  }

  /// Reads a key of 32 bytes from a file: as raw bytes, in base 64 or in hexadecimal.
  ///
  /// A pipe works too. Throws if the file does not exist or does not hold 32 bytes.
  static func read(_ path: String) throws(BatchProblem) -> JournalKey {
    let shown = FileName.shown(path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw BatchProblem(
        .usage, "the key file \(shown) cannot be read: \(String(cString: strerror(errno)))",
        hint: "give a file that holds 32 random bytes: \(recipe)")
    }
    defer { close(descriptor) }
    var status = stat()
    let isOpenToOthers =
      fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_mode & 0o077 != 0
    let content = content(of: descriptor)
    guard let bytes = parse(content),
      let key = JournalKey(
        SecretBytes(bytes),
        warning: isOpenToOthers
          ? "the key file \(shown) can be read by others" : nil)
    else {
      throw BatchProblem(
        .usage,
        "the key file \(shown) does not hold a key of 32 bytes (it has \(content.count) bytes)",
        hint: "write 32 bytes into it as they are, in base 64 or in hexadecimal: \(recipe)")
    }
    return key
  }

  private static let recipe = "(umask 077; openssl rand -base64 32 >KEYFILE)"

  /// The content of a file, up to a size that no key reaches.
  private static func content(of descriptor: Int32) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while content.count < 4096 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      content += buffer.prefix(count)
    }
    return content
  }

  /// The key in a file's content; nil if it is not 32 bytes long.
  static func parse(_ content: [UInt8]) -> [UInt8]? {
    let spaces: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
    let start = content.firstIndex { !spaces.contains($0) } ?? content.endIndex
    let end = content.lastIndex { !spaces.contains($0) } ?? start - 1
    if let text = String(validating: content[start..<max(start, end + 1)], as: UTF8.self) {
      let decoded = text.utf8.count == 64 ? Hex.decode(text) : Base64.decodeAnyAlphabet(text)
      if let decoded, decoded.count == AES256GCM.keyLength { return decoded }
      // 32 hexadecimal characters are only half a key; do not take their bytes as a raw key.
      if Hex.decode(text) != nil { return nil }
    }
    return content.count == AES256GCM.keyLength ? content : nil
  }
}
