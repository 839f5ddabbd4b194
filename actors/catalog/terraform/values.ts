/** The values of one resource in a plan, of which some are known only once it is applied. */

/** Known once the plan is applied. */
export const later = Symbol('later')

/** What is more is no count and no size of anything. */
const numberMax = 1e9

/** Anything, and `later`. */
type Json = unknown

const childOf = (of: Json, key: string): Json =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, key) ? (of as Record<string, Json>)[key] : undefined

export class TerraformValues {
  readonly #values: Json
  readonly #unknown: Json
  readonly #sensitive: Json

  /** The last two are in the form of the first, with `true` in place of what is unknown, or is not to be shown. */
  constructor(values: Json, unknown?: Json, sensitive?: Json) {
    this.#values = values
    this.#unknown = unknown
    this.#sensitive = sensitive
  }

  /** By keys and indexes between dots, `root_block_device.0.volume_size`; undefined where it is not set. */
  at(path: string): Json {
    let [value, unknown] = [this.#values, this.#unknown]
    for (const key of path.split('.')) {
      if (unknown === true) return later
      value = childOf(value, key)
      unknown = childOf(unknown, key)
    }
    return unknown === true ? later : (value ?? undefined)
  }

  /** Undefined too where it is no text, or an empty one. */
  text(path: string): string | typeof later | undefined {
    const value = this.at(path)
    if (value === later) return later
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  number(path: string): number | typeof later | undefined {
    const value = this.at(path)
    if (value === later) return later
    // Some providers keep counts as text.
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
    return typeof number === 'number' && number >= 0 && number <= numberMax ? number : undefined
  }

  /** The blocks of a list, or the one block; none where it is not set. */
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

  /** Whether the value, or what it stands in, is marked as not to be shown. */
  isSensitive(path: string): boolean {
    let sensitive = this.#sensitive
    for (const key of path.split('.')) {
      if (sensitive === true) return true
      sensitive = childOf(sensitive, key)
    }
    return sensitive === true
  }
}
