/// The radio buttons of a form by their names, each group to be looked through once.
struct RadioGroups {
  private let slots: [String: [Int]]
  private var seen: Set<[String]> = []

  init(_ form: PageForm) {
    let radios = form.controls.indices.filter { form.controls[$0].kind == .radio }
    slots = Dictionary(grouping: radios) { form.controls[$0].name }
  }

  /// The group of a name, when it is asked for with this answer for the first time.
  mutating func next(_ name: String, answeredBy answer: String?) -> [Int]? {
    guard seen.insert([name] + (answer.map { [$0] } ?? [])).inserted else { return nil }
    return slots[name]
  }
}
