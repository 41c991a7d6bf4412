import System
import Host

/// The report on a run as one self-contained HTML file: figures, plots over time and causes.
struct BatchPage: Sendable {
  /// The maximum number of time spans in a plot.
  private static let mostSpans = 120
  /// The smallest time unit, in milliseconds.
  private static let tick: Int64 = 100
  /// The maximum number of latencies kept per span.
  private static let mostSamples = 2000

  /// The steps that ended in one time span.
  struct Span {
    var results: [StepOutcome.Result: Int] = [:]
    /// The latencies in milliseconds.
    var latencies: [Double] = []
    var count: Int { results.values.reduce(0, +) }
  }

  let header: PlanHeader
  let summary: JournalSummary
  let runs: [BatchRun]
  /// The start of the first step and the end of the last one, in milliseconds since 1970.
  private(set) var start: Int64 = .max
  private(set) var end: Int64 = 0
  /// The length of a span, in milliseconds.
  private(set) var width: Int64 = 1000
  private(set) var spans: [Span] = []
  /// The total of the pauses between sessions, which the plots leave out, in milliseconds.
  private(set) var idle: Int64 = 0

  /// Reads a run and computes its plots.
  init(_ run: BatchRun, of journal: any BatchJournal) async throws(BatchProblem) {
    header = journal.header
    runs = try await journal.runs()
    summary = try await JournalSummary(run, of: journal)
    // First pass: rows are not in time order, and the span length depends on the whole time range.
    var pages = RowPages(journal, run, withSteps: true)
    var ticks: Set<Int64> = []
    while let page = try await pages.next() {
      for outcome in page.flatMap(\.steps).compactMap(\.outcome) {
        ticks.insert(outcome.at / Self.tick)
        start = min(start, outcome.at - outcome.microseconds / 1000)
        end = max(end, outcome.at)
      }
    }
    guard !ticks.isEmpty else { return }
    let clock = WorkingTime(ticks.sorted(), pause: 60_000 / Self.tick)
    idle = clock.idle * Self.tick
    width = (clock.length + Int64(Self.mostSpans) - 1) / Int64(Self.mostSpans) * Self.tick
    spans = Array(
      repeating: Span(), count: Int((clock.length * Self.tick + width - 1) / width))
    pages = RowPages(journal, run, withSteps: true)
    while let page = try await pages.next() {
      for outcome in page.flatMap(\.steps).compactMap(\.outcome) {
        let position = Int(clock.position(of: outcome.at / Self.tick) * Self.tick / width)
        guard spans.indices.contains(position) else { continue }
        spans[position].results[outcome.result, default: 0] += 1
        if outcome.attempts > 0, spans[position].latencies.count < Self.mostSamples {
          spans[position].latencies.append(Double(outcome.microseconds) / 1000)
        }
      }
    }
  }

  var bytes: [UInt8] { Array(html.utf8) }

  private var html: String {
    WebPage(
      title: "luath batch: \(header.script.printable)",
      head: """
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">

        """,
      // The part of the other reports' style (Sources/Journeys/HTML/base.css) that this page needs.
      style: EmbeddedAssets.text("batch.css")
    ).text(
      Markup(
        raw: """
          <header class="top"><span class="brand">luath <small>batch</small></span>
          <p class="facts">\(facts)</p></header>
          <main>
          <h1>\(Self.escaped(summary.run.title)) of \(Self.escaped(header.script))</h1>
          <section class="tiles" aria-label="Rows">\(tiles)</section>
          \(plots)
          \(causes("Why rows are half done", summary.halves))
          \(causes("Why rows failed", summary.failures))
          \(causes("Why the plan refused rows", summary.refusals))
          \(runList)
          </main>
          """))
  }

  private var facts: String {
    var facts = [("project", header.projectID)]
    if let tenant = header.tenantID { facts.append(("tenant", tenant)) }
    facts += [("input", header.input), ("planned", header.made)]
    if !spans.isEmpty {
      facts.append(("began", Timestamp.text(milliseconds: start)))
      facts.append(("last step", Timestamp.text(milliseconds: end)))
      if idle > 0 { facts.append(("no process for", Self.time(Double(idle)))) }
    }
    return facts.map { "<span>\($0) <b>\(Self.escaped($1))</b></span>" }.joined(separator: "\n")
  }

  private var tiles: String {
    let kinds: [(RowState, String, String)] = [
      (.done, "done", "good"), (.failed, "failed", "bad"), (.halfDone, "half done", "bad"),
      (.waiting, "waiting", "warn"),
      (.skipped, "skipped", "plain"), (.refused, "refused", "plain"),
    ]
    return kinds.compactMap { state, name, tone in
      let count =
        state == .waiting ? summary.left : summary.tally.rows[state] ?? 0
      guard count > 0 || state == .done else { return nil }
      return "<p class=\"tile \(tone)\"><b>\(count)</b> \(name)</p>"
    }.joined(separator: "\n")
  }

  private func causes(_ title: String, _ groups: CauseGroups) -> String {
    guard groups.count > 0 else { return "" }
    let rows = groups.list.map { code, group in
      let more = group.count > Int64(group.rows.count) ? ", …" : ""
      return """
        <tr><td class="num">\(group.count)</td><td><code>\(Self.escaped(code))</code></td>\
        <td>\(Self.escaped(group.example + group.messages.more))</td>\
        <td class="num">\(group.rows.map(String.init).joined(separator: ", "))\(more)</td></tr>
        """
    }
    return """
      <section class="card"><h2>\(title)</h2><div class="wide"><table>
      <thead><tr><th>rows</th><th>code</th><th>for example</th><th>first rows</th></tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div></section>
      """
  }

  private var runList: String {
    guard runs.count > 1 else { return "" }
    let items = runs.map { run in
      "<li>\(run == summary.run ? "<b>\(run.title)</b>" : run.title)</li>"
    }
    return "<section class=\"card\"><h2>Runs</h2><ul>\(items.joined())</ul></section>"
  }

  static func escaped(_ text: String) -> String { Markup.escaped(text.printable) }

  /// A duration as text for users.
  static func time(_ milliseconds: Double) -> String {
    let seconds = milliseconds / 1000
    if milliseconds == 0 { return "0" }
    if milliseconds < 10 { return "\((milliseconds * 10).rounded() / 10) ms" }
    if seconds < 1 { return "\(Int(milliseconds.rounded())) ms" }
    if seconds < 60 { return "\((seconds * 10).rounded() / 10) s" }
    if seconds < 3600 { return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s" }
    return "\(Int(seconds) / 3600) h \(Int(seconds) / 60 % 60) min"
  }
}

/// Maps clock ticks to working time, without the long pauses between sessions.
private struct WorkingTime {
  /// The start tick of each session, and the tick to subtract for its working time.
  private var pieces: [(start: Int64, left: Int64)] = []
  private(set) var idle: Int64 = 0
  /// The working time in ticks.
  private(set) var length: Int64 = 0

  /// - Parameter pause: More ticks than this without a step are a pause between sessions.
  init(_ ticks: [Int64], pause: Int64) {
    guard let first = ticks.first, let last = ticks.last else { return }
    pieces = [(first, first)]
    for (one, next) in zip(ticks, ticks.dropFirst()) where next - one > pause {
      idle += next - one - 1
      pieces.append((next, first + idle))
    }
    length = last - first - idle + 1
  }

  func position(of tick: Int64) -> Int64 {
    let piece = pieces.last { $0.start <= tick }
    return tick - (piece?.left ?? tick)
  }
}

extension BatchPage {
  /// Writes the page to a file that only its owner can read, because it names accounts.
  public func write(to path: String) throws(BatchProblem) {
    let file = try OutputFile(path: path, allowsStream: true)
    try file.write(bytes)
    try file.finish()
  }
}
