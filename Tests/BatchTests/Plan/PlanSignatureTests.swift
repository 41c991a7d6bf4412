@testable import Host
import OIDC
@testable import System
import Testing

@testable import Batch

/// Signatures of plans; `batch-sign.session` checks the commands, and the signatures with `openssl`.
@Suite(.timeLimit(.minutes(1))) struct PlanSignatureTests {
  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIOfkZjvbQM+hknSCi4DBQKrGCaVWjDEiuSjZtbPvNH67
    -----END PRIVATE KEY-----
    """
  private static let publicKey = """
    -----BEGIN PUBLIC KEY-----
    MCowBQYDK2VwAyEAgGNHqY8TJ4yF64VAZ5tX98eCyxCxAEnG/tSwNG2SBhg=
    -----END PUBLIC KEY-----
    """

  private let scratch: Scratch
  private let console: Console
  private let plan: String

  init() throws {
    scratch = try Scratch()
    var console = Console.live()
    console.folder = scratch.path("")
    self.console = console
    plan = scratch.path("p.ndjson")
    let writer = try PlanWriter(path: plan, header: PlanFileTests.header)
    for row in PlanFileTests.rows { try writer.add(row) }
    let checked = try writer.finish()
    let key = try SignatureKey.privateKey(Secret(Self.key))
    let user = BatchSession.User(name: "ada", host: "pc")
    try PlanSignatureFile.add(
      PlanSignature(checked.digest, by: user, with: key), toPlan: plan, console)
  }

  private func required() throws -> RequiredSignature {
    let file = try scratch.write("ada.pub", Self.publicKey)
    let command = CommandDescription(
      name: "x", summary: "", operands: "", options: [RequiredSignature.option], examples: [])
    let arguments = try ParsedArguments(["--require-signature", file], command)
    return try #require(try RequiredSignature(arguments, console))
  }

  private func check(_ required: RequiredSignature) throws -> PlanSignature {
    try required.check(
      PlanSignatureFile.read(ofPlan: plan, console),
      of: PlanReader(path: plan).check().digest, plan)
  }

  @Test func `a plan with any other byte is refused, and so is a signature with another statement`()
    throws
  {
    let required = try required()
    #expect(try check(required).signer == "ada")
    let bytes = try scratch.read(plan)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1
      try scratch.write("p.ndjson", changed)
      #expect(throws: BatchProblem.self, "byte \(index)") { try check(required) }
    }
    try scratch.write("p.ndjson", bytes)
    let file = PlanSignatureFile.path(ofPlan: plan)
    let signature = try scratch.read(file)
    let statement = try #require(signature.firstIndex(of: 0x0A))
    for index in 0...statement {
      var changed = signature
      changed[index] ^= 1
      try scratch.write("p.ndjson.sig", changed)
      #expect(throws: BatchProblem.self, "byte \(index)") { try check(required) }
    }
    for length in signature.indices {
      try scratch.write("p.ndjson.sig", signature[..<length])
      #expect(throws: BatchProblem.self, "\(length) bytes") { try check(required) }
    }
  }

  @Test func `a plan that changes between its check and its reading is not loaded`() throws {
    // More than a reader has in memory.
    let writer = try PlanWriter(path: plan, header: PlanFileTests.header)
    for number in 1...20_000 {
      try writer.add(
        PlannedRow(
          number: Int64(number), line: 1, key: "\(number)", input: ["uid": "ada", "sub": "m-1"],
          decision: .skip))
    }
    _ = try writer.finish()
    let reader = try PlanReader(path: plan)
    _ = try reader.check()
    var lines = try scratch.text(plan).split(separator: "\n")
    lines.remove(at: 19_999)
    let changed = try scratch.write("changed.ndjson", lines.joined(separator: "\n") + "\n")
    _ = try PlanReader.seal(path: changed)
    // In place, as the reader has the file open.
    try scratch.write("p.ndjson", try scratch.read(changed))
    let problem = #expect(throws: BatchProblem.self) {
      while try reader.next() != nil {}
    }
    #expect(problem?.message.contains("was changed while it was read") == true)
  }

  @Test func `a session of a journal keeps the signature`() throws {
    let signature = try check(required())
    let session = BatchSession.now(
      ScratchJournal.run, reason: nil, signature: signature, environment: [:], arguments: ["luath"])
    let read = BatchSession(json: session.json, run: session.run, at: session.at)
    #expect(read == session)
    #expect(read?.text.contains("plan signed by ada on pc at ") == true)
  }

  @Test func `errors about keys show nothing of them`() {
    for text in [Self.key, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", "AAAA"] {
      let error = #expect(throws: JOSEError.self) { try SignatureKey.publicKeys(text) }
      #expect(error?.description.contains("AAAA") == false)
      #expect(error?.description.contains("MC4CAQ") == false)
    }
    let error = #expect(throws: JOSEError.self) {
      try SignatureKey.privateKey(Secret(Self.key.replacing("MC4CAQ", with: "MC4CBQ")))
    }
    #expect(error?.description.contains("MC4C") == false)
  }
}
