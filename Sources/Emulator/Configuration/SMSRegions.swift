internal import System

/// The regions a project sends SMS to: Google's `SmsRegionConfig`.
struct SMSRegions {
  private enum Policy {
    case everywhere
    case except(Set<String>)
    case only(Set<String>)
  }

  private let policy: Policy

  init(_ config: JSONObject) {
    func regions(_ json: JSON?) -> Set<String> {
      Set((json?.array ?? []).compactMap { $0.string?.uppercased() })
    }
    if let list = config["allowlistOnly"] {
      policy = .only(regions(list["allowedRegions"]))
    } else if let list = config["allowByDefault"] {
      policy = .except(regions(list["disallowedRegions"]))
    } else {
      policy = .everywhere
    }
  }

  /// Whether an SMS may be sent to a number.
  ///
  /// Some regions share a calling code and cannot be told apart. The number is then allowed when any of them is.
  func allow(_ number: String) -> Bool {
    switch policy {
    case .everywhere: true
    case .except(let refused): !Self.regions(of: number).allSatisfy(refused.contains)
    case .only(let allowed): Self.regions(of: number).contains(where: allowed.contains)
    }
  }

  /// Whether a region with this code exists (ISO 3166-1, in any case).
  static func isKnown(_ code: String) -> Bool { known.contains(code.uppercased()) }

  private static let known = Set(CallingCodes.regions.values.joined())

  /// The regions of a number's calling code; no calling code is a prefix of another.
  private static func regions(of number: String) -> [String] {
    guard number.utf8.first == UInt8(ascii: "+") else { return [] }
    for length in 1...3 {
      let code = number.dropFirst().prefix(length)
      guard let regions = CallingCodes.regions[String(code)] else { continue }
      let national = number.dropFirst(1 + length)
      return AreaCodes.region(of: national, callingCode: String(code)).map { [$0] } ?? regions
    }
    return []
  }
}
