public import System

extension BrowserState {
  /// The form of a file.
  public enum Form: String, CaseIterable, Sendable {
    /// Playwright's `storageState`, as JSON; records in IndexedDB need Playwright 1.51.
    case playwright
    /// A JavaScript expression that stores the records in a page.
    case script

    /// The ending of file names.
    public var fileExtension: String { self == .playwright ? "json" : "js" }
  }

  /// The text of a file.
  public func text(as form: Form) throws(Problem) -> String {
    switch form {
    case .playwright: try storageState().encoded(pretty: true) + "\n"
    case .script: script + "\n"
    }
  }

  /// Writes a file that only its owner can read, in one step; creates missing folders, for the owner only.
  public static func write(_ text: String, to path: String) throws(Problem) {
    do throws(SystemError) {
      if path.folder != "." { try PrivateFile.makeFolder(path.folder) }
      try PrivateFile.checkPlace(of: path)
      try PrivateFile.write(Array(text.utf8), to: path)
    } catch {
      throw Problem(
        "cannot write the browser state to \(path): \(error.message)",
        hint: "choose the path of a file in a folder that you can write")
    }
  }

  /// Playwright's `storageState`; throws for records in session storage, which it does not have.
  public func storageState() throws(Problem) -> JSON {
    if let entry = entries.first(where: { $0.persistence == .session }) {
      throw Problem(
        "Playwright's storage state has no session storage, where the record of \(entry.name) belongs",
        hint: "use the script instead, or another persistence")
    }
    return ["cookies": [], "origins": .array(origins.map(origin))]
  }

  private func origin(_ origin: String) -> JSON {
    func records(_ persistence: Persistence) -> [Entry] {
      entries.filter { $0.origin == origin && $0.persistence == persistence }
    }
    var state: JSONObject = ["origin": .string(origin)]
    state["localStorage"] = .array(
      records(.local).map { ["name": .string($0.key), "value": .string($0.record.reveal())] })
    let stored = records(.indexedDB)
    // Playwright before 1.51 does not know the member.
    guard !stored.isEmpty else { return .object(state) }
    let store: JSON = [
      "name": "firebaseLocalStorage", "keyPath": "fbase_key", "autoIncrement": false,
      "indexes": [],
      "records": .array(
        stored.map { ["value": ["fbase_key": .string($0.key), "value": $0.value]] }),
    ]
    state["indexedDB"] = [["name": "firebaseLocalStorageDb", "version": 1, "stores": [store]]]
    return .object(state)
  }

  /// A JavaScript expression that stores the records of the page's origin and removes older ones of the same apps.
  ///
  /// Its value is a promise, which is rejected on a page of another origin.
  public var script: String {
    let records = entries.map { entry -> JSON in
      [
        "origin": .string(entry.origin), "key": .string(entry.key),
        "persistence": .string(entry.persistence.rawValue), "value": entry.value,
      ]
    }
    // A page may have the script inline, where `</script>` in a name would end it.
    let text = JSON.array(records).encoded().replacing("<", with: "\\u003c")
    return "(\(Self.function))(\(text))"
  }

  private static let function = String(
    EmbeddedAssets.text("page/store-users.js").trimmingSuffix { $0.isNewline })
}

extension BrowserState.Entry {
  /// The record.
  fileprivate var value: JSON {
    guard let value = try? JSON.parse(Array(record.reveal().utf8)) else {
      preconditionFailure("the record was written as JSON")
    }
    return value
  }
}

extension String {
  /// The string without the characters at its end that fulfil a condition.
  fileprivate func trimmingSuffix(while condition: (Character) -> Bool) -> Substring {
    self[..<(lastIndex { !condition($0) }.map(index(after:)) ?? startIndex)]
  }
}
