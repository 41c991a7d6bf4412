@testable import Batch
@testable import System
import Testing

/// The databases that a journal can be in; what holds for one holds for all.
enum JournalEngine: String, CaseIterable, Sendable {
  case sqlite, postgreSQL

  /// Those that are installed.
  static var available: [JournalEngine] {
    PostgresServer.isInstalled ? allCases : [.sqlite]
  }

  /// A place for one journal.
  func place() async throws -> any JournalPlace {
    switch self {
    case .sqlite: SQLitePlace(folder: try JournalFolder())
    case .postgreSQL: PostgresPlace(url: try await PostgresServer.shared.url())
    }
  }
}

/// Where a journal is, which can be opened again and again.
protocol JournalPlace: Sendable {
  func open(
    key: JournalKey?, plan: JournalPlan?
  ) async throws(BatchProblem) -> any BatchJournal
}

extension JournalPlace {
  /// Keeps what is there until now: a place is cleared away behind its last use, under a journal that is open.
  func keep() {}

  func open(plan: JournalPlan? = nil) async throws(BatchProblem) -> any BatchJournal {
    try await open(key: nil, plan: plan)
  }
}

struct SQLitePlace: JournalPlace {
  let folder: JournalFolder

  func open(
    key: JournalKey?, plan: JournalPlan?
  ) async throws(BatchProblem) -> any BatchJournal {
    try await SQLiteJournal.open(path: folder.file(), key: key, plan: plan)
  }
}

struct PostgresPlace: JournalPlace {
  let url: Secret

  func open(
    key: JournalKey?, plan: JournalPlan?
  ) async throws(BatchProblem) -> any BatchJournal {
    try await PostgresJournal.open(url: url, key: key, plan: plan)
  }
}

extension PostgresJournal {
  /// Opens a journal without a key.
  static func open(
    _ url: Secret, _ plan: JournalPlan? = nil, lease: Duration = .seconds(30),
    patience: Duration = .seconds(60)
  ) async throws(BatchProblem) -> PostgresJournal {
    try await open(url: url, key: nil, plan: plan, lease: lease, patience: patience)
  }
}
