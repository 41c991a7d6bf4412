/// What a shared queue is for: its words in messages.
package struct QueueUse: Sendable {
  /// The command, which the server shows beside the connections.
  let command: String
  /// What is done with the queue.
  let name: String
  /// What the name after `#` names.
  let noun: String
  /// The name if the address has none; nil if it must have one.
  let usualName: String?
  /// What the same command does once the server can be used.
  let verb: String
  /// The hint when the server fails.
  let again: String

  /// A batch, whose journal the queue is.
  package static let batch = QueueUse(
    command: "batch", name: "batch", noun: "journal", usualName: "batch", verb: "continues",
    again: "when the server works again, run the same command: it continues where it was")

  /// A load test with several agents.
  package static let load = QueueUse(
    command: "load", name: "load test", noun: "load test", usualName: nil, verb: "works",
    again: "when the server works again, start the load test under a new name after '#'")

  /// A test run that several processes share.
  package static let tests = QueueUse(
    command: "test", name: "test run", noun: "test run", usualName: nil, verb: "works",
    again: "when the server works again, start the test run under a new name after '#'")
}
