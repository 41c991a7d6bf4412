extension LoadTally {
  /// Adds the counts of another agent of the run; no figure loses digits.
  mutating func add(_ other: LoadTally) {
    for subject in other.order {
      guard let figures = other.figures[subject] else { continue }
      if self.figures[subject] == nil { order.append(subject) }
      self.figures[subject, default: LoadFigures()].add(figures)
    }
    errors.add(other.errors)
    for (subject, counts) in other.failures {
      failures[subject, default: FailureCounts(mostMessages: counts.mostMessages)].add(counts)
    }
    for (file, counts) in other.ends {
      ends[file, default: FailureCounts(mostMessages: counts.mostMessages)].add(counts)
    }
    journeys.add(other.journeys)
    startDelay.add(other.startDelay)
    requests.add(other.requests)
    for (phase, figures) in other.phases { phases[phase, default: LoadFigures()].add(figures) }
    begun += other.begun
    interrupted += other.interrupted
    active += other.active
    for second in other.seconds {
      while seconds.count <= second.second { seconds.append(LoadSecond(second: seconds.count)) }
      seconds[second.second].add(second)
    }
  }
}

extension LoadSecond {
  /// Adds the counts of the same second of another agent.
  fileprivate mutating func add(_ other: LoadSecond) {
    begun += other.begun
    ended += other.ended
    failed += other.failed
    requests += other.requests
    failedRequests += other.failedRequests
    active += other.active
    var sum = wholeHistogram
    sum.add(other.wholeHistogram)
    close(with: sum)
  }
}

extension FailureCounts {
  fileprivate mutating func add(_ other: FailureCounts) {
    for (message, count) in other.sorted { add(message, times: count) }
  }
}
