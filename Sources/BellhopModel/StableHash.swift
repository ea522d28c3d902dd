/// A hash of 128 bits that every process and every version computes alike, unlike `Hasher`.
///
/// Two states take each number, mixed by the function of SplitMix64. The result is stored, so the
/// function never changes. It protects against chance only: equal hashes can be made on purpose.
struct StableHash: Hashable, Sendable {
  private(set) var high: UInt64 = 0x6a09_e667_f3bc_c908
  private(set) var low: UInt64 = 0xbb67_ae85_84ca_a73b

  mutating func combine(_ number: UInt64) {
    high = Self.mixed(high ^ number)
    low = Self.mixed(low ^ number)
  }

  mutating func combine(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { combine(UInt64(byte)) }
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number &+ 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
