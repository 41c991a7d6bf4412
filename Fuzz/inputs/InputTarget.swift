@testable import Batch
@testable import SignIn
@testable import System
import Glibc
@testable import HTTP
@testable import Storage
@testable import OIDC
@testable import Host

/// Arbitrary bytes, to the reader of each format that comes from outside.
///
/// The first byte of an input says which reader gets the rest. Whatever it refuses is right; it must not crash, hang,
/// or read what it wrote itself as something else.
enum InputTarget {
  /// Gives an input to its reader.
  static func feed(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let readers = [form, json, html, token, keys, rows, project, plan, state]
    readers[Int(first) % readers.count](Array(bytes.dropFirst()))
  }

  private static func form(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let fields = FormFields(parsing: text)
    let again = FormFields(parsing: fields.encoded)
    precondition(
      again.pairs.elementsEqual(fields.pairs) { $0 == $1 }, "a form is read back as another")
    _ = WebURL("http://127.0.0.1/" + text)
  }

  private static func json(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(String(decoding: bytes, as: UTF8.self)) else { return }
    precondition((try? JSON.parse(json.encoded())) == json, "JSON is read back as another")
  }

  private static func html(_ bytes: [UInt8]) {
    guard let url = WebURL("http://127.0.0.1/page") else { return }
    _ = try? SignInPage(
      HTTPResponse(status: 200, headers: ["Content-Type": "text/html"], body: bytes, url: url))
  }

  private static func token(_ bytes: [UInt8]) {
    _ = try? JWT(decoding: String(decoding: bytes, as: UTF8.self))
  }

  private static func keys(_ bytes: [UInt8]) {
    guard let json = try? JSON.parse(String(decoding: bytes, as: UTF8.self)) else { return }
    _ = try? KeySet(json: json)
  }

  private static func project(_ bytes: [UInt8]) {
    _ = try? ProjectScript.evaluate(bytes, name: "luath.lua")
  }

  // MARK: Files

  private static let folder = "/tmp/luath-fuzz-\(getpid())"

  private static func file(_ bytes: [UInt8]) -> String {
    mkdir(folder, 0o700)
    let path = folder + "/input"
    let descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    return path
  }

  private static func rows(_ bytes: [UInt8]) {
    guard let reader = try? RowInput(path: file(bytes)).open() else { return }
    while let row = try? reader.next() { _ = row }
  }

  private static func plan(_ bytes: [UInt8]) {
    let path = file(bytes)
    guard let reader = try? PlanReader(path: path) else { return }
    while let row = try? reader.next() { _ = row }
    _ = try? reader.check()
    _ = try? PlanReader.seal(path: path)
  }

  private static func state(_ bytes: [UInt8]) {
    try? StateFile(path: file(bytes)).forEach { _ in }
  }

  // MARK: First inputs

  /// Writes an input for each reader, to begin with.
  static func writeSeeds(to seeds: String) throws {
    let path = folder + "/state"
    mkdir(folder, 0o700)
    let made = try StateFile(path: path)
    made.put("accounts", key: "ada", value: Array("{}".utf8))
    try made.commit()
    let page = """
      <title>Sign in</title><h1>Ada</h1><form action="/next?a=b" method=post><input name=user value=a>
      <input type=password name=p><select name=s><option selected>1<option>2</select><button name=b>Go</button></form>
      """
    let token = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImEifQ.eyJzdWIiOiJhIiwiYXVkIjpbImIiXX0.AAAA"
    let key =
      #"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-256"}]}"#
    let plan = folder + "/plan"
    let writer = try PlanWriter(
      path: plan,
      header: PlanHeader(
        projectID: "acme", tenantID: nil, script: "a.lua", scriptDigest: "00", input: "rows.csv",
        columns: ["a"], made: "2026-01-31T12:00:00.000Z", sample: nil))
    try writer.add(PlannedRow(number: 1, line: 2, key: "1", input: ["a": "b"], decision: .skip))
    _ = try writer.finish()
    let texts = [
      "a=1&b=%20+&c", #"{"a":[1,1.5e3,"\u00e9",null,true]}"#, page, token, key,
      "uid;email\n1;\"a\"\"b\"\n", "return { targets = { a = { project = 'b' } } }",
    ]
    let inputs = texts.map { Array($0.utf8) } + [try bytes(of: plan), try bytes(of: path)]
    for (number, input) in inputs.enumerated() {
      let file = open("\(seeds)/\(number)", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
      let seed = [UInt8(number)] + input
      precondition(file >= 0 && write(file, seed, seed.count) == seed.count)
      close(file)
    }
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    var all = [UInt8](repeating: 0, count: 1 << 20)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    let count = read(file, &all, all.count)
    close(file)
    return Array(all.prefix(count))
  }
}
