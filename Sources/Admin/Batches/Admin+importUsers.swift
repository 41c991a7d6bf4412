import Encoding
import IdentityToolkit

/// How accounts are imported.
public struct ImportOptions: Sendable {
  /// How the passwords were hashed; nil when no row has a hash.
  public var hash: PasswordHashKind?
  /// Whether a row takes the place of an account with its uid, with all that the account had.
  public var allowsOverwrite = false
  /// Whether the backend refuses addresses and identities that other accounts have.
  public var checksSanity = true

  /// The defaults: no hashes, nothing overwritten, everything checked.
  public init() {}
}

extension Admin {
  /// Imports any number of accounts, a thousand a request.
  ///
  /// Each row is an account, or why it cannot be one.
  public func importUsers(
    _ rows: [Result<ImportRow, AdminError>], _ options: ImportOptions = ImportOptions()
  ) async throws(AdminError) -> BatchResult {
    let accounts = rows.map { try? $0.get() }
    var batch = Batch(count: rows.count, errors: "error", uid: { accounts[$0]?.uid }) { part in
      Self.request(part.compactMap { accounts[$0] }, options)
    }
    batch.culprits = { error, part in
      switch error.serverName {
      case "DUPLICATE_EMAIL":
        Self.repetitions(part, "an earlier row has the same email") {
          accounts[$0]?.body["email"]?.string.map { [ExactString($0.lowercased())] } ?? []
        }
      case "DUPLICATE_RAW_ID":
        Self.repetitions(part, "an earlier row has the same identity at a provider") {
          (accounts[$0]?.body["providerUserInfo"]?.array ?? []).map {
            ExactString("\($0["providerId"]?.string ?? "") \($0["rawId"]?.string ?? "")")
          }
        }
      default: []
      }
    }
    var positions: [Int] = []
    var seen: Set<ExactString> = []
    for (index, row) in rows.enumerated() {
      switch row {
      case .failure(let error): batch.refuse(index, error.message)
      case .success(let row):
        if let problem = problem(of: row, options.hash) {
          batch.refuse(index, problem)
        } else if !seen.insert(ExactString(row.uid)).inserted, !options.allowsOverwrite {
          batch.refuse(index, "an earlier row has the same uid")
        } else {
          positions.append(index)
        }
      }
    }
    return try await batch.send(positions, over: self)
  }

  private static func request(_ rows: [ImportRow], _ options: ImportOptions) -> AdminRequest {
    var body: JSONObject = [
      "users": .array(rows.map { .object($0.body) }),
      "allowOverwrite": .bool(options.allowsOverwrite),
      "sanityCheck": .bool(options.checksSanity),
    ]
    if let hash = options.hash, rows.contains(where: { $0.hash != nil }) {
      for (name, value) in hash.wire.entries { body[name] = value }
    }
    return AdminRequest("accounts:batchCreate", body)
  }

  /// The rows with a key that a row before them has.
  private static func repetitions(
    _ part: ArraySlice<Int>, _ message: String, _ keys: (Int) -> [ExactString]
  ) -> [(Int, String)] {
    var seen: Set<ExactString> = []
    return part.compactMap { index in
      let keys = keys(index)
      defer { seen.formUnion(keys) }
      return seen.isDisjoint(with: keys) ? nil : (index, message)
    }
  }

  private func problem(of row: ImportRow, _ kind: PasswordHashKind?) -> String? {
    if row.hasPassword, row.hash == nil, !target.isEmulated {
      return "passwordHash comes from an emulator, and is no hash"
    }
    guard let hash = row.hash else { return nil }
    guard let kind else {
      return "the row has a passwordHash, and the option hash does not say how it was made"
    }
    return kind.problem(of: hash)
  }
}
