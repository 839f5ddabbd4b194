/** What the name of a machine size shows, and what the tables contain. */

type Arch = 'x86_64' | 'arm64'

/** What a size's name shows, by the cloud's naming scheme. */
export interface NamedSize {
  readonly name: string
  /** Family as in an organization's allow list: `m5a`, `n2d`, `Dsv5`. */
  readonly family: string
  /** Class of the family, without maker and generation: `m`, `n` for `n2`, `D`. */
  readonly letter: string
  readonly generation: number
  /** What distinguishes the family within its class and generation, without the maker: `dn` for `m5dn`. */
  readonly variant: string
  /** Maker of the processor as the name shows it: `i` for Intel or unspecified, `a` for AMD, `g` for arm64. */
  readonly maker: 'i' | 'a' | 'g'
  /** Last part of the name: `2xlarge`, `standard-4`, `4`. */
  readonly step: string
  readonly isBurst: boolean
  readonly hasLocalDisk: boolean
  readonly hasPremiumDisk: boolean
  readonly isFlex: boolean
  readonly isAccelerated: boolean
  /** Whether the cloud does not call its generation a previous one. */
  readonly isCurrent: boolean
  /** Whether it may be recommended to machines of other families. */
  readonly isTarget: boolean
}

/** A size; undefined dimensions are unknown. */
export interface Size extends NamedSize {
  readonly arch: Arch | undefined
  readonly vcpus: number | undefined
  readonly memoryGib: number | undefined
  readonly gpus: number | undefined
  /** US dollars per hour in the reference region, Linux, on demand. */
  readonly usdHour: number | undefined
}

export type Sizes = ReadonlyMap<string, Size>
