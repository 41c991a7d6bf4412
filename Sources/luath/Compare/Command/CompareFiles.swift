import System
import Glibc
import Journeys
import Host

/// The output files of a comparison; opened before it starts, so that no requests are sent if they cannot be written.
struct CompareFiles {
  private let json: (file: AtomicFile, path: String)?
  private let html: (file: AtomicFile, path: String)?
  private let folder: String?
  private let console: Console

  init(_ options: CompareOptions, inputs: [String], _ console: Console) throws(CommandFailure) {
    try FileIdentity.requireDistinct(
      [options.json, options.html].compactMap { $0 }, inputs: inputs, console)
    self.console = console
    json = try Self.begin(options.json, console)
    html = try Self.begin(options.html, console)
    folder = options.record
    guard let folder else { return }
    try Self.make(folder, console)
    try requireOwn(folder)
  }

  /// Throws for a folder with files of others.
  private func requireOwn(_ folder: String) throws(CommandFailure) {
    let names = FolderListing.names(in: console.whole(folder))
    if names.isEmpty { return }
    if case .success(let bytes) = console.read("\(folder)/set.json"),
      let about = (try? JSON.parse(String(decoding: bytes, as: UTF8.self)))?["about"]?.string,
      about.hasSuffix(ComparisonReport.recordedMark)
    {
      return
    }
    throw CommandFailure(
      .usage,
      "cannot write \(folder.printable): the folder has files that are no recordings of luath compare",
      hint: "name a new folder")
  }

  private static func isFolder(_ path: String, _ console: Console) -> Bool {
    var facts = stat()
    return stat(console.whole(path), &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  private static func begin(
    _ path: String?, _ console: Console
  ) throws(CommandFailure) -> (AtomicFile, String)? {
    guard let path else { return nil }
    if isFolder(path, console) { throw failure(path, SystemError(EISDIR).message) }
    do throws(SystemError) {
      return (try AtomicFile(console.whole(path), mode: 0o644), path)
    } catch {
      throw failure(path, error.message)
    }
  }

  private static func failure(_ path: String, _ words: String) -> CommandFailure {
    CommandFailure(
      .usage, "cannot write \(path.printable): \(words.lowercased())", hint: "check the path")
  }

  private static func make(_ folder: String, _ console: Console) throws(CommandFailure) {
    guard mkdir(console.whole(folder), 0o755) != 0 else { return }
    let number = errno == EEXIST ? ENOTDIR : errno
    guard !isFolder(folder, console) else { return }
    throw failure(folder, SystemError(number).message)
  }

  /// Writes the report files and recordings.
  ///
  /// - Parameter rules: The emulator rules for replaying the recordings; nil when they are unknown.
  func write(
    _ report: ComparisonReport, began: String, rules: String?
  ) throws(CommandFailure) {
    var members: JSONObject = [
      "luath": .string(Version.current), "started": .string(began),
    ]
    for (name, value) in report.json.object?.entries ?? [] { members[name] = value }
    let data = JSON.object(members)
    try finish(json, data.encodedBytes(pretty: true) + [0x0A])
    try finish(html, ComparisonPage.bytes(of: data))
    guard let folder else { return }
    let set = report.recordedSet(rules: rules)
    try write("\(folder)/set.json", set.encodedBytes(pretty: true) + [0x0A])
    try write("\(folder)/project.lua", Array(ComparisonReport.recordedProject.utf8))
    for recording in report.recordings {
      try Self.make("\(folder)/\(recording.topic)", console)
      try write("\(folder)/\(recording.topic)/\(recording.file)", recording.bytes)
    }
  }

  private func write(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) {
      try AtomicFile.write(bytes, to: console.whole(path), mode: 0o644)
    } catch {
      throw Self.failure(path, error.message)
    }
  }

  private func finish(
    _ begun: (file: AtomicFile, path: String)?, _ bytes: [UInt8]
  ) throws(CommandFailure) {
    guard let begun else { return }
    do throws(SystemError) {
      try begun.file.write(bytes)
      try begun.file.finish()
    } catch {
      throw Self.failure(begun.path, error.message)
    }
  }
}
