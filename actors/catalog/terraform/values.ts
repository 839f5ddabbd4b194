/** The values of one resource in a plan, some of which are known only after it is applied. */

/** Marks a value that is known only after the plan is applied. */
export const later = Symbol('later')

/** Numbers above it are neither counts nor sizes. */
const numberMax = 1e9

/** Anything, including `later`. */
type Json = unknown

const childOf = (of: Json, key: string): Json =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, key) ? (of as Record<string, Json>)[key] : undefined

export class TerraformValues {
  readonly #values: Json
  readonly #unknown: Json
  readonly #sensitive: Json

  /** `unknown` and `sensitive` have the structure of `values`, with `true` in place of unknown or sensitive values. */
  constructor(values: Json, unknown?: Json, sensitive?: Json) {
    this.#values = values
    this.#unknown = unknown
    this.#sensitive = sensitive
  }

  /** The value at a path of keys and indexes, `root_block_device.0.volume_size`; undefined if not set. */
  at(path: string): Json {
    let [value, unknown] = [this.#values, this.#unknown]
    for (const key of path.split('.')) {
      if (unknown === true) return later
      value = childOf(value, key)
      unknown = childOf(unknown, key)
    }
    return unknown === true ? later : (value ?? undefined)
  }

  /** Also undefined if it is not a text, or empty. */
  text(path: string): string | typeof later | undefined {
    const value = this.at(path)
    if (value === later) return later
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  number(path: string): number | typeof later | undefined {
    const value = this.at(path)
    if (value === later) return later
    // Some providers store counts as text.
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    return typeof number === 'number' && number >= 0 && number <= numberMax ? number : undefined
  }

  /** The blocks of a list, or the single block; empty if not set. */
  blocks(path: string): readonly TerraformValues[] | typeof later {
    const value = this.at(path)
    if (value === later) return later
    const count = Array.isArray(value) ? value.length : 0
    return Array.from({ length: count }, (_, i) => this.#under(`${path}.${i}`))
  }

  #under(path: string): TerraformValues {
    let [value, unknown, sensitive] = [this.#values, this.#unknown, this.#sensitive]
    for (const key of path.split('.')) {
      value = childOf(value, key)
      unknown = unknown === true || childOf(unknown, key)
      sensitive = sensitive === true || childOf(sensitive, key)
    }
    return new TerraformValues(value, unknown, sensitive)
  }

  /** Whether the value, or anything that contains it, is marked as sensitive. */
  isSensitive(path: string): boolean {
    let sensitive = this.#sensitive
    for (const key of path.split('.')) {
      if (sensitive === true) return true
      sensitive = childOf(sensitive, key)
    }
    return sensitive === true
  }
}
