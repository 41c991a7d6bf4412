/// The members of a JSON object in the order they were first added.
///
/// Equality ignores the order. Lookup scans a small object and hashes in a large one.
public struct JSONObject: Sendable {
  /// A member.
  public typealias Entry = (key: String, value: JSON)

  /// Above this number of members, hashing is faster than scanning.
  static let scanLimit = 16

  /// The members in order.
  public private(set) var entries: [Entry]

  /// The index of each key in `entries`; nil while the object is small enough to scan.
  private var positions: [ExactString: Int]?

  /// Creates an empty object.
  public init() {
    entries = []
  }

  /// Creates an empty object with room for members.
  public init(capacity: Int) {
    entries = []
    entries.reserveCapacity(capacity)
  }

  /// Creates an object from members; the last of two equal keys wins.
  public init(_ members: some Sequence<(String, JSON)>) {
    self.init()
    entries.reserveCapacity(members.underestimatedCount)
    for (key, value) in members { set(key, value) }
  }

  /// Creates an object from unique keys and their values.
  public init(uniqueKeys keys: [String], values: [JSON]) {
    precondition(keys.count == values.count, "each key needs a value")
    entries = []
    entries.reserveCapacity(keys.count)
    for (key, value) in zip(keys, values) { entries.append((key, value)) }
    if entries.count > Self.scanLimit { indexEntries() }
  }

  /// The number of members.
  public var count: Int { entries.count }

  /// Whether there are no members.
  public var isEmpty: Bool { entries.isEmpty }

  /// The keys in order.
  public var keys: [String] { entries.map(\.key) }

  /// The value of a key; setting nil removes the member, setting `JSON.null` keeps it.
  public subscript(key: String) -> JSON? {
    get {
      guard let position = position(of: key) else { return nil }
      return entries[position].value
    }
    set {
      if let newValue { set(key, newValue) } else { remove(key) }
    }
  }

  mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
  }

  mutating func set(_ key: String, _ value: JSON) {
    if let position = position(of: key) {
      entries[position].value = value
      return
    }
    append(key, value)
  }

  /// Appends a member; its key must be new.
  mutating func append(_ key: String, _ value: JSON) {
    entries.append((key, value))
    if positions != nil {
      positions?[ExactString(key)] = entries.count - 1
    } else if entries.count > Self.scanLimit {
      indexEntries()
    }
  }

  private mutating func remove(_ key: String) {
    guard let position = position(of: key) else { return }
    entries.remove(at: position)
    guard positions != nil else { return }
    if position == entries.count {
      positions?[ExactString(key)] = nil
    } else {
      indexEntries()
    }
  }

  private func position(of key: String) -> Int? {
    if let positions { return positions[ExactString(key)] }
    // A closure would copy the values as well.
    let length = key.utf8.count
    for position in entries.indices {
      let other = entries[position].key
      if other.utf8.count == length, sameBytes(other, key) { return position }
    }
    return nil
  }

  private mutating func indexEntries() {
    var fresh: [ExactString: Int] = [:]
    guard entries.count > Self.scanLimit else {
      positions = nil
      return
    }
    fresh.reserveCapacity(entries.count * 2)
    for (position, entry) in entries.enumerated() { fresh[ExactString(entry.key)] = position }
    positions = fresh
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from members; the last of two equal keys wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements)
  }
}

extension JSONObject: Equatable {
  /// Whether both have equal members, in any order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    return left.entries.allSatisfy { right[$0.key] == $0.value }
  }
}
