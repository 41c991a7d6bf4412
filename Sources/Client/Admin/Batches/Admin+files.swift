import System
import IdentityToolkit

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
