import System
import Glibc
import Storage

/// A journal in one SQLite file, which only one process at a time can open.
///
/// Only the owner can access the file, and it is locked while it is open. The lock ends with the process, so it never
/// has to be removed manually. Do not open the file in any other way meanwhile: closing it would release the lock
/// (fcntl_locking(2)).
final class SQLiteJournal: QueuedJournal {
  /// The header of the journal's plan.
  let header: PlanHeader
  let digest: String
  /// A warning that other users can read the file; nil when they cannot.
  let warning: String?
  let queue: JournalQueue<SQLiteTables>

  init(_ queue: JournalQueue<SQLiteTables>, _ meta: JournalMeta, warning: String?) {
    self.queue = queue
    self.warning = warning
    header = meta.header
    digest = meta.digest
  }

  /// Writes the recorded outcomes and closes the file.
  func close() async {
    await queue.close()
  }
}

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
  /// or key, or when it does not exist and no plan is given.
  static func open(
    path: String, key: JournalKey?, plan: JournalPlan?
  ) async throws(BatchProblem) -> SQLiteJournal {
    let name = "the journal \(FileName.shown(path))"
    if plan == nil, access(path, F_OK) != 0, errno == ENOENT {
      throw BatchProblem(
        .usage, "there is no journal \(FileName.shown(path))",
        hint: "begin the run with 'luath batch run PLAN --execute', or give the journal's path")
    }
    var status = stat()
    if stat(path, &status) == 0, status.st_size == 0, access("\(path)-wal", F_OK) != 0 {
      throw BatchProblem(
        .usage, "\(name) is an empty file, without a record of what was done",
        hint: "restore the journal; delete the file if the plan was never run")
    }
    let queue = try await JournalQueue { () throws(JournalError) in
      try SQLiteTables(path: path)
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
        hint: "give the plan: 'luath batch run PLAN --execute' starts again, as nothing was begun")
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

extension SQLiteJournal {
  /// The runs of a journal that a suspended process (SIGSTOP or Ctrl-Z) holds.
  ///
  /// Nil when no suspended process holds it: reading is safe only while nothing writes.
  ///
  /// - Throws: If the journal cannot be read.
  static func look(
    atStopped path: String
  ) throws(BatchProblem) -> [(run: BatchRun, tally: BatchTally)]? {
    guard let process = holder(of: path), isStopped(process) else { return nil }
    do throws(JournalError) {
      let tables = try SQLiteTables(lookingAt: path)
      defer { tables.close() }
      return try tables.runs().map { run throws(JournalError) in
        (run, try tables.tally(run.number))
      }
    } catch {
      throw BatchProblem(error)
    }
  }

  /// The process that holds a lock on a file; nil when there is none.
  private static func holder(of path: String) -> pid_t? {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    // Closing releases all locks of this process on the file, but it has none.
    defer { Glibc.close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK), lock.l_pid > 0
    else { return nil }
    return lock.l_pid
  }

  private static func isStopped(_ process: pid_t) -> Bool {
    guard let bytes = try? WholeFile.read("/proc/\(process)/stat") else { return false }
    // The state follows the name in parentheses, which may contain any character (proc(5)).
    let rest = String(decoding: bytes, as: UTF8.self).split(separator: ")").last ?? ""
    return rest.hasPrefix(" T") || rest.hasPrefix(" t")
  }
}
