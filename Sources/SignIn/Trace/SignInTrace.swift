internal import System
internal import HTTP
internal import IdentityToolkit
internal import Glibc
internal import Synchronization

/// Saves the pages of sign-ins in a folder for debugging, with secrets removed.
///
/// Each sign-in has its own subfolder, such as `001-microsoft.com`, with a file per page or screenshot and an
/// `index.json`. Write errors are reported once and otherwise ignored, so that a full disk fails no sign-in.
public final class SignInTrace: Sendable {
  /// The folder; created with the first page.
  let folder: String

  private let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  private let hasFailed = Mutex(false)

  /// Creates a trace in a folder, which need not exist yet.
  ///
  /// - Parameter warn: receives message and hint of the first write error.
  public init(
    folder: String, warn: (@Sendable (_ message: String, _ hint: String) -> Void)? = nil
  ) {
    self.folder = folder
    self.warn = warn
  }

  func begin(_ providerID: String) -> Run { Run(self, nil, providerID) }

  /// Returns what records the pages of one sign-in; nil when neither a folder nor the recorder wants them.
  static func begin(
    _ providerID: String, _ trace: SignInTrace?, _ recorder: PageRecorder?
  ) -> Run? {
    guard trace != nil || recorder?.wants(.failure) == true else { return nil }
    return Run(trace, recorder, providerID)
  }

  /// Saves files of one owner in a subfolder; returns the path of each, or nil for those not saved.
  ///
  /// - Parameter owner: What the subfolder is named after, such as a journey.
  public func save(
    _ files: [(name: String, ending: String, bytes: [UInt8])], of owner: String
  ) -> [String?] {
    let run = begin(owner)
    return files.map { run.file($0.ending, $0.bytes, named: $0.name) }
  }

  /// Reports the first write error.
  func failed(_ problem: SystemError) {
    let isFirst = hasFailed.withLock { failed in
      defer { failed = true }
      return !failed
    }
    guard isFirst else { return }
    warn?(
      "pages cannot be kept in \(folder): \(problem.message)",
      "free some disk space, or give --pages a folder that luath can write to")
  }
}

extension SignInTrace {
  final class Run: Sendable {
    private struct State {
      var folder: String?
      var entries: [JSON] = []
    }

    private let trace: SignInTrace?
    private let recorder: PageRecorder?
    private let providerID: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - trace: the folder; nil to save nothing.
    ///   - recorder: also receives the pages that it wants.
    init(_ trace: SignInTrace?, _ recorder: PageRecorder?, _ providerID: String) {
      self.trace = trace
      self.recorder = recorder
      self.providerID = providerID
    }

    /// Whether a page of this step is saved or recorded.
    func wants(_ step: String) -> Bool {
      trace != nil || recorder?.wants(Self.reason(step)) == true
    }

    private static func reason(_ step: String) -> PageEvidence.Reason {
      step == "failed" ? .failure : .step
    }

    /// Removes the secrets of the run from a text.
    func clean(_ text: String) -> String { recorder?.clean(text) ?? text }

    /// Saves a page and its picture and passes them to the recorder.
    ///
    /// Returns the path of the picture, or without one that of the page; nil if nothing was saved.
    @discardableResult
    func keep(
      _ picture: Result<[UInt8], PageError>? = nil, html: [UInt8], at url: WebURL, step: String,
      type: String?, status: Int? = nil, secrets: [Secret]
    ) -> String? {
      var evidence = PageEvidence(
        "\(providerID): \(step)", Self.reason(step), at: url, html: html, type: type,
        status: status, secrets: secrets)
      evidence.add(picture)
      evidence.pictureFile = evidence.picture.flatMap { self.picture(png: $0, at: url, step: step) }
      evidence.documentFile = page(
        html: html, at: url, step: step, type: type, status: status, secrets: secrets)
      if recorder?.wants(evidence.reason) == true { recorder?.took?(evidence) }
      return evidence.pictureFile ?? evidence.documentFile
    }

    /// Saves a page from the bytes of a response; returns the file's path, or nil if nothing was saved.
    ///
    /// - Parameters:
    ///   - type: its Content-Type. A body that is not HTML is listed in the index but not saved.
    ///   - secrets: entered values and values in URLs; they are removed in every encoding.
    @discardableResult
    func page(
      html: [UInt8], at url: WebURL, step: String, type: String? = nil, status: Int? = nil,
      secrets: [Secret] = []
    ) -> String? {
      let mask = PageMask(secrets + PageMask.secrets(in: url))
      let charset = type.flatMap { SignInPage.parameter("charset", of: $0) }
      guard SignInPage.isHTML(type),
        let document = HTMLDocument(parsing: html, charset: charset)
      else {
        add(nil, at: url, step: step, mask: mask, more: ["status": .of(status), "type": .of(type)])
        return nil
      }
      let title = document.all(["title"]).first.map { SignInPage.words(document.rawText(of: $0)) }
      return add(
        ("html", Array(clean(MaskedPage.html(of: document, mask: mask, for: .viewing)).utf8)),
        at: url, step: step, mask: mask,
        more: ["status": .of(status), "title": .of(title.map { clean(mask.text($0)) })])
    }

    /// Saves a screenshot, in which secrets are covered; returns the file's path.
    @discardableResult
    func picture(png: [UInt8], at url: WebURL, step: String) -> String? {
      add(("png", png), at: url, step: step, mask: PageMask(PageMask.secrets(in: url)), more: [:])
    }

    /// Saves a file that belongs to no page, without secrets.
    fileprivate func file(_ ending: String, _ bytes: [UInt8], named name: String) -> String? {
      add((ending, bytes), at: nil, step: name, mask: PageMask([]), more: [:])
    }

    @discardableResult
    private func add(
      _ file: (ending: String, bytes: [UInt8])?, at url: WebURL?, step: String, mask: PageMask,
      more: JSONObject
    ) -> String? {
      guard let trace else { return nil }
      return state.withLock { state in
        do throws(SystemError) {
          let folder: String
          if let known = state.folder {
            folder = known
          } else {
            folder = try Self.makeFolder(providerID, in: trace.folder)
            state.folder = folder
          }
          let number = padded(state.entries.count + 1, 2)
          let name = file.map { "\(number)-\(SignInTrace.plainName(step)).\($0.ending)" }
          var entry: JSONObject = [
            "time": .string(Timestamp.text(milliseconds: Timestamp.now)),
            "step": .string(mask.text(step)),
          ]
          if let url { entry["address"] = .string(mask.address("\(url.origin)\(url.path)")) }
          entry["file"] = name.map { .string($0) }
          for member in more.entries where member.value != .null {
            entry[member.key] = member.value
          }
          if let file, let name { try PrivateFile.write(file.bytes, to: "\(folder)/\(name)") }
          state.entries.append(.object(entry))
          let index: JSON = ["provider": .string(providerID), "pages": .array(state.entries)]
          try PrivateFile.write(
            index.encodedBytes(pretty: true) + [0x0A], to: "\(folder)/index.json")
          return name.map { "\(folder)/\($0)" }
        } catch {
          trace.failed(error)
          return nil
        }
      }
    }

    /// Creates a folder with the next free number, safe against other processes doing the same.
    private static func makeFolder(
      _ providerID: String, in folder: String
    ) throws(SystemError) -> String {
      try PrivateFile.makeFolder(folder)
      var number = highestNumber(in: folder)
      while true {
        number += 1
        let path = "\(folder)/\(padded(number, 3))-\(SignInTrace.plainName(providerID))"
        if try PrivateFile.makeNewFolder(path) { return path }
      }
    }

    private static func highestNumber(in folder: String) -> Int {
      guard let listing = opendir(folder) else { return 0 }
      defer { closedir(listing) }
      var highest = 0
      while let entry = readdir(listing) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if let number = Int(name.prefix { $0.isASCII && $0.isNumber }), number < 1_000_000 {
          highest = max(highest, number)
        }
      }
      return highest
    }
  }

  /// Returns a safe file name: no path separators, and plain ASCII only.
  public static func plainName(_ text: String) -> String {
    let bytes = text.utf8.prefix(60).map { byte -> UInt8 in
      let isPlain =
        byte.isLetterOrDigit
        || [0x2D, 0x2E, 0x5F].contains(byte)
      return isPlain ? byte : 0x5F
    }
    return bytes.isEmpty ? "page" : String(decoding: bytes, as: UTF8.self)
  }
}

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension JSON {
  fileprivate static func of(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
  fileprivate static func of(_ number: Int?) -> JSON { number.map { .integer(Int64($0)) } ?? .null }
}
