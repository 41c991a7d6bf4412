internal import System

/// The test users in their order, with an index by e-mail address.
///
/// Addresses are compared without regard to the case of ASCII letters.
struct PeopleDirectory: Sendable {
  private(set) var people: [Person]
  private var positions: [ExactString: Int] = [:]

  /// When several users share an address, the index has the first.
  init(_ people: [Person]) {
    self.people = people
    for (position, person) in people.enumerated() where self[person.email] == nil {
      positions[Self.key(person.email)] = position
    }
  }

  subscript(address: String) -> Person? { positions[Self.key(address)].map { people[$0] } }

  /// Adds a user; returns false when the address is taken.
  mutating func add(_ person: Person) -> Bool {
    let key = Self.key(person.email)
    guard positions[key] == nil else { return false }
    positions[key] = people.count
    people.append(person)
    return true
  }

  /// Removes a user; returns false when no user has the address.
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
