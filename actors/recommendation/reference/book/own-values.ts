/** Sizes and prices set by an operator, which replace values of the product's tables. */

/** One value of an operator's file. `region` is empty for all regions. */
export interface OwnValue {
  readonly kind: string
  readonly region: string
  readonly name: string
  readonly field: string
  readonly value: string
}

const keyOf = (kind: string, region: string, name: string, field: string): string =>
  [kind, region, name, field].join('\n')

export class OwnValueTable {
  private readonly values = new Map<string, string>()
  private readonly byKind = new Map<string, Set<string>>()

  constructor(values: Iterable<OwnValue>) {
    for (const { kind, region, name, field, value } of values) {
      this.values.set(keyOf(kind, region, name, field), value)
      const names = this.byKind.get(kind) ?? new Set()
      this.byKind.set(kind, names.add(name))
    }
  }

  /** The value for the region, otherwise for all regions; undefined if there is none. */
  text(kind: string, region: string, name: string, field: string): string | undefined {
    if (!this.byKind.has(kind)) return undefined
    return this.values.get(keyOf(kind, region, name, field)) ?? this.values.get(keyOf(kind, '', name, field))
  }

  number(kind: string, region: string, name: string, field: string): number | undefined {
    const text = this.text(kind, region, name, field)
    return text === undefined ? undefined : Number(text)
  }

  /** Names of the kind with any value. */
  names(kind: string): Iterable<string> {
    return this.byKind.get(kind) ?? []
  }
}
