import Glibc
import Host
import Storage
import System

/// The file beside a plan that names the shared journal of its run.
///
/// Without it, nothing beside the plan would show that the plan was run with `--queue`.
struct QueueMarker: Sendable {
  private static let version: Int64 = 1
  private static let limit = 1 << 16

  /// The address of the database, without password and parameters.
  private let address: String
  /// The name of the journal in the database.
  private let journal: String
  /// SHA-256 of the plan.
  let digest: String

  /// The marker of a run with a queue.
  ///
  /// - Throws: If the address is invalid.
  init(_ queue: Secret, digest: String) throws(BatchProblem) {
    let parsed: PostgresAddress
    do throws(QueueProblem) { parsed = try PostgresAddress(queue, .batch) } catch {
      throw BatchProblem(error)
    }
    address = parsed.withoutPassword
    journal = parsed.name
    self.digest = digest
  }

  private init?(json: JSON) {
    guard json["luath"] == "queue", json["version"]?.integer == Self.version,
      let address = json["queue"]?.string, let journal = json["journal"]?.string,
      let digest = json["plan"]?.string
    else { return nil }
    (self.address, self.journal, self.digest) = (address, journal, digest)
  }

  private var json: JSON {
    [
      "luath": "queue", "version": .integer(Self.version), "queue": .string(address),
      "journal": .string(journal), "plan": .string(digest),
    ]
  }

  /// The value of `--queue` that continues the run; a password is not included.
  var url: String { "\(address)#\(journal)" }

  /// Whether both name the same journal; users may differ.
  func isSame(as other: QueueMarker) -> Bool { place == other.place }

  private var place: String {
    let rest = url.split(separator: "://", maxSplits: 1).last ?? ""
    return String(rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest)
  }

  static func path(ofPlan plan: String) -> String { "\(plan).queue" }

  /// The marker of a plan; nil if the plan was not run with a queue.
  static func read(ofPlan plan: String, _ console: Console) throws(BatchProblem) -> QueueMarker? {
    let path = path(ofPlan: plan)
    let bytes: [UInt8]
    switch console.read(path, limit: limit) {
    case .success(let content): bytes = content
    case .failure(let error) where [ENOENT, ENOTDIR].contains(error.code): return nil
    case .failure(let error):
      throw BatchProblem(
        .unavailable, "\(path.printable) cannot be read: \(error.message)",
        hint: "let the user who runs luath read it")
    }
    guard let json = try? JSON.parse(bytes), let marker = QueueMarker(json: json) else {
      throw BatchProblem(
        .notLoaded, "\(path.printable) does not name the queue that the plan was run with",
        hint:
          "put the file back as luath batch run --queue wrote it, or remove it if the plan was never run"
      )
    }
    return marker
  }

  /// Writes the marker, unless it is there; several processes may do this at once.
  func write(ofPlan plan: String, _ console: Console) throws(BatchProblem) {
    if let found = try? Self.read(ofPlan: plan, console), found.digest == digest,
      found.isSame(as: self)
    {
      return
    }
    let file = try OutputFile(path: console.whole(Self.path(ofPlan: plan)))
    try file.write(json.encodedBytes() + [0x0A])
    try file.finish()
  }
}
