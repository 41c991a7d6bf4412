import OIDC
public import System

/// A self-contained HTML page: markup, style, script and data, with nothing to fetch.
///
/// Its content security policy names style and script by their hashes, so that nothing in the data
/// can run. It allows no address, so that opening a report sends no request.
struct HTMLPage {
  private let styles: [String]
  private let scripts: [String]
  /// Whether the page may send requests to the server that it comes from.
  private var mayAskServer = false

  private static let reportScripts = [
    "dom.js", "model.js", "timeline.js", "exchange.js", "evidence.js", "sequence.js", "failure.js",
    "list.js", "summary.js", "keyboard.js", "report.js",
  ]

  /// The page of test results; its data are `{"events": [...]}`.
  static let report = HTMLPage(
    styles: ["base.css", "report.css"], scripts: reportScripts + ["finished.js"])

  /// The page of the live view, which fetches the events from its server.
  static let live = HTMLPage(
    styles: ["base.css", "report.css", "live.css"],
    scripts: reportScripts + ["liverun.js", "controls.js", "live.js"], mayAskServer: true)

  /// The page of a load run; its data are `LoadReport.json`.
  static let load = HTMLPage(
    styles: ["base.css", "load.css"], scripts: ["dom.js", "plot.js", "load.js"])

  /// The page of `luath compare`; its data are the JSON of `ComparisonReport`.
  static let comparison = HTMLPage(
    styles: ["base.css", "load.css", "compare.css"], scripts: ["dom.js", "compare.js"])

  /// Returns the page before and after the data.
  func parts(title: String) -> (head: String, tail: String) {
    let style = styles.map(EmbeddedHTML.text).joined()
    let script = scripts.map(EmbeddedHTML.text).joined()
    let page = WebPage(
      title: title,
      head: """
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="Content-Security-Policy" content="\(Markup(raw: policy(style, script)))">
        <link rel="icon" href="data:,">

        """, style: style)
    return (
      head: page.opening + """
        <noscript><p class="noscript">This report draws itself with a script, which is in this file;
        nothing is fetched from elsewhere. Allow scripts for it, or read the run's JSON events.</p></noscript>
        <script type="application/json" id="data">
        """,
      tail: "</script>\n<script>\(script)</script>\(WebPage.closing)"
    )
  }

  /// Encodes JSON for the page's data element.
  ///
  /// There only `</script` and `<!--` are special (HTML, 4.12.1.3), so `<` is written as `\u003c`.
  static func data(_ json: JSON) -> String {
    let bytes = json.encodedBytes()
    guard bytes.contains(UInt8(ascii: "<")) else { return String(decoding: bytes, as: UTF8.self) }
    var spelled: [UInt8] = []
    spelled.reserveCapacity(bytes.count + 64)
    for byte in bytes {
      if byte == UInt8(ascii: "<") { spelled += "\\u003c".utf8 } else { spelled.append(byte) }
    }
    return String(decoding: spelled, as: UTF8.self)
  }

  private func policy(_ style: String, _ script: String) -> String {
    "default-src 'none'; img-src data:; style-src \(ContentPolicy.source(style)); "
      + "script-src \(ContentPolicy.source(script)); base-uri 'none'; form-action 'none'"
      + (mayAskServer ? "; connect-src 'self'" : "")
  }
}

/// The page of `luath compare`.
public enum ComparisonPage {
  /// Returns the page for a report, as one self-contained HTML file.
  public static func bytes(of report: JSON) -> [UInt8] {
    let (head, tail) = HTMLPage.comparison.parts(title: "luath compare")
    return Array(head.utf8) + Array(HTMLPage.data(report).utf8) + Array(tail.utf8)
  }
}

extension LoadReport {
  /// The report as one self-contained HTML file.
  var page: String {
    let (head, tail) = HTMLPage.load.parts(title: "luath load")
    return head + HTMLPage.data(json) + tail
  }
}

/// Writes the HTML report; events are appended as they arrive.
final class HTMLSink: EventSink {
  let wantsExchanges = true
  private let output: ReportOutput
  private var tail = ""
  private var hasEvents = false

  init(_ output: ReportOutput) { self.output = output }

  func take(_ event: RunEvent) {
    if case .runStart(let start) = event.kind {
      let (head, tail) = HTMLPage.report.parts(title: "luath test: \(start.target.name)")
      self.tail = tail
      output.write(head + "{\"events\":[")
    }
    output.write((hasEvents ? ",\n" : "\n") + HTMLPage.data(event.json))
    hasEvents = true
    if case .runEnd = event.kind { output.write("\n]}" + tail) }
  }

  func end() throws(SinkError) { try output.close() }
}
