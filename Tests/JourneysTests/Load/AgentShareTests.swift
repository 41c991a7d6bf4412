import System
import Testing

@testable import Journeys

/// Which agent begins what, when others die.
@Suite(.timeLimit(.minutes(1))) struct AgentShareTests {
  /// An agent in a simulated run, with users that wait for arrivals they have taken.
  private struct Simulated {
    var arrivals: Arrivals
    var waiting: [Arrivals.Taken] = []
    var begun: [Int] = []
    var isDead = false

    mutating func pass(_ time: Double, users: Int) {
      guard !isDead else { return }
      repeat {
        while waiting.count < users, let taken = arrivals.take() { waiting.append(taken) }
        let due = waiting.filter { $0.due <= time || !arrivals.isValid($0) }
        waiting.removeAll(where: due.contains)
        for taken in due where arrivals.begin(taken) { begun.append(taken.index) }
        if due.isEmpty { return }
      } while true
    }
  }

  private static let shape = LoadShape(constant: 100, for: 4000)

  /// Runs agents of which some die; the others read each epoch after a delay.
  ///
  /// - Returns: The agents at the end, and the arrivals that were lost with the dead ones.
  private static func simulate(
    agents: Int, deaths: [(slot: Int, at: Double)], delay: (Int) -> Double, ahead: Double = 500
  ) -> (agents: [Simulated], lost: Set<Int>) {
    var team = (0..<agents).map { slot in
      Simulated(arrivals: Arrivals(shape, AgentShare(slot: slot, agents: agents)))
    }
    var share = AgentShare(slot: -1, agents: agents)
    var messages: [(slot: Int, at: Double, epoch: AgentShare.Epoch)] = []
    for time in stride(from: 0.0, to: 4000, by: 5) {
      for death in deaths where death.at == time {
        team[death.slot].isDead = true
        let live = team.indices.filter { !team[$0].isDead }
        let first = max(share.epochs.last?.first ?? 0, shape.count(before: time + ahead))
        let epoch = AgentShare.Epoch(first: first, live: live)
        share.add(epoch)
        messages += live.map { (slot: $0, at: time + delay($0), epoch: epoch) }
      }
      for message in messages where message.at == time {
        team[message.slot].arrivals.add(message.epoch)
      }
      for slot in team.indices { team[slot].pass(time, users: 7) }
    }
    let dead = team.indices.filter { team[$0].isDead }
    let lost = (0..<shape.count).filter { arrival in
      share.owner(of: arrival).map { dead.contains($0) && !team[$0].begun.contains(arrival) }
        ?? true
    }
    return (team, Set(lost))
  }

  @Test(arguments: [2, 3, 5])
  func `without a death, each arrival begins once, at the agent of its number`(_ agents: Int) {
    let (team, lost) = Self.simulate(agents: agents, deaths: [], delay: { _ in 0 })
    #expect(lost.isEmpty)
    #expect(team.flatMap(\.begun).sorted() == Array(0..<400))
    for (slot, agent) in team.enumerated() {
      #expect(agent.begun.allSatisfy { $0 % agents == slot })
    }
  }

  @Test func `when agents die, nothing begins twice and only what was due to them is lost`() {
    let deaths = [(slot: 1, at: 1000.0), (slot: 3, at: 1200), (slot: 0, at: 2500)]
    let (team, lost) = Self.simulate(agents: 4, deaths: deaths, delay: { $0 == 2 ? 400 : 100 })
    let begun = team.flatMap(\.begun)
    #expect(Set(begun).count == begun.count)
    #expect(Set(begun).union(lost) == Set(0..<400))
    #expect(Set(begun).isDisjoint(with: lost))
    // A half second of one of four, twice, and of one of two.
    #expect(lost.count <= 13 + 25 + 25)
    #expect(team.allSatisfy { $0.arrivals.begunTwice == 0 })
    #expect(team[2].arrivals.left(at: 4000).isEmpty)
  }

  @Test
  func `an agent that reads an epoch too late counts what it began twice, and leaves nothing out`()
  {
    let (team, lost) = Self.simulate(
      agents: 3, deaths: [(slot: 2, at: 1000)], delay: { $0 == 1 ? 900 : 100 })
    let begun = team.flatMap(\.begun)
    #expect(Set(begun).union(lost) == Set(0..<400))
    let twice = begun.count - Set(begun).count
    #expect(twice > 0)
    #expect(team[1].arrivals.begunTwice == twice)
    #expect(team[0].arrivals.begunTwice == 0)
  }

  @Test func `what is due to an agent is counted over epochs`() {
    var share = AgentShare(slot: 0, agents: 3)
    share.add(AgentShare.Epoch(first: 17, live: [0, 2]))
    share.add(AgentShare.Epoch(first: 40, live: [2]))
    for slot in 0..<3 {
      for range in [0..<100, 5..<18, 17..<41, 41..<41, 39..<40] {
        let count = range.filter { share.owner(of: $0) == slot }.count
        #expect(share.count(of: slot, in: range) == count, "\(slot) in \(range)")
      }
    }
    share.add(AgentShare.Epoch(first: 60, live: []))
    #expect(share.owner(of: 60) == nil)
    #expect(share.user(of: 0) == nil)
  }

  @Test func `users are divided without a rest, and taken over`() {
    for agents in 1...5 {
      let shares = (0..<agents).map { AgentShare(slot: $0, agents: agents) }
      let users = shares.flatMap { share in
        (0..<share.seats(of: 11)).compactMap { share.user(of: $0) }
      }
      #expect(users.sorted() == Array(1...11))
    }
    var survivor = AgentShare(slot: 2, agents: 3)
    #expect(survivor.seats(of: 7) == 2)
    survivor.add(AgentShare.Epoch(first: 0, live: [1, 2]))
    #expect(survivor.seats(of: 7) == 3)
    #expect(survivor.user(of: 0) == 2)
  }

  @Test func `rows stay with their agent, and those of a dead one go to the others`() {
    var shares = (0..<3).map { AgentShare(slot: $0, agents: 3) }
    #expect(shares.map { $0.rows(of: 7) } == [[0, 3, 6], [1, 4], [2, 5]])
    for slot in shares.indices { shares[slot].add(AgentShare.Epoch(first: 9, live: [0, 2])) }
    #expect(shares[0].rows(of: 7) == [0, 3, 6, 1])
    #expect(shares[2].rows(of: 7) == [2, 5, 4])
    var rows = LoadRows([0, 1, 2, 3, 4, 5, 6])
    rows.take(over: AgentShare(slot: 2, agents: 3))
    let taken = [rows.take(), rows.take(), rows.take()]
    #expect(taken.map { $0?.row } == [2, 5, 2])
    rows.take(over: shares[2])
    #expect(rows.take()?.row == 4)
  }
}
