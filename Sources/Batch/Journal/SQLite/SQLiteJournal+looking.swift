import Glibc
import Storage

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
    guard let file = fopen("/proc/\(process)/stat", "re") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    // The state follows the name in parentheses, which may contain any character (proc(5)).
    let rest = String(decoding: bytes, as: UTF8.self).split(separator: ")").last ?? ""
    return rest.hasPrefix(" T") || rest.hasPrefix(" t")
  }
}
