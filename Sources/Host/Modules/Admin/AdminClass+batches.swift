import Client
import System
import IdentityToolkit
import Lua

extension AdminClass {
  private static let outcome =
    "a table: successCount, failureCount, and errors, each with index, uid and message"

  static func batch(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "deleteUsers", "Deletes any number of accounts, a thousand a request.",
      [
        LuaParameter("uids", .list(.string)),
        LuaParameter(
          "options",
          .options([
            LuaParameter("force", .boolean, optional: true, "false spares accounts not disabled")
          ]), optional: true),
      ], returns: outcome
    ) { [unowned interpreter] call throws(LuaError) in
      let uids = call.strings(2)
      guard uids.count == call.length(2) else {
        throw .message("bad argument #1 to 'deleteUsers' (the list of strings has a hole)")
      }
      let isForced = flag(call, 3, "force") ?? true
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.deleteUsers(uids, force: isForced))]
      }
    }
    declareImport(&methods, interpreter)
    methods.wait(
      "exportUsers", "Writes all accounts to a file in the format of firebase auth:export.",
      [
        LuaParameter("path", .string, "only its owner can read the file"),
        LuaParameter(
          "options",
          .options([LuaParameter("pageSize", .integer, optional: true, "1 to 1000")]),
          optional: true),
      ], returns: "a table: count, and passwordHashCount, the number of accounts with a hash"
    ) { [unowned interpreter] call throws(LuaError) in
      let (path, size) = (call.string(2) ?? "", AdminListClass.pageSize(call, 3) ?? 1000)
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        let result = try await admin.exportUsers(to: path, pageSize: size)
        return [
          .record([
            ("count", .integer(Int64(result.count))),
            ("passwordHashCount", .integer(Int64(result.passwordHashCount))),
          ])
        ]
      }
    }
  }

  private static func declareImport(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "importUsers", "Imports any number of accounts with their passwords, a thousand a request.",
      [
        LuaParameter(
          "users", .either([.list(.table), .string]),
          "tables that describe accounts, or the path of a file of firebase auth:export"),
        LuaParameter(
          "options",
          .options([
            LuaParameter("hash", .table, optional: true, "the algorithm and its parameters"),
            LuaParameter("allowOverwrite", .boolean, optional: true, "false unless given"),
            LuaParameter("sanityCheck", .boolean, optional: true, "true unless given"),
          ]), optional: true),
      ], returns: outcome
    ) { [unowned interpreter] call throws(LuaError) in
      var options = ImportOptions()
      options.allowsOverwrite = flag(call, 3, "allowOverwrite") ?? options.allowsOverwrite
      options.checksSanity = flag(call, 3, "sanityCheck") ?? options.checksSanity
      if let json = try hash(call) {
        options.hash = try interpreter.adminChecked { () throws(AdminError) in
          try PasswordHashKind(json)
        }
      }
      let rows = try rows(call, interpreter)
      return interpreter.adminEffect(call) { [options] admin throws(AdminError) in
        if options.hash != nil { await warnOfHashes(admin.target, interpreter) }
        return [interpreter.value(try await admin.importUsers(rows, options))]
      }
    }
  }

  /// Warns that Firebase's emulator stores hashes and does not check passwords against them.
  private static func warnOfHashes(_ target: Target, _ interpreter: Interpreter) async {
    guard await interpreter.isFirebaseEmulator(target) else { return }
    interpreter.context.warn?(
      EmulatorFeature.importedPasswords.absence
        + ": the imported users cannot sign in with their passwords",
      EmulatorFeature.hint)
  }

  private static func rows(
    _ call: LuaCall, _ interpreter: Interpreter
  ) throws(LuaError) -> [Result<ImportRow, AdminError>] {
    if let path = call.string(2) {
      return try interpreter.adminChecked { () throws(AdminError) in try Admin.rows(ofFile: path) }
    }
    var rows: [Result<ImportRow, AdminError>] = []
    for position in 1...max(1, call.length(2)) where position <= call.length(2) {
      switch try row(call, 2, position) {
      case .failure(let error): rows.append(.failure(error))
      case .success(let json):
        do throws(AdminError) {
          rows.append(.success(try ImportRow(json)))
        } catch {
          rows.append(.failure(error))
        }
      }
    }
    return rows
  }

  private static func hash(_ call: LuaCall) throws(LuaError) -> JSON? {
    guard call.isTable(3) else { return nil }
    return try call.field(3, "hash") { call, at -> Result<JSON?, LuaError> in
      guard call.isTable(at) else { return .success(nil) }
      do throws(LuaError) {
        return .success(try JSONBridge.read(call, at))
      } catch {
        return .failure(error)
      }
    }.get()
  }

  private static func flag(_ call: LuaCall, _ index: Int, _ name: String) -> Bool? {
    guard call.isTable(index) else { return nil }
    return call.field(index, name) { $0.isNil($1) ? nil : $0.boolean($1) }
  }
}

extension Interpreter {
  func value(_ result: BatchResult) -> LuaValue { .record(fields(result)) }

  /// The result of a batch that was cut off; ranges are the first and last row, from 1.
  func value(_ batch: CutOffBatch) -> LuaValue {
    func range(_ rows: Range<Int>) -> LuaValue {
      rows.isEmpty
        ? .nil
        : .list([.integer(Int64(rows.lowerBound + 1)), .integer(Int64(rows.upperBound))])
    }
    return .record(
      fields(batch.result) + [
        ("uncertain", range(batch.uncertain)), ("notDone", range(batch.notDone)),
      ])
  }

  private func fields(_ result: BatchResult) -> [(String, LuaValue)] {
    [
      ("successCount", .integer(Int64(result.successCount))),
      ("failureCount", .integer(Int64(result.failureCount))),
      (
        "errors",
        JSONBridge.list(
          result.errors.map { error in
            .record([
              ("index", .integer(Int64(error.index + 1))), ("uid", .string(ifAny: error.uid)),
              ("message", .string(error.message.printable)),
            ])
          })
      ),
    ]
  }
}
