import Glibc
import Host
import OIDC
import SignIn
import System

/// `luath batch seal`: recomputes the checksum of an edited plan, or signs a finished one.
enum BatchSealCommand {
  static let command = Command(description, run)

  private static let description = CommandDescription(
    name: "batch seal",
    summary: "Recomputes the checksum of a plan you edited; with --sign, signs a finished plan.",
    operands: "PLAN",
    options: [
      Option(
        "sign", "KEY",
        "sign the plan with this private key (PEM, Ed25519 or ECDSA P-256), and write PLAN.sig",
        default: "the plan is not signed")
    ],
    examples: [
      "luath batch seal rows.plan.ndjson", "luath batch seal rows.plan.ndjson --sign approver.pem",
    ],
    exits: [
      .ok: "the file was written", .notLoaded: BatchSubject.unloadable,
      .unavailable: BatchSubject.unavailable,
    ])

  /// The variable with the passphrase of an encrypted key.
  static let variable = "LUATH_KEY_PASSPHRASE"

  @Sendable private static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard let plan = arguments.operands.first, !plan.isEmpty, arguments.operands.count == 1
    else { throw UsageError("luath batch seal takes a plan: luath batch seal PLAN") }
    let keyFile = arguments.values["sign"]
    if keyFile == "" { throw UsageError("--sign needs a file with a private key") }
    return await BatchSubject.report(console) { () async throws(BatchProblem) in
      guard let keyFile else {
        let counts = try PlanReader.seal(path: console.whole(plan)).counts
        console.writeOutput(words(plan, counts))
        return .success(.code(.ok))
      }
      let key = try key(keyFile, console)
      let checked = try PlanReader(path: console.whole(plan)).check()
      let signature = try signing(keyFile) { () throws(JOSEError) in
        try PlanSignature(checked.digest, by: .current(console.environment), with: key)
      }
      try PlanSignatureFile.add(signature, toPlan: plan, console)
      let file = PlanSignatureFile.path(ofPlan: plan)
      console.writeOutput(
        words(plan, checked.counts) + "\(file.printable): signed by \(signature.text)\n"
          + "next: luath batch run \(ShellWord.quoted(plan)) --require-signature PUBLIC_KEY_FILE\n")
      return .success(.code(.ok))
    }
  }

  private static func words(_ plan: String, _ counts: PlanCounts) -> String {
    "\(plan.printable): \(counts.run) to run, \(counts.skip) to skip, \(counts.refused) refused\n"
  }

  private static func signing<Value>(
    _ file: String, _ body: () throws(JOSEError) -> Value
  ) throws(BatchProblem) -> Value {
    do throws(JOSEError) { return try body() } catch {
      throw BatchProblem(
        .usage, "\(file.printable) cannot sign: \(error.message)", hint: error.hint)
    }
  }

  /// Reads the private key; asks for its passphrase on a terminal if the environment does not have it.
  private static func key(_ file: String, _ console: Console) throws(BatchProblem) -> SignatureKey {
    let content: Secret
    switch console.read(file, limit: 1 << 20) {
    case .success(let bytes): content = Secret(String(decoding: bytes, as: UTF8.self))
    case .failure(let problem):
      throw BatchProblem(
        .usage, "the key \(file.printable) cannot be read: \(problem.words)",
        hint: SignatureKey.recipe)
    }
    var status = stat()
    if stat(console.whole(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_mode & 0o077 != 0
    {
      console.warn(
        "the key file \(file.printable) can be read by others", hint: BatchSubject.privacy)
    }
    var passphrase: SignatureKey.Passphrase?
    if SignatureKey.isEncrypted(content) {
      if let words = console.environment[variable] {
        passphrase = .known(Secret(words))
      } else if console.terminal?.isInteractive == true {
        passphrase = .asked
      } else {
        throw BatchProblem(
          .usage, "the key \(file.printable) is encrypted",
          hint: "set \(variable) to its passphrase, or sign on a terminal")
      }
    }
    return try signing(file) { () throws(JOSEError) in
      try SignatureKey.privateKey(content, passphrase: passphrase)
    }
  }
}
