import Glibc
import Journal

extension SQLiteJournal {
  /// The journal that belongs to a plan's path: beside it, with `.journal` in the place of `.ndjson`.
  public static func path(ofPlan plan: String) -> String {
    let ending = ".ndjson"
    return (plan.hasSuffix(ending) ? String(plan.dropLast(ending.count)) : plan) + ".journal"
  }

  /// Opens a journal, or makes it and takes the plan's rows over.
  ///
  /// A journal that has its rows never reads them again. If the process died while they were taken over,
  /// nothing was begun yet and it starts anew. It throws `inUse` while another process has the file, and
  /// `usage` when the journal belongs to another plan or another key, or when there is none and no plan is
  /// given to make it from. Of a shard only its rows are claimed.
  public static func open(
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
      // It was made for its owner alone, and may have been copied since. What is beside it has its mode.
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
