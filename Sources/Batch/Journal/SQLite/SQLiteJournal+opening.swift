import Glibc
import Storage

extension SQLiteJournal {
  /// The path of a plan's journal: the plan's path with `.journal` instead of `.ndjson`.
  static func path(ofPlan plan: String) -> String {
    let ending = ".ndjson"
    return (plan.hasSuffix(ending) ? String(plan.dropLast(ending.count)) : plan) + ".journal"
  }

  /// Opens a journal, or creates it and loads the plan's rows.
  ///
  /// The rows are loaded only once. If the process died while it loaded them, no step has begun and loading starts
  /// again. Throws `inUse` while another process has the file, and `usage` when the journal belongs to another plan
  /// or key, or when it does not exist and no plan is given. With a shard, only its rows are claimed.
  static func open(
    path: String, key: JournalKey?, plan: JournalPlan?, shard: BatchShard? = nil
  ) async throws(BatchProblem) -> SQLiteJournal {
    let name = "the journal \(FileName.shown(path))"
    if plan == nil, access(path, F_OK) != 0, errno == ENOENT {
      throw BatchProblem(
        .usage, "there is no journal \(FileName.shown(path))",
        hint: "begin the run with 'luath batch run PLAN --execute', or give the journal's path")
    }
    let queue = try await JournalQueue { () throws(JournalError) in
      let tables = try SQLiteTables(path: path)
      tables.shard = shard
      return tables
    } problem: {
      BatchProblem($0)
    }
    do throws(BatchProblem) {
      let meta = try await meta(of: queue, key: key, plan: plan, name: name)
      // The file was created private, but a copy may have lost that. Its side files have its mode.
      let isPrivate = ["", "-wal", "-shm"].map { PrivateMode.set(path + $0) }.allSatisfy(\.self)
      return SQLiteJournal(
        queue, meta, warning: isPrivate ? nil : "\(name) can be read by others, who see accounts")
    } catch {
      await queue.close()
      throw error
    }
  }

  private static func meta(
    of queue: JournalQueue<SQLiteTables>, key: JournalKey?, plan: JournalPlan?, name: String
  ) async throws(BatchProblem) -> JournalMeta {
    let codec = JournalCodec(key: key)
    let known = try await queue.perform { tables throws(JournalError) in try tables.meta() }
    if let known {
      try codec.verify(known.keyCheck, journal: name)
      try plan?.check(known.header, digest: known.digest, journal: name)
      try await queue.perform { tables throws(JournalError) in
        tables.codec = codec
        try tables.removeUnloaded()
      }
      return known
    }
    guard let plan else {
      throw BatchProblem(
        .usage, "\(name) has no rows yet: taking them over was interrupted",
        hint: "give the plan: 'luath batch run PLAN --execute' starts anew, as nothing was begun")
    }
    let meta = JournalMeta(header: plan.header, digest: plan.digest, keyCheck: codec.check)
    try await queue.perform { tables throws(JournalError) in
      tables.codec = codec
      try tables.begin(meta)
    }
    _ = try await queue.load(.run, of: nil, rows: plan.rows)
    return meta
  }
}
