/** What the name of a machine's size says, and what the tables know of it. */

type Arch = 'x86_64' | 'arm64'

/** What a name says by the naming of its cloud. */
export interface NamedSize {
  readonly name: string
  /** Whom the allow list of an organization names: `m5a`, `n2d`, `Dsv5`. */
  readonly family: string
  /** Class of the family, without maker and generation: `m`, `n2`'s `n`, `D`. */
  readonly letter: string
  readonly generation: number
  /** What sets the family apart within class and generation, without its maker: `dn` of `m5dn`. */
  readonly variant: string
  /** Who makes the processor, as the name tells: `i` Intel or not said, `a` AMD, `g` arm64. */
  readonly maker: 'i' | 'a' | 'g'
  /** Last part: `2xlarge`, `standard-4`, `4`. */
  readonly step: string
  readonly isBurst: boolean
  readonly hasLocalDisk: boolean
  readonly hasPremiumDisk: boolean
  readonly isFlex: boolean
  readonly isAccelerated: boolean
  /** Not superseded: of the generations that the cloud itself does not call previous ones. */
  readonly isCurrent: boolean
  /** Whether it may be recommended to a machine of another family. */
  readonly isTarget: boolean
}

/** Of a size: a dimension that is undefined is not known. */
export interface Size extends NamedSize {
  readonly arch: Arch | undefined
  readonly vcpus: number | undefined
  readonly memoryGib: number | undefined
  readonly gpus: number | undefined
  /** US dollars an hour in the reference region, Linux, on demand. */
  readonly usdHour: number | undefined
}

export type Sizes = ReadonlyMap<string, Size>
