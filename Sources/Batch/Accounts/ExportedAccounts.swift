import Admin
import Encoding
import Glibc
import IdentityToolkit

/// Looks accounts up in a file that `firebase auth:export` or `admin:exportUsers` wrote, in memory that does not
/// grow with it.
final class ExportedAccounts: AccountSource {
  private let path: String
  private let descriptor: Int32
  private var index: OffsetIndex
  /// How many accounts there are.
  private(set) var count = 0

  /// Goes through the file once.
  init(path: String) throws(BatchProblem) {
    self.path = path
    guard let file = fopen(path, "rbe") else { throw Self.problem(path, SystemFault(errno).words) }
    descriptor = dup(fileno(file))
    do throws(SystemFault) {
      index = try OffsetIndex(folder: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
    } catch {
      fclose(file)
      close(descriptor)
      throw BatchProblem(
        .unavailable, "an index of \(path.printableName) cannot be written: \(error.words)",
        hint: "set TMPDIR to a folder with room, about 64 bytes for each account")
    }
    try read(UserArray(file))
  }

  deinit { close(descriptor) }

  private func read(_ list: consuming UserArray) throws(BatchProblem) {
    do {
      while let (offset, bytes) = try list.next() {
        count += 1
        let user = try Self.user(bytes)
        for key in Set(user.identifiers.map { AccountKey($0).number }) {
          try index.add(key, offset)
        }
      }
      try index.finish()
    } catch let fault as UserArray.Fault {
      throw Self.problem(path, fault.words)
    } catch let fault as SystemFault {
      throw BatchProblem(
        .unavailable, "an index of \(path.printableName) cannot be written: \(fault.words)",
        hint: "set TMPDIR to a folder with room, about 64 bytes for each account")
    } catch {
      throw Self.problem(path, "account \(count) cannot be read")
    }
  }

  private static func problem(_ path: String, _ words: String) -> BatchProblem {
    BatchProblem(
      .unavailable, "the accounts in \(path.printableName) cannot be used: \(words)",
      hint: "pass a complete file that firebase auth:export or admin:exportUsers wrote as JSON")
  }

  private struct Unreadable: Error {}

  private static func user(_ bytes: [UInt8]) throws -> UserRecord {
    try UserRecord(exported: try JSON.parse(bytes))
  }

  func find(_ identifiers: [UserIdentifier]) async throws(AdminError) -> [[UserRecord]] {
    var found: [[UserRecord]] = []
    for identifier in identifiers {
      let key = AccountKey(identifier)
      var users: [UserRecord] = []
      do {
        for offset in index.places(of: key.number) {
          let user = try Self.user(account(at: offset))
          // Another key may have the same number.
          if user.identifiers.contains(where: { AccountKey($0) == key }) { users.append(user) }
        }
      } catch {
        throw AdminError(
          .networkError, "the accounts in \(path.printableName) cannot be read any more",
          hint: "leave the file as it is while the plan is made")
      }
      found.append(users)
    }
    return found
  }

  /// The text of the account that begins at a place of the file.
  private func account(at offset: Int64) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    var scan = ElementEnd()
    while true {
      let size = pread(descriptor, &piece, piece.count, off_t(offset) + off_t(bytes.count))
      guard size > 0 else { throw Unreadable() }
      if let end = scan.end(in: piece[..<size]) { return bytes + piece[..<end] }
      bytes += piece[..<size]
    }
  }
}

/// Finds where an object of JSON ends.
struct ElementEnd {
  private var depth = 0
  private var isText = false
  private var isEscaped = false

  /// The place behind the end, if it is in this piece.
  mutating func end(in piece: ArraySlice<UInt8>) -> Int? {
    for (position, byte) in zip(piece.indices, piece) where takes(byte) { return position + 1 }
    return nil
  }

  /// Whether the object ends with this byte.
  mutating func takes(_ byte: UInt8) -> Bool {
    if isText {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isText = false
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""): isText = true
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      return depth == 0
    default: break
    }
    return false
  }
}

extension UserArray.Fault {
  fileprivate var words: String {
    switch self {
    case .notAnExport: "it is no JSON object with a list of users"
    case .truncated: "it ends in the middle"
    case .tooLarge: "an account in it has more than 4 MiB"
    case .unreadable(let number): SystemFault(number).words
    }
  }
}

extension String {
  /// A path as messages show it.
  fileprivate var printableName: String { PlanFaults.brief(self) }
}
