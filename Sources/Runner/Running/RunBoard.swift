import Encoding
import Synchronization

/// What the files of a run share: values by name, each with one file at a time.
///
/// Fixtures of the run and the pool of accounts are kept here, as every file has a state of its own.
final class RunBoard: Sendable {
  private struct Entry {
    var value: JSON?
    var holder: ObjectIdentifier?
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Takes a name for a holder, unless another has it; with the value that was put there last.
  func claim(_ name: String, for holder: AnyObject) -> (isHeld: Bool, value: JSON?) {
    let id = ObjectIdentifier(holder)
    return entries.withLock { entries in
      let entry = entries[name] ?? Entry()
      guard entry.holder == nil || entry.holder == id else { return (false, nil) }
      entries[name] = Entry(value: entry.value, holder: id)
      return (true, entry.value)
    }
  }

  /// Puts a value there, nil for none, and lets the next have the name; does nothing for who has not
  /// claimed it.
  func release(_ name: String, _ value: JSON?, of holder: AnyObject) {
    let id = ObjectIdentifier(holder)
    entries.withLock { entries in
      guard entries[name]?.holder == id else { return }
      entries[name] = Entry(value: value, holder: nil)
    }
  }

  /// Lets the others have what a holder had claimed when it was stopped; the values stay.
  func letGo(of holder: AnyObject) {
    let id = ObjectIdentifier(holder)
    entries.withLock { entries in
      for (name, entry) in entries where entry.holder == id { entries[name]?.holder = nil }
    }
  }
}
