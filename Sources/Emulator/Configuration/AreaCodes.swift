/// The leading digits of national numbers that identify a region among those with the same calling code.
///
/// Other numbers belong to the first region of the calling code, in North America to the United States.
enum AreaCodes {
  /// The region of a national number; nil for a calling code whose regions cannot be distinguished here.
  static func region(of national: Substring, callingCode: String) -> String? {
    guard let areas = table[callingCode] else { return nil }
    for length in stride(from: 5, through: 1, by: -1) {
      if let region = areas.regions[String(national.prefix(length))] { return region }
    }
    return areas.main
  }

  private static let table: [String: (main: String, regions: [String: String])] = Dictionary(
    uniqueKeysWithValues: text.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      var regions: [String: String] = [:]
      var region = words[1]
      for word in words.dropFirst(2) {
        if word.utf8.first.map({ $0 > UInt8(ascii: "9") }) == true {
          region = word
        } else {
          regions[word] = region
        }
      }
      return (words[0], (words[1], regions))
    })

  private static let text = """
    1 US CA 204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 387 403 416 418 428 431 437 438 450 460 468 474 506 514 519 548 579 581 584 587 604 613 639 647 672 683 705 709 742 753 778 780 782 807 819 825 867 873 879 902 905 942 AG 268 AI 264 AS 684 BB 246 BM 441 BS 242 DM 767 DO 809 829 849 GD 473 GU 671 JM 658 876 KN 869 KY 345 LC 758 MP 670 MS 664 PR 787 939 SX 721 TC 649 TT 868 VC 784 VG 284 VI 340
    7 RU KZ 6 7
    44 GB GG 1481 7781 7839 7911 JE 1534 7509 7700 7797 7829 7937 IM 1624 7524 7624 7924
    39 IT VA 06698
    47 NO SJ 79
    61 AU CX 89164 CC 89162
    358 FI AX 18
    """
}
