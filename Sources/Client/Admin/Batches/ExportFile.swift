import IdentityToolkit
import System

/// Writes accounts in the format of `firebase auth:export`, to a file only its owner can read.
///
/// The file appears under its name only when it is complete.
struct ExportFile {
  private let file: AtomicFile
  private var isFirst = true

  /// Opens a temporary file in the folder of the final one.
  init(path: String) throws(FileFault) {
    try FileFault.check(path: path)
    do throws(SystemError) { file = try AtomicFile(path) } catch {
      throw FileFault(errno: error.code, "written")
    }
    try write("{\"users\": [\n")
  }

  mutating func add(_ account: JSON) throws(FileFault) {
    try write((isFirst ? "" : ",\n") + account.encoded())
    isFirst = false
  }

  /// Completes the file and gives it its name.
  func finish() throws(FileFault) {
    try write("\n]}\n")
    do throws(SystemError) { try file.finish() } catch {
      throw FileFault(errno: error.code, "written")
    }
  }

  /// Removes the incomplete file.
  func abandon() { file.abandon() }

  private func write(_ text: String) throws(FileFault) {
    do throws(SystemError) { try file.write(Array(text.utf8)) } catch {
      throw FileFault(errno: error.code, "written")
    }
  }
}

/// Converts accounts to and from the format of `firebase auth:export` and `firebase auth:import`.
enum ExportedUser {
  /// The names in the file and in the API.
  private static let fields = [
    ("localId", "localId"), ("email", "email"), ("emailVerified", "emailVerified"),
    ("passwordHash", "passwordHash"), ("salt", "salt"), ("displayName", "displayName"),
    ("photoUrl", "photoUrl"), ("lastSignedInAt", "lastLoginAt"), ("createdAt", "createdAt"),
    ("phoneNumber", "phoneNumber"), ("disabled", "disabled"),
    ("customAttributes", "customAttributes"), ("mfaInfo", "mfaInfo"),
    ("providerUserInfo", "providerUserInfo"),
  ]

  private static let ofProviders = ["providerId", "rawId", "email", "displayName", "photoUrl"]

  /// What the API returns instead of a hash that the administrator may not see.
  static let redacted = "UkVEQUNURUQ="

  /// Returns the file's entry for an account in the API's JSON.
  static func entry(_ user: JSON) -> JSON {
    var entry = JSONObject()
    for (name, wire) in fields {
      guard let value = user[wire] else { continue }
      switch wire {
      case "passwordHash", "salt":
        if let text = value.string, text != redacted { entry[name] = .string(standard(text)) }
      case "providerUserInfo":
        let identities = (value.array ?? []).filter {
          !["password", "phone"].contains($0["providerId"]?.string)
        }
        entry[name] = .array(
          identities.map { identity in
            .object(
              JSONObject(ofProviders.compactMap { key in identity[key].map { (key, $0) } }))
          })
      default: entry[name] = value
      }
    }
    return .object(entry)
  }

  /// Files use the Base64 alphabet of RFC 4648 section 4, the API that of section 5.
  private static func standard(_ text: String) -> String {
    Base64.decodeAnyAlphabet(text).map(Base64.encode) ?? text
  }

  /// Checks the type: one wrong value would make the backend reject all rows of a request.
  private static func check(
    _ value: JSON, _ reader: RecordReader, _ name: String
  ) throws(AdminError) {
    switch name {
    case "emailVerified", "disabled": _ = try reader.boolIfAny(name)
    case "createdAt", "lastSignedInAt":
      guard value.wholeNumber != nil else {
        throw reader.fault(name, "must be milliseconds since 1970")
      }
    case "providerUserInfo", "mfaInfo":
      for item in try reader.listIfAny(name) ?? [] where item.object == nil {
        throw reader.fault(name, "must be a list of objects")
      }
    default: _ = try reader.textIfAny(name)
    }
  }

  /// Parses an entry of a file.
  static func row(_ entry: JSON) throws(AdminError) -> ImportRow {
    let names = fields.map(\.0)
    let reader = try RecordReader(entry, names: names)
    let uid = try reader.text("localId")
    try Admin.check(uid: uid)
    var body: JSONObject = ["localId": .string(uid)]
    for (name, wire) in fields where name != "localId" {
      guard let value = reader.value(name), value != .string("") else { continue }
      try check(value, reader, name)
      body[wire] = value
    }
    if let text = body["customAttributes"] {
      guard let claims = text.string.flatMap({ try? JSON.parse($0) }) else {
        throw reader.fault("customAttributes", "is not JSON")
      }
      body["customAttributes"] = .string(try CustomClaims.text(claims))
    }
    return try ImportRow(uid: uid, body)
  }
}

/// The result of an export.
public struct ExportResult: Sendable {
  /// The number of exported accounts.
  public internal(set) var count = 0
  /// The number of accounts exported with a password hash, which not every administrator may see.
  public internal(set) var passwordHashCount = 0
}

extension Admin {
  /// The maximum size of an import file.
  private static let mostBytes = 1 << 30

  /// Writes all accounts to a file in the format of `firebase auth:export`.
  ///
  /// Only the owner can read the file. It appears when it is complete.
  public func exportUsers(
    to path: String, pageSize: Int64 = 1000
  ) async throws(AdminError) -> ExportResult {
    let list = try listWireUsers(pageSize: pageSize)
    var file: ExportFile
    do {
      file = try ExportFile(path: path)
    } catch {
      throw Self.fault(path, error)
    }
    var result = ExportResult()
    do throws(AdminError) {
      while let user = try await list.next() {
        let entry = ExportedUser.entry(user)
        try Self.onFile(path) { () throws(FileFault) in try file.add(entry) }
        result.count += 1
        if entry["passwordHash"] != nil { result.passwordHashCount += 1 }
      }
      try Self.onFile(path) { () throws(FileFault) in try file.finish() }
    } catch {
      file.abandon()
      throw error
    }
    return result
  }

  /// Reads the rows of a file in the format of `firebase auth:export`.
  public static func rows(
    ofFile path: String
  ) throws(AdminError) -> [Result<ImportRow, AdminError>] {
    var bytes: [UInt8] = []
    try onFile(path) { () throws(FileFault) in
      bytes = try contents(ofFile: path, atMost: mostBytes)
    }
    guard let users = (try? JSON.parse(bytes))?["users"]?.array else {
      throw AdminError(
        .invalidArgument, "the file \(path) is no JSON object with a list of users",
        hint: "pass a file that admin:exportUsers or firebase auth:export wrote, complete")
    }
    return users.map { user in
      do throws(AdminError) {
        return .success(try ExportedUser.row(user))
      } catch {
        return .failure(error)
      }
    }
  }

  private static func onFile(
    _ path: String, _ work: () throws(FileFault) -> Void
  ) throws(AdminError) {
    do throws(FileFault) {
      try work()
    } catch {
      throw fault(path, error)
    }
  }

  private static func fault(_ path: String, _ fault: FileFault) -> AdminError {
    AdminError(
      .invalidArgument, "the file \(path) \(fault.problem)",
      hint: "check the path, and what this user may do there")
  }
}
