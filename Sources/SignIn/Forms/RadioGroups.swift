/// The radio groups of a form, each to be processed once.
struct RadioGroups {
  private let slots: [String: [Int]]
  private var seen: Set<[String]> = []

  init(_ form: PageForm) {
    let radios = form.controls.indices.filter { form.controls[$0].kind == .radio }
    slots = Dictionary(grouping: radios) { form.controls[$0].name }
  }

  /// Returns a group on the first call with this name and answer.
  mutating func next(_ name: String, answeredBy answer: String?) -> [Int]? {
    guard seen.insert([name] + (answer.map { [$0] } ?? [])).inserted else { return nil }
    return slots[name]
  }
}
