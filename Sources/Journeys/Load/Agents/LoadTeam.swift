import System

/// The agents of a load run at its end, with the figures of all.
struct LoadTeam: Sendable {
  struct Agent: Sendable {
    /// From 1.
    let number: Int
    /// The machine and the process.
    let name: String
    /// `done`, `left` (the user ended it), `lost` (it died), or `running`.
    let state: String
    /// Journeys that it began and ended, as far as its figures have them.
    let begun: Int
    let ended: UInt64
    /// When it left or was lost, in milliseconds since the start.
    let goneAt: Double?
    /// When its figures were taken, in milliseconds since the start; nil for none.
    let figuresAt: Double?
    /// With a rate, journeys that were due to an agent that is gone, and are in no figure.
    let missing: UInt64?
    /// Journeys that it began although another one had taken them over.
    let begunTwice: Int
  }

  /// The number of this process's agent, from 1.
  let own: Int
  let agents: [Agent]
  /// The counts of all agents.
  let tally: LoadTally
  /// The users of all agents.
  let users: Int
  /// Milliseconds from the end of the warm-up until the last journey of any agent had ended.
  let duration: Double

  init(
    own: Int, _ agents: [LoadTables.Agent], _ figures: [Int: AgentFigures], _ share: AgentShare,
    _ clock: LoadClock
  ) {
    self.own = own + 1
    self.agents = agents.map { agent in
      let part = figures[agent.slot]
      let isGone = agent.state != "live"
      let counted =
        part.map {
          $0.tally.journeys.count + $0.tally.journeys.dropped + UInt64($0.tally.interrupted)
        } ?? 0
      let due = UInt64(clock.due(of: agent.slot, share))
      return Agent(
        number: agent.slot + 1, name: agent.name,
        state: isGone ? agent.state : agent.isFinal ? "done" : "running",
        begun: part?.tally.begun ?? 0, ended: part?.tally.journeys.count ?? 0,
        goneAt: agent.goneAt, figuresAt: part?.at,
        missing: isGone && clock.isOpen ? due - min(due, counted) : nil,
        begunTwice: part?.begunTwice ?? 0)
    }
    tally = figures.merged
    users = figures.values.reduce(0) { $0 + $1.users }
    duration = figures.values.map(\.duration).max() ?? 0
  }

  var json: JSON {
    .array(
      agents.map { agent in
        var json: JSONObject = [
          "agent": .integer(Int64(agent.number)), "name": .string(agent.name),
          "isOwn": .bool(agent.number == own), "state": .string(agent.state),
          "begun": .integer(Int64(agent.begun)), "ended": .integer(Int64(agent.ended)),
        ]
        json["goneAt"] = agent.goneAt.map { .number($0.shortened) }
        json["figuresAt"] = agent.figuresAt.map { .number($0.shortened) }
        json["missing"] = agent.missing.map { .integer(Int64($0)) }
        if agent.begunTwice > 0 { json["begunTwice"] = .integer(Int64(agent.begunTwice)) }
        return .object(json)
      })
  }

  /// The agents as lines of the report for a terminal.
  var text: String {
    var text = "agents    \(agents.count), this one is \(own)\n"
    for agent in agents where agent.state != "done" {
      let when = agent.goneAt.map { " after \(LoadReport.digits($0 / 1000)) s" } ?? ""
      switch agent.state {
      case "lost": text += "          \(agent.number) (\(agent.name)) was lost\(when)"
      case "left": text += "          \(agent.number) (\(agent.name)) was interrupted\(when)"
      default: text += "          \(agent.number) (\(agent.name)) still runs"
      }
      if let missing = agent.missing, missing > 0 {
        text += "; \(missing) journeys due to it are in no figure"
      }
      text += "\n"
    }
    let twice = agents.reduce(0) { $0 + $1.begunTwice }
    if twice > 0 { text += "          \(twice) journeys were begun by two agents\n" }
    return text
  }
}
