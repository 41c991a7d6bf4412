@testable import System
import Glibc
@testable import OIDC
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct PlanFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  static let header = PlanHeader(
    projectID: "demo-a", tenantID: nil, script: "link.lua", scriptDigest: "ab", input: "rows.csv",
    columns: ["uid", "sub"], made: "2026-11-22T09:00:00Z", sample: nil)

  static let rows: [PlannedRow] = [
    PlannedRow(
      number: 1, line: 2, key: "ada", input: ["uid": "ada", "sub": "m-1"],
      decision: .run([
        .link(uid: "ada", identity: ["providerId": "microsoft.com", "rawId": "m-1"]),
        .update(uid: "ada", fields: ["disabled": false]),
      ]), reason: "same address"),
    PlannedRow(
      number: 2, line: 3, key: "2", input: ["uid": "bo", "sub": ""], decision: .skip,
      reason: "no \"sub\"\nat all"),
    PlannedRow(
      number: 3, line: 5, key: "", input: nil,
      decision: .refuse(RowFailure("malformedRow", "2 fields expected, and there are 3"))),
    PlannedRow(
      number: 9, line: 6, key: "\u{e4}\u{2028}", input: [:],
      decision: .run([.delete(uid: "x")])),
  ]

  @discardableResult
  private func write(_ name: String = "p.ndjson", rows: [PlannedRow] = rows) throws -> CheckedPlan {
    let writer = try PlanWriter(path: scratch.path(name), header: Self.header)
    for row in rows { try writer.add(row) }
    return try writer.finish()
  }

  private func refusal(_ name: String = "p.ndjson") throws -> BatchProblem {
    try #require(throws: BatchProblem.self) {
      let reader = try PlanReader(path: scratch.path(name))
      _ = try reader.check()
    }
  }

  private func lines() throws -> [Substring] {
    try scratch.text(scratch.path("p.ndjson")).split(
      separator: "\n", omittingEmptySubsequences: false)
  }

  @Test func `a plan is read as it was written`() throws {
    let written = try write()
    let reader = try PlanReader(path: scratch.path("p.ndjson"))
    #expect(reader.header.json == Self.header.json)
    #expect(try reader.check() == written)
    var read: [PlannedRow] = []
    while let row = try reader.next() { read.append(row) }
    #expect(read.map(\.json) == Self.rows.map(\.json))
    #expect(try reader.next() == nil)
    #expect(try reader.check() == written, "a plan is checked whenever it is asked for")
    let bytes = try scratch.read(scratch.path("p.ndjson"))
    #expect(written.digest == Hex.encode(Digest.sha256(bytes)))
    #expect(written.counts.operations == ["link": 1, "update": 1, "delete": 1])
  }

  @Test func `a plan has the lines that its page says`() throws {
    try write()
    let lines = try lines()
    #expect(
      lines[0]
        == #"{"luath":"plan","version":1,"project":"demo-a","script":"link.lua","scriptDigest":"ab","input":"rows.csv","columns":["uid","sub"],"made":"2026-11-22T09:00:00Z","split":"account"}"#
    )
    #expect(
      lines[1]
        == #"{"row":1,"line":2,"key":"ada","in":{"uid":"ada","sub":"m-1"},"do":[{"op":"link","uid":"ada","providerId":"microsoft.com","rawId":"m-1"},{"op":"update","uid":"ada","fields":{"disabled":false}}],"why":"same address"}"#
    )
    #expect(
      lines[3].hasSuffix(
        #""refused":{"code":"malformedRow","message":"2 fields expected, and there are 3"}}"#))
    #expect(
      lines[5].hasPrefix(
        #"{"end":true,"rows":4,"run":2,"skip":1,"refused":1,"ops":{"delete":1,"link":1,"update":1},"sha256":""#
      ))
    #expect(lines.count == 7)
  }

  @Test func `a plan is its owner's only, and is there when it is complete`() throws {
    do {
      let writer = try PlanWriter(path: scratch.path("p.ndjson"), header: Self.header)
      try writer.add(Self.rows[0])
      #expect(!scratch.names.contains("p.ndjson"))
      _ = try writer.finish()
    }
    #expect(scratch.names == ["p.ndjson"])
    var status = stat()
    #expect(stat(scratch.path("p.ndjson"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  /// Whether the file system knows files without a name.
  static let knowsUnnamedFiles: Bool = {
    let file = open("/tmp", O_WRONLY | AtomicFile.unnamed, 0o600)
    guard file >= 0 else { return false }
    close(file)
    return true
  }()

  @Test(.enabled(if: knowsUnnamedFiles))
  func `a plan whose making is killed leaves nothing behind`() async throws {
    let path = scratch.path("p.ndjson")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let writer = try PlanWriter(path: path, header: Self.header)
      try writer.add(Self.rows[0])
      kill(getpid(), SIGKILL)
    }
    #expect(scratch.names == [])
  }

  @Test func `a plan takes the place of one that is there`() throws {
    try scratch.write("p.ndjson", "old")
    _ = try PlanWriter(path: scratch.path("p.ndjson"), header: Self.header).finish()
    #expect(scratch.names == ["p.ndjson"])
    #expect(try scratch.text(scratch.path("p.ndjson")).hasPrefix("{\"luath\""))
  }

  @Test func `a plan that is given up leaves nothing behind`() throws {
    do {
      let writer = try PlanWriter(path: scratch.path("p.ndjson"), header: Self.header)
      try writer.add(Self.rows[0])
    }
    #expect(scratch.names == [])
  }

  @Test func `a plan that was cut off is refused wherever it ends`() throws {
    try write()
    let whole = try scratch.read(scratch.path("p.ndjson"))
    let path = scratch.path("p.ndjson")
    // Without the last line feed nothing is missing.
    try scratch.write("p.ndjson", whole.dropLast())
    #expect(throws: Never.self) { try PlanReader(path: path).check() }
    for length in 0..<(whole.count - 1) {
      try scratch.write("p.ndjson", whole[..<length])
      let problem = try refusal()
      #expect(problem.code == .notLoaded, "cut at \(length): \(problem.message)")
      #expect(problem.hint.contains("luath batch plan"))
    }
    try scratch.write(
      "p.ndjson", try scratch.text(path).split(separator: "\n")[..<3].joined(separator: "\n") + "\n"
    )
    #expect(try refusal().message == "\(path) has no last line: it was cut off behind row 2")
  }

  @Test func `a plan whose text was changed anywhere is refused`() throws {
    try write()
    let path = scratch.path("p.ndjson")
    let whole = try scratch.read(path)
    for position in stride(from: 0, to: whole.count - 1, by: 3) {
      var changed = whole
      changed[position] ^= 1
      try scratch.write("p.ndjson", changed)
      // The counts by operation are for people: the hash does not cover its own line.
      let isOwnLine = position > whole.dropLast().lastIndex(of: 0x0A) ?? 0
      if isOwnLine, (try? PlanReader(path: path).check()) != nil { continue }
      #expect(try refusal().code == .notLoaded, "changed at \(position)")
    }
  }

  @Test func `a reader finds out at the end if nobody checked before`() throws {
    try write()
    let path = scratch.path("p.ndjson")
    try scratch.write("p.ndjson", try scratch.text(path).replacing("m-1", with: "m-2"))
    let reader = try PlanReader(path: path)
    for _ in 0..<4 { #expect(try reader.next() != nil) }
    let problem = try #require(throws: BatchProblem.self) { try reader.next() }
    #expect(
      problem.message
        == "\(path) was changed after it was written: its text does not have the SHA-256 of its last line"
    )
    #expect(
      problem.hint
        == "plan again with 'luath batch plan'; if it was edited on purpose, seal it with "
        + "'luath batch seal \(path)'")
  }

  @Test func `an edited plan that is sealed is good again`() throws {
    try write()
    let path = scratch.path("p.ndjson")
    var lines = try lines()
    lines.remove(at: 2)
    lines[1] = Substring(lines[1].replacing("m-1", with: "m-2"))
    try scratch.write("p.ndjson", lines.joined(separator: "\n"))
    #expect(try refusal().message.contains("was changed after it was written"))
    let sealed = try PlanReader.seal(path: path)
    #expect(sealed.counts.rows == 3)
    #expect(try PlanReader(path: path).check() == sealed)
    #expect(try scratch.text(path).contains("m-2"))
    #expect(scratch.names == ["p.ndjson"])
    // Also one without a last line, whose owner says that this is what is meant.
    try scratch.write("p.ndjson", lines[..<2].joined(separator: "\n"))
    #expect(try PlanReader.seal(path: path).counts.rows == 1)
  }

  @Test func `a plan with a bad row is not sealed`() throws {
    try write()
    let path = scratch.path("p.ndjson")
    let good = try scratch.text(path)
    let bad = [
      (
        #""rawId":"m-1""#, #""rawID":"m-1""#,
        "link: there is no member 'rawID'; did you mean 'rawId'?"
      ),
      (#""rawId":"m-1""#, #""rawId":" m-1""#, "link: rawId begins with a blank"),
      (#""skip":true"#, #""skip":true,"do":[]"#, "it must have one of do, skip and refused"),
      (#""skip":true"#, #""skip":false"#, "skip must be true"),
      (
        #""skip":true"#, #""SKIP":true"#,
        "there is no member 'SKIP'; did you mean 'skip'?"
      ),
      (
        #""skip":true"#, #""do":[{"op":"luath:undo","row":1,"steps":[]}]"#,
        "luath:undo: only luath's own commands make this operation"
      ),
      (#"{"row":2"#, #"{"row":1"#, "row 1 stands behind row 1"),
      (#"{"row":2"#, #"{"row":2 2"#, "expected a comma or a closing brace (column 10)"),
    ]
    for (old, new, message) in bad {
      try scratch.write("p.ndjson", good.replacing(old, with: new))
      let problem = try #require(throws: BatchProblem.self) { try PlanReader.seal(path: path) }
      #expect(problem.message.hasSuffix(" of \(path) is no row of a plan: \(message)"))
      #expect(scratch.names == ["p.ndjson"])
    }
  }

  static let foreign: [(String, String, String)] = [
    ("", "is empty", "make a plan"),
    ("uid,sub\nada,1\n", "is no plan of luath", "name a file"),
    (#"{"luath":"events","version":1}"# + "\n", "is no plan of luath", "name a file"),
    ("SQLite format 3\u{0}and more", "is a journal, and no plan", "name a file"),
    (
      #"{"luath":"plan","version":2,"whatever":1}"# + "\n",
      "is a plan of version 2, and this luath reads 1", "the luath that made it"
    ),
    (
      #"{"luath":"plan"}"# + "\n", "is a plan of version no number, and this luath reads 1",
      "plan again"
    ),
  ]

  @Test(arguments: foreign) func `what is no plan of this version is refused`(
    text: String, message: String, hint: String
  ) throws {
    let path = try scratch.write("p.ndjson", text)
    let problem = try refusal()
    #expect(problem.message == "\(path) \(message)")
    #expect(problem.hint.contains(hint))
    #expect(problem.code == .notLoaded)
  }

  @Test func `a plan that is not there, or no file, is refused`() throws {
    let missing = try refusal("nowhere")
    #expect(missing.code == .usage)
    #expect(missing.message.hasSuffix("nowhere cannot be opened: No such file or directory"))
    let folder = try #require(throws: BatchProblem.self) { try PlanReader(path: scratch.folder) }
    #expect(folder.message.hasSuffix("is no file, and a plan is read twice"))
    let zero = try #require(throws: BatchProblem.self) { try PlanReader(path: "a\u{0}b") }
    #expect(zero.code == .usage)
  }

  @Test func `a full disk is told, and nothing is left behind`() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    let writer = try PlanWriter(
      OutputFile(descriptor: descriptor, name: "p.ndjson"), header: Self.header)
    for row in Self.rows { try writer.add(row) }
    let problem = try #require(throws: BatchProblem.self) { try writer.finish() }
    #expect(problem.code == .unavailable)
    #expect(problem.message == "p.ndjson cannot be written: No space left on device")
    #expect(problem.hint == "free some space and try again; nothing was left behind")
  }

  @Test func `a plan takes no other thing's place than that of a file`() throws {
    for path in ["/dev/null", scratch.folder] {
      let problem = try #require(throws: BatchProblem.self) {
        try PlanWriter(path: path, header: Self.header)
      }
      #expect(problem.message == "\(path) is no file")
    }
    let problem = try #require(throws: BatchProblem.self) {
      try PlanWriter(path: scratch.path("no/p.ndjson"), header: Self.header)
    }
    #expect(problem.hint == "make the folder first, or name another file")
    // A link stays one.
    try scratch.write("real", "")
    symlink(scratch.path("real"), scratch.path("link"))
    try write("link")
    #expect(throws: Never.self) { try PlanReader(path: scratch.path("real")).check() }
    #expect(scratch.names == ["link", "real"])
  }

  @Test func `a row may be as long as it has to`() throws {
    let long = String(repeating: "x\u{e4}\"\n", count: 600_000)
    let row = PlannedRow(
      number: 1, line: 2, key: "1", input: ["note": .string(long)], decision: .skip)
    let written = try write(rows: [row])
    let reader = try PlanReader(path: scratch.path("p.ndjson"))
    #expect(try reader.check() == written)
    #expect(try reader.next()?.input?["note"]?.string == long)
    #expect(try reader.next() == nil)
  }

  @Test func `a plan without rows is one`() throws {
    let written = try write(rows: [])
    let reader = try PlanReader(path: scratch.path("p.ndjson"))
    #expect(try reader.check() == written)
    #expect(try reader.next() == nil)
    #expect(written.counts == PlanCounts())
  }

  @Test func `a row without operations is one to skip`() throws {
    let row = PlannedRow(number: 1, line: 1, key: "1", input: nil, decision: .run([]))
    #expect(row.json["skip"] == true)
    #expect(try write(rows: [row]).counts.skip == 1)
  }

  @Test(.enabled(if: access("/usr/bin/python3", X_OK) == 0))
  func `Python reads a plan and finds the hash and the counts right`() throws {
    let script = try scratch.write(
      "script.py",
      """
      import hashlib, json, sys
      data = open(sys.argv[1], "rb").read()
      lines = data.decode("utf-8").split("\\n")[:-1]
      header, *rows, end = [json.loads(line) for line in lines]
      before = data[:data.rindex(b"\\n", 0, -1) + 1]
      assert header["luath"] == "plan" and header["version"] == 1
      assert end["sha256"] == hashlib.sha256(before).hexdigest()
      assert end["rows"] == len(rows) == 4
      assert [sum(kind in row for row in rows) for kind in ("do", "skip", "refused")] \\
          == [end["run"], end["skip"], end["refused"]]
      assert hashlib.sha256(data).hexdigest() == sys.argv[2]
      """)
    let written = try write()
    let path = scratch.path("p.ndjson")
    #expect(system("/usr/bin/python3 '\(script)' '\(path)' \(written.digest)") == 0)
  }
}
