import Client
import System
import Glibc
import HTTP
import IdentityToolkit

/// Looks up accounts in a file of `firebase auth:export` or `admin:exportUsers`, in constant memory.
// Sendable, because it is immutable after `init`.
final class ExportedAccounts: AccountSource, @unchecked Sendable {
  /// The JSON text of an account, and its offset in the file.
  private typealias Element = (offset: Int64, bytes: [UInt8])

  /// How many accounts a task parses at once, while the main task finds account boundaries.
  private static let chunkSize = 1000
  private static let mostChunks = 4

  private let path: String
  private let descriptor: Int32
  private let index: NumberIndex<Int64>
  let count: Int
  /// Reads accounts in parallel with the planner's thread.
  private let loop: EventLoop

  private init(
    _ path: String, _ descriptor: Int32, _ index: consuming NumberIndex<Int64>, _ count: Int,
    _ loop: EventLoop
  ) {
    self.path = path
    self.descriptor = descriptor
    self.index = index
    self.count = count
    self.loop = loop
  }

  deinit {
    loop.stop()
    close(descriptor)
  }

  /// Reads the file once and builds the index.
  static func open(path: String) async throws(BatchProblem) -> ExportedAccounts {
    guard let file = fopen(path, "rbe") else { throw problem(path, SystemError(errno).message) }
    let descriptor = dup(fileno(file))
    do {
      var count = 0
      let index = try await read(UserArray(file), counting: &count)
      let loop = try EventLoop(name: "accounts")
      try loop.start()
      return ExportedAccounts(path, descriptor, index, count, loop)
    } catch {
      close(descriptor)
      switch error {
      case let fault as UserArray.Fault: throw problem(path, fault.words)
      case let fault as Unreadable:
        throw problem(path, "account \(fault.number) cannot be read")
      case let fault as SystemError:
        throw BatchProblem(
          .unavailable, "an index of \(path.printableName) cannot be written: \(fault.message)",
          hint: "set TMPDIR to a folder with free space: about 64 bytes for each account")
      case let error as HTTPError:
        throw BatchProblem(error)
      default: throw problem(path, "\(error)")
      }
    }
  }

  private static func read(
    _ list: consuming UserArray, counting count: inout Int
  ) async throws -> NumberIndex<Int64> {
    var index = try NumberIndex<Int64>()
    // Await the tasks in order, so that the first invalid account is the one reported.
    var reading: [Task<[(UInt64, Int64)], any Error>] = []
    var isAtEnd = false
    while true {
      while !isAtEnd, reading.count < mostChunks {
        var chunk: [Element] = []
        while chunk.count < chunkSize, let element = try list.next() { chunk.append(element) }
        isAtEnd = chunk.count < chunkSize
        let before = count
        count += chunk.count
        reading.append(Task.detached { [chunk] in try places(in: chunk, after: before) })
      }
      guard !reading.isEmpty else { break }
      for (number, offset) in try await reading.removeFirst().value {
        try index.add(number, offset)
      }
    }
    try index.flush()
    return index
  }

  /// The index entries of each account: hashes of its identifiers, with its offset.
  private static func places(
    in chunk: [Element], after count: Int
  ) throws -> [(UInt64, Int64)] {
    var places: [(UInt64, Int64)] = []
    for (position, (offset, bytes)) in chunk.enumerated() {
      guard let user = try? user(bytes) else { throw Unreadable(number: count + position + 1) }
      for key in Set(user.identifiers.map { AccountKey($0).number }) {
        places.append((key, offset))
      }
    }
    return places
  }

  private static func problem(_ path: String, _ words: String) -> BatchProblem {
    BatchProblem(
      .unavailable, "the accounts in \(path.printableName) cannot be used: \(words)",
      hint: "pass a complete file that firebase auth:export or admin:exportUsers wrote as JSON")
  }

  private struct Unreadable: Error {
    var number = 0
  }

  private static func user(_ bytes: [UInt8]) throws -> UserRecord {
    try UserRecord(exported: try JSON.parse(bytes))
  }

  func find(_ identifiers: [UserIdentifier]) async throws(AdminError) -> [[UserRecord]] {
    try await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<[[UserRecord]], AdminError>, Never>) in
      loop.perform {
        continuation.resume(
          returning: Result { () throws(AdminError) in try self.search(identifiers) })
      }
    }.get()
  }

  private func search(_ identifiers: [UserIdentifier]) throws(AdminError) -> [[UserRecord]] {
    var found: [[UserRecord]] = []
    for identifier in identifiers {
      let key = AccountKey(identifier)
      var users: [UserRecord] = []
      do {
        for offset in index.values(of: key.number) {
          let user = try Self.user(account(at: offset))
          // Different keys may have the same hash.
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

  var findsAllByEmail: Bool { true }

  /// True, because an export does not contain this setting and most projects have it so.
  func oneAccountPerEmail() async throws(AdminError) -> Bool { true }

  /// The JSON text of the account at an offset of the file.
  private func account(at offset: Int64) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var scan = ElementEnd()
    while true {
      let start = off_t(offset) + off_t(bytes.count)
      let piece = [UInt8](unsafeUninitializedCapacity: bytes.isEmpty ? 1024 : 1 << 16) {
        $1 = max(0, pread(descriptor, $0.baseAddress, $0.count, start))
      }
      guard !piece.isEmpty else { throw Unreadable() }
      if let end = scan.end(in: piece[...]) { return bytes + piece[..<end] }
      bytes += piece
    }
  }
}

/// Finds the end of a JSON object.
struct ElementEnd {
  private var depth = 0
  private var isText = false
  private var isEscaped = false

  /// The index after the end, if the end is in this piece.
  mutating func end(in piece: ArraySlice<UInt8>) -> Int? {
    for (position, byte) in zip(piece.indices, piece) where takes(byte) { return position + 1 }
    return nil
  }

  /// Consumes a byte; returns whether the object ends with it.
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
    case .unreadable(let number): SystemError(number).message
    }
  }
}

extension String {
  fileprivate var printableName: String { PlanFaults.brief(self) }
}
