import HTTP
import Host
import System

/// The figures of a run for Prometheus: counters of this process, and gauges of rows of the whole run.
struct BatchMetrics: Sendable {
  var status: BatchStatus
  var totals: BatchMeter.Totals
  /// The rows that this process works on.
  var rowsInFlight: Int
  /// What the run is: labels of `luath_batch_info`.
  var labels: [(name: String, value: String)]
  /// When the process began the run, in milliseconds since 1970.
  var began: Int64

  private typealias Sample = (labels: [PrometheusMetrics.Label], value: Double)

  /// The whole text.
  var text: String {
    var text = PrometheusMetrics(prefix: "luath_batch_")
    func add(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
      text.add(name, type, help, samples.map { .init($0.labels, $0.value) })
    }
    func gauge(_ name: String, _ help: String, _ value: Double?) {
      add(name, "gauge", help, value.map { [([], $0)] } ?? [])
    }
    add("info", "gauge", "The run that this process works on; always 1.", [(labels, 1)])
    gauge(
      "start_time_seconds", "When this process began the run, in seconds since 1970.",
      Double(began) / 1000)
    add(
      "run_rows", "gauge", "Rows of the whole run by state.",
      RowState.allCases.map { ([("state", $0.rawValue)], Double(status.tally.rows[$0] ?? 0)) })
    add(
      "rows_total", "counter", "Rows that ended in this process, by outcome.",
      [RowState.done, .failed, .halfDone].map {
        ([("outcome", $0.rawValue)], Double(totals.rows[$0] ?? 0))
      })
    add(
      "steps_total", "counter", "Steps that ended in this process, by result.",
      StepOutcome.Result.allCases.map {
        ([("result", $0.rawValue)], Double(totals.steps[$0] ?? 0))
      })
    add(
      "calls_total", "counter", "Calls of this process by kind and how they ended.",
      totals.calls.sorted { ($0.key.kind, $0.key.status) < ($1.key.kind, $1.key.status) }.map {
        ([("call", $0.key.kind), ("status", $0.key.status)], Double($0.value))
      })
    add(
      "throttled_calls_total", "counter", "Calls of this process that the backend throttled.",
      [([], Double(status.throttles))])
    gauge("calls_in_flight", "Calls of this process under way.", Double(status.inFlight))
    gauge("rows_in_flight", "Rows that this process works on.", Double(rowsInFlight))
    gauge(
      "calls_per_second_limit", "The rate limit that applies now to calls that change accounts.",
      status.allowed)
    gauge("remaining_seconds", "The estimated time until all rows have ended.", status.secondsLeft)
    gauge("paused", "Whether the run begins no step for now.", status.hold == nil ? 0 : 1)
    return text.text
  }
}

extension Executor {
  /// The figures of this process and the run.
  func metrics(_ labels: [(name: String, value: String)], since began: Int64) -> BatchMetrics {
    BatchMetrics(
      status: status, totals: meter.totals, rowsInFlight: active, labels: labels, began: began)
  }
}

extension MetricsServer {
  /// Serves the figures of a run on its loop.
  ///
  /// - Returns: The URL.
  func start(
    _ executor: Executor, _ labels: [PrometheusMetrics.Label]
  ) async throws(BatchProblem) -> String {
    let began = Timestamp.now
    do throws(HTTPError) {
      return try await start(on: executor.loop) {
        await executor.metrics(labels, since: began).text
      }
    } catch {
      throw BatchProblem(.unavailable, "--metrics: \(error.message)", hint: error.hint)
    }
  }
}
