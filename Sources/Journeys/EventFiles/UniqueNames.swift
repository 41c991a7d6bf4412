/// Makes names unique: a repeated name gets a number.
struct UniqueNames {
  private var taken: Set<String> = []

  mutating func take(_ name: String) -> String {
    var unique = name
    var number = 2
    while !taken.insert(unique).inserted {
      unique = "\(name) #\(number)"
      number += 1
    }
    return unique
  }
}
