import System
import Synchronization

/// Values shared by the files of a run, by name; each name is held by one file at a time.
///
/// Holds the run's fixtures and the pool of accounts, because every file has its own Lua state.
final class SharedRunState: Sendable {
  private struct Entry {
    var value: JSON?
    var holder: ObjectIdentifier?
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Claims a name unless another holder has it, and returns the value stored last.
  func claim(_ name: String, for holder: AnyObject) -> (isHeld: Bool, value: JSON?) {
    let id = ObjectIdentifier(holder)
    return entries.withLock { entries in
      let entry = entries[name] ?? Entry()
      guard entry.holder == nil || entry.holder == id else { return (false, nil) }
      entries[name] = Entry(value: entry.value, holder: id)
      return (true, entry.value)
    }
  }

  /// Stores a value (nil for none) and releases the name; does nothing if the caller does not hold it.
  func release(_ name: String, _ value: JSON?, of holder: AnyObject) {
    let id = ObjectIdentifier(holder)
    entries.withLock { entries in
      guard entries[name]?.holder == id else { return }
      entries[name] = Entry(value: value, holder: nil)
    }
  }

  /// Releases all names of a holder that was stopped; the values stay.
  func letGo(of holder: AnyObject) {
    let id = ObjectIdentifier(holder)
    entries.withLock { entries in
      for (name, entry) in entries where entry.holder == id { entries[name]?.holder = nil }
    }
  }
}
