import Glibc
import Host
import OIDC
import System

/// An approver's signature of a plan.
///
/// The file beside the plan has two lines for each: a statement in JSON, and the signature of this line, with its line
/// feed, in base 64. So `openssl pkeyutl` can check it.
struct PlanSignature: Sendable, Equatable {
  /// The signed line, without its line feed.
  let statement: String
  private let signature: [UInt8]
  /// SHA-256 of all bytes of the plan, in hexadecimal.
  let digest: String
  /// The fingerprint of the key.
  let key: String
  /// The user who signed, and the machine.
  let signer: String
  let host: String
  /// The time of the signature.
  let at: String

  private static let version: Int64 = 1

  /// Signs the plan with this digest.
  init(_ digest: String, by user: BatchSession.User, with key: SignatureKey) throws(JOSEError) {
    self.digest = digest
    self.key = key.fingerprint
    signer = user.name
    host = user.host
    at = Timestamp.text(milliseconds: Timestamp.now)
    statement =
      JSON.object([
        "luath": "signature", "version": .integer(Self.version), "sha256": .string(digest),
        "key": .string(self.key), "signer": .string(signer), "host": .string(host),
        "at": .string(at),
      ]).encoded()
    signature = try key.sign(Self.bytes(statement))
  }

  /// Reads a statement and its signature; nil if they are none.
  init?(statement: String, signature: String) {
    guard let json = try? JSON.parse(Array(statement.utf8)), json["luath"] == "signature",
      json["version"]?.integer == Self.version, let digest = json["sha256"]?.string,
      let key = json["key"]?.string, let signer = json["signer"]?.string,
      let host = json["host"]?.string, let at = json["at"]?.string,
      let bytes = Base64.decodeAnyAlphabet(signature)
    else { return nil }
    self.statement = statement
    self.signature = bytes
    (self.digest, self.key, self.signer, self.host, self.at) = (digest, key, signer, host, at)
  }

  private static func bytes(_ statement: String) -> [UInt8] { Array("\(statement)\n".utf8) }

  func isValid(by key: SignatureKey) -> Bool {
    key.hasSigned(Self.bytes(statement), signature)
  }

  /// `ada on build-7 at 2026-11-26T18:00:00Z with the key 0123456789abcdef`.
  var text: String {
    "\(signer.printable) on \(host.printable) at \(at.printable) with the key "
      + key.prefix(16).description.printable
  }

  fileprivate var lines: String { "\(statement)\n\(Base64.encode(signature))\n" }
}

extension PlanSignature {
  /// Reads a signature from a session of a journal.
  init?(json: JSON) {
    guard let statement = json["statement"]?.string, let signature = json["signature"]?.string
    else { return nil }
    self.init(statement: statement, signature: signature)
  }

  var json: JSON {
    [
      "signer": .string(signer), "host": .string(host), "at": .string(at), "key": .string(key),
      "statement": .string(statement), "signature": .string(Base64.encode(signature)),
    ]
  }
}

/// The file with the signatures of a plan, which is beside it.
enum PlanSignatureFile {
  private static let limit = 1 << 20

  static func path(ofPlan path: String) -> String { "\(path).sig" }

  /// The signatures of a plan; empty if there is no file.
  static func read(
    ofPlan plan: String, _ console: Console
  ) throws(BatchProblem) -> [PlanSignature] {
    let path = path(ofPlan: plan)
    let bytes: [UInt8]
    switch console.read(path, limit: limit) {
    case .success(let content): bytes = content
    case .failure(let error) where [ENOENT, ENOTDIR].contains(error.code): return []
    case .failure(let error):
      throw BatchProblem(
        .unavailable, "\(path.printable) cannot be read: \(error.message)",
        hint: "let the user who runs luath read it")
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    var signatures: [PlanSignature] = []
    // The last line feed ends the last line.
    for start in stride(from: 0, to: lines.count - 1, by: 2) {
      guard start + 2 < lines.count,
        let signature = PlanSignature(
          statement: String(lines[start]), signature: String(lines[start + 1]))
      else {
        throw BatchProblem(
          .notLoaded, "line \(start + 1) of \(path.printable) begins no signature",
          hint: "put the file back as luath batch seal --sign wrote it, or remove it and sign again"
        )
      }
      signatures.append(signature)
    }
    guard !signatures.isEmpty, lines.last == "" else {
      throw BatchProblem(
        .notLoaded, "\(path.printable) is empty or truncated",
        hint: "put the file back as luath batch seal --sign wrote it, or remove it and sign again")
    }
    return signatures
  }

  /// Adds a signature, and drops those of the same key and those of an earlier plan.
  static func add(
    _ signature: PlanSignature, toPlan plan: String, _ console: Console
  ) throws(BatchProblem) {
    let earlier = try read(ofPlan: plan, console).filter {
      $0.digest == signature.digest && $0.key != signature.key
    }
    let file = try OutputFile(path: console.whole(path(ofPlan: plan)))
    for signature in earlier + [signature] { try file.write(Array(signature.lines.utf8)) }
    try file.finish()
  }
}

/// The public keys of `--require-signature`, one of which must have signed the plan.
struct RequiredSignature: Sendable {
  static let option = Option(
    "require-signature", "FILE",
    "run only a plan that one of the public keys in this PEM file has signed",
    default: "no signature is needed", isRepeatable: true)

  private static let mostBytes = 1 << 20

  private let keys: [SignatureKey]
  /// The files, as the user wrote them.
  private let names: String

  /// Reads the keys; nil without the option.
  init?(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    let files = arguments.lists["require-signature"] ?? []
    guard !files.isEmpty else { return nil }
    var keys: [SignatureKey] = []
    for file in files {
      let text: [UInt8]
      switch console.read(file, limit: Self.mostBytes) {
      case .success(let content): text = content
      case .failure(let problem):
        throw UsageError(
          "--require-signature: \(file.printable) cannot be read: \(problem.words)",
          hint: "name a file with the public key of an approver, in PEM")
      }
      do throws(JOSEError) {
        keys += try SignatureKey.publicKeys(String(decoding: text, as: UTF8.self))
      } catch {
        throw UsageError(
          "--require-signature \(file.printable): \(error.message)", hint: error.hint)
      }
    }
    self.keys = keys
    names = files.map(\.printable).joined(separator: ", ")
  }

  /// The first of the signatures that an approver has made of this plan; throws if there is none.
  ///
  /// - Parameters:
  ///   - digest: SHA-256 of the plan's bytes.
  ///   - plan: The plan as the user wrote it.
  func check(
    _ signatures: [PlanSignature], of digest: String, _ plan: String
  ) throws(BatchProblem) -> PlanSignature {
    let name = plan.hasSuffix(".journal") ? "PLAN" : ShellWord.quoted(plan)
    let sign = "an approver reviews it and signs it: luath batch seal \(name) --sign KEY"
    guard !signatures.isEmpty else {
      throw BatchProblem(
        .notLoaded,
        "\(plan.printable) is not signed: there is no "
          + PlanSignatureFile.path(ofPlan: plan).printable, hint: sign)
    }
    let own = signatures.filter { signature in keys.contains { signature.isValid(by: $0) } }
    if let found = own.first(where: { $0.digest == digest }) { return found }
    guard own.isEmpty else {
      throw BatchProblem(
        .notLoaded,
        "\(plan.printable) was changed after it was signed, or the signature is of another plan: it is by "
          + own[0].text,
        hint: sign)
    }
    var others: [String] = []
    for text in signatures.map(\.text) where !others.contains(text) { others.append(text) }
    throw BatchProblem(
      .notLoaded,
      "\(plan.printable) has no valid signature by a key in \(names); unverified: "
        + others.joined(separator: "; "),
      hint: sign)
  }
}
