import Glibc
import OIDC
import Storage
import System

/// Encodes journal values as bytes and decodes them, encrypted if there is a key, and with a checksum otherwise.
///
/// A value is bound to its row, step and column. So a writer without the key cannot swap the images of two accounts, and
/// without encryption, a medium that changes bits does not change what is done to an account.
struct JournalCodec: Sendable {
  /// The encrypted columns, by name.
  enum Column: String {
    case planned, change, before, fault, session
  }

  /// The text whose encryption identifies the key.
  private static let checkText = Array("luath batch journal".utf8)

  let key: JournalKey?

  /// Encodes a value of a row, or of one of its steps.
  func encode(_ json: JSON, _ column: Column, of row: RowKey, step: Int = 0) -> [UInt8] {
    var text = json.encodedBytes(room: Self.checksumLength + 1)
    if let key { return key.cipher.seal(text, bound: Self.place(column, row, step)) }
    let checksum = Self.checksum(text[...], column, row, step)
    text.append(Self.checksumMark)
    text += checksum
    return text
  }

  /// Decodes a value; nil if the bytes are not the ones written in this place.
  func decode(_ bytes: [UInt8], _ column: Column, of row: RowKey, step: Int = 0) -> JSON? {
    if let key {
      return key.cipher.open(bytes, bound: Self.place(column, row, step))
        .flatMap { try? JSON.parse($0) }
    }
    let text = bytes.dropLast(Self.checksumLength + 1)
    // Older versions wrote no checksum: then the text ends with a bracket.
    guard bytes.count > Self.checksumLength, bytes[text.endIndex] == Self.checksumMark else {
      return try? JSON.parse(bytes)
    }
    guard Self.checksum(text, column, row, step).elementsEqual(bytes[(text.endIndex + 1)...]) else {
      return nil
    }
    return text.withUnsafeBufferPointer { try? JSON.parse($0) }
  }

  /// The error of a row or step as it is stored beside its state: a code, and a message, encrypted if there is a key, with
  /// a checksum over all three.
  ///
  /// - Parameter state: The number of the row's state or the step's result, in the same record.
  func encode(
    _ fault: RowFailure?, with state: Int64, of row: RowKey, step: Int = 0
  ) -> (code: String, message: String) {
    let code = fault?.code ?? ""
    let message = encode(fault?.message ?? "", of: row, step: step)
    let checksum = Self.checksum(state, code, message, of: row, step: step)
    return (code, message + Self.stateMark + checksum)
  }

  /// The error of a row or step; nil if there is none.
  ///
  /// - Throws: If the state, the code and the message are not those written in this place.
  func decode(
    code: String, message stored: String, with state: Int64, of row: RowKey, step: Int = 0
  ) throws(Damage) -> RowFailure? {
    let text = stored.utf8.dropLast(Self.stateLength + 1)
    var message = stored
    // Older versions wrote no checksum.
    if stored.utf8.count > Self.stateLength,
      stored.utf8[text.endIndex] == Self.stateMark.utf8.first
    {
      message = String(stored[..<text.endIndex])
      let checksum = stored[stored.utf8.index(after: text.endIndex)...]
      guard checksum == Self.checksum(state, code, message, of: row, step: step) else {
        throw Damage()
      }
    }
    guard !code.isEmpty else { return nil }
    guard let clear = decode(message, of: row, step: step) else { throw Damage() }
    return RowFailure(code, clear)
  }

  /// A value that is not the one that was written.
  struct Damage: Error {}

  private static func checksum(
    _ state: Int64, _ code: String, _ message: String, of row: RowKey, step: Int
  ) -> String {
    var hash = StableHash()
    hash.add(number: row.value)
    hash.add(number: Int64(step))
    hash.add(number: state)
    hash.add(code)
    hash.add(message)
    return hash.text(stateLength)
  }

  /// The start of a checksum behind a message.
  private static let stateMark = "\u{2}"
  private static let stateLength = 8

  /// A message, encrypted if there is a key.
  func encode(_ message: String, of row: RowKey, step: Int) -> String {
    guard let key, !message.isEmpty else { return message }
    let place = Self.place(.fault, row, step)
    return Self.sealedMark + Base64.encode(key.cipher.seal(Array(message.utf8), bound: place))
  }

  /// A message; nil if the text is not the one written in this place.
  func decode(_ message: String, of row: RowKey, step: Int) -> String? {
    // Older versions encrypted no messages.
    guard let key, message.hasPrefix(Self.sealedMark) else { return message }
    return Base64.decodeAnyAlphabet(String(message.dropFirst(Self.sealedMark.count)))
      .flatMap { key.cipher.open($0, bound: Self.place(.fault, row, step)) }
      .flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The start of an encrypted message, which no message has.
  private static let sealedMark = "\u{1}"

  private static let checksumMark = UInt8(ascii: "#")
  private static let checksumLength = 16

  /// A hash of a value and its place, in hexadecimal.
  private static func checksum(
    _ text: ArraySlice<UInt8>, _ column: Column, _ row: RowKey, _ step: Int
  ) -> [UInt8] {
    var hash = StableHash()
    hash.add(number: row.value)
    hash.add(number: Int64(step))
    hash.add(column.rawValue)
    text.withUnsafeBufferPointer { hash.add($0) }
    return hash.digits
  }

  /// The value that a journal stores to identify its key; nil without a key.
  var check: [UInt8]? {
    key?.cipher.seal(Self.checkText, bound: Array("key".utf8))
  }

  /// Throws if the key is wrong, missing, or given for an unencrypted journal.
  func verify(_ check: [UInt8]?, journal: String) throws(BatchProblem) {
    switch (key, check) {
    case (nil, nil): return
    case (nil, _):
      throw BatchProblem(
        .usage, "\(journal) is encrypted", hint: "give its key: --journal-key FILE")
    case (_, nil):
      throw BatchProblem(
        .usage, "\(journal) is not encrypted, and a key was given",
        hint: "leave --journal-key out; a journal is encrypted from its beginning or not at all")
    case (let key?, let check?):
      guard key.cipher.open(check, bound: Array("key".utf8)) == Self.checkText else {
        throw BatchProblem(
          .usage, "the key is not the one that \(journal) was encrypted with",
          hint: "give the key of its first run: --journal-key FILE")
      }
    }
  }

  private static func place(_ column: Column, _ row: RowKey, _ step: Int) -> [UInt8] {
    Array("\(row.run)|\(row.number)|\(step)|\(column.rawValue)".utf8)
  }
}

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
        .usage, "the key file \(shown) cannot be read: \(SystemError(errno).message)",
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

/// A row of a run as one number, the primary key in the journal's tables.
///
/// Rows stored by this key are in row order without an additional index.
struct RowKey: Equatable {
  /// The row number takes the lower 40 bits, enough for a trillion rows.
  private static let bits = 40
  static let largestNumber: Int64 = 1 << bits - 1

  let value: Int64

  init(_ value: Int64) {
    self.value = value
  }

  init(run: Int64, number: Int64) {
    precondition((0...Self.largestNumber).contains(number), "a row's number is out of range")
    precondition((1..<1 << 23).contains(run), "a run's number is out of range")
    value = run << Self.bits | number
  }

  var run: Int64 { value >> Self.bits }
  var number: Int64 { value & Self.largestNumber }

  /// The key before a run's first row, and the largest possible key of the run.
  static func limits(of run: Int64) -> (before: RowKey, last: RowKey) {
    (RowKey(run: run, number: 0), RowKey(run: run, number: largestNumber))
  }
}
