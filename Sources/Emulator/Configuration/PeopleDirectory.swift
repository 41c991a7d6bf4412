internal import Encoding

/// People in the order they came, each found by address without a look at all the others.
///
/// Addresses that differ only in the case of ASCII letters are one.
struct PeopleDirectory: Sendable {
  private(set) var people: [Person]
  private var positions: [ExactString: Int] = [:]

  /// Of several people with one address the first is found.
  init(_ people: [Person]) {
    self.people = people
    for (position, person) in people.enumerated() where self[person.email] == nil {
      positions[Self.key(person.email)] = position
    }
  }

  subscript(address: String) -> Person? { positions[Self.key(address)].map { people[$0] } }

  /// Adds a person; false when somebody has the address.
  mutating func add(_ person: Person) -> Bool {
    let key = Self.key(person.email)
    guard positions[key] == nil else { return false }
    positions[key] = people.count
    people.append(person)
    return true
  }

  /// Takes a person out; false when nobody has the address.
  mutating func remove(_ address: String) -> Bool {
    guard let position = positions.removeValue(forKey: Self.key(address)) else { return false }
    people.remove(at: position)
    for later in position..<people.count { positions[Self.key(people[later].email)] = later }
    return true
  }

  private static func key(_ address: String) -> ExactString {
    ExactString(string: address.asciiLowercased)
  }
}
