import Storage

extension BatchProblem {
  init(_ error: JournalError) {
    switch error.code {
    case .inUse:
      self.init(
        .inUse, error.message,
        hint: "see how far it is with 'luath batch status', end it with 'luath batch ctl … drain', "
          + "or wait for it: the same command then goes on")
    case .foreign, .newer, .unusablePath: self.init(.usage, error.message, hint: error.hint)
    case .damaged, .readOnly, .full, .moved, .inputOutput, .internalFailure:
      self.init(.unavailable, error.message, hint: error.hint)
    }
  }
}
