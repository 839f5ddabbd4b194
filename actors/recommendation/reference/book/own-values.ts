/** Sizes and prices that replace values of the product's tables: those of an operator, then those that clouds publish. */

/** One value. `region` is empty for all regions. */
export interface OwnValue {
  readonly kind: string
  readonly region: string
  readonly name: string
  readonly field: string
  readonly value: string
  /** The cloud that published it; left out or empty: the operator. */
  readonly source?: string
  /** The day of the value, YYYY-MM-DD: when the cloud began to charge it, or when the operator loaded it. */
  readonly on?: string
}

const keyOf = (kind: string, region: string, name: string, field: string): string =>
  [kind, region, name, field].join('\n')

const isPublished = ({ source }: OwnValue): boolean => source !== undefined && source !== ''

const publishers: Readonly<Record<string, string>> = { aws: 'AWS', azure: 'Azure', gcp: 'Google Cloud' }

/** Where a value comes from, for people. */
export const sourceOf = ({ source = '' }: OwnValue): string =>
  source === '' ? "operator's price file" : `price list of ${publishers[source] ?? source}`

export class OwnValueTable {
  private readonly values = new Map<string, OwnValue>()
  private readonly byKind = new Map<string, Set<string>>()
  private readonly published = new Map<string, OwnValue>()
  private readonly lists = new Set<string>()

  constructor(values: Iterable<OwnValue>) {
    for (const value of values) {
      const { kind, region, name, field } = value
      if (isPublished(value)) {
        this.published.set(keyOf(kind, region, name, field), value)
        this.lists.add(`${kind} ${region}`)
        continue
      }
      this.values.set(keyOf(kind, region, name, field), value)
      const names = this.byKind.get(kind) ?? new Set()
      this.byKind.set(kind, names.add(name))
    }
  }

  /** The operator's value for the region, otherwise the one for all regions, otherwise the published one. */
  find(kind: string, region: string, name: string, field: string): OwnValue | undefined {
    const own = this.byKind.has(kind)
      ? (this.values.get(keyOf(kind, region, name, field)) ?? this.values.get(keyOf(kind, '', name, field)))
      : undefined
    return own ?? this.published.get(keyOf(kind, region, name, field))
  }

  text(kind: string, region: string, name: string, field: string): string | undefined {
    return this.find(kind, region, name, field)?.value
  }

  number(kind: string, region: string, name: string, field: string): number | undefined {
    const text = this.text(kind, region, name, field)
    return text === undefined ? undefined : Number(text)
  }

  /** Names of the kind with any value of the operator. */
  names(kind: string): Iterable<string> {
    return this.byKind.get(kind) ?? []
  }

  /** Whether the cloud's list for the region is known: what it leaves out is not sold there. */
  hasList(kind: string, region: string): boolean {
    return this.lists.has(`${kind} ${region}`)
  }
}
