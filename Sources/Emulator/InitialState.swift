/// The initial state of an emulated project, used at the start and at each `renew`.
struct InitialState {
  let project: ProjectConfiguration
  let rules: Rules
  let keys: SigningKeys
  let faults: FaultPlan
  let keepsQuotas: Bool
  let isSingleProject: Bool
  /// Seconds by which the clock was ahead at the start.
  let clockAdvance: Int64

  /// A context in which nothing has happened yet; different values of `chance` give different random faults.
  func context(clock: EmulatorClock, chance: UInt64 = 0) -> EmulatorContext {
    let context = EmulatorContext(configuration: project, rules: rules, clock: clock, keys: keys)
    context.faults = Faults(project.faults, and: faults, chance: chance)
    context.isSingleProject = isSingleProject
    context.quotas = keepsQuotas ? Quotas() : nil
    return context
  }
}
