/** What the parts of the rules hand each other. */
import type { ActionType, Category, DisturbanceKind, Severity } from '#streams/recommendation.ts'

/** The type of the resource has no such fact. */
export const absent = Symbol('absent')

export type KnownValue = number | boolean | string | readonly (number | string | boolean)[]
/** A value; null: known to be empty; undefined: unknown; `absent`. */
export type Fact = KnownValue | null | undefined | typeof absent

/** Answers for one path of the rule language. */
export type FactSource = (path: string) => Fact

export type Operand = number | boolean | string
export type Expr = Operand | readonly [string, ...Expr[]]
export type RuleCondition =
  | { readonly all: readonly RuleCondition[] }
  | { readonly any: readonly RuleCondition[] }
  | { readonly not: RuleCondition }
  | { readonly attr: string; readonly op: string; readonly values: readonly Operand[] }

export interface Target {
  readonly kind: 'none' | 'delete' | 'stop' | 'set' | 'fit' | 'lookup' | 'schedule' | 'commitment' | 'tags'
  readonly [key: string]: unknown
}

export interface Saving {
  readonly kind: 'none' | 'full' | 'fraction' | 'price_delta' | 'excess' | 'quantity' | 'off_hours' | 'commitment'
  readonly [key: string]: unknown
}

/** One rule as its file has it; `schema.ts` says what is allowed. */
export interface Rule {
  readonly id: string
  readonly provider: 'aws' | 'gcp' | 'azure' | 'any'
  readonly category: Category
  readonly wave: number
  readonly name: string
  readonly title: string
  readonly from: string
  readonly to: string
  readonly description: string
  readonly remediation: string
  readonly applies: {
    readonly types: readonly string[]
    readonly status?: readonly string[]
    readonly minAgeDays: number
    readonly managed: 'exclude' | 'include'
    readonly forDays?: number | string
  }
  readonly params: Readonly<Record<string, number | string>>
  readonly let?: Readonly<Record<string, Expr>>
  readonly when: RuleCondition
  readonly target: Target
  readonly saving: Saving
  readonly severity:
    | { readonly mode: 'cost'; readonly finding: 'cost' }
    | { readonly mode: 'risk'; readonly level: Severity; readonly finding: string }
  readonly confidence: 'high' | 'medium' | 'low'
  readonly action: {
    readonly type: ActionType
    readonly effect: DisturbanceKind
    readonly destructive: boolean
    readonly automation: 'executor' | 'pause_service' | 'api' | 'manual'
    readonly api: string
  }
  readonly exclusive?: { readonly group: string; readonly rank: number }
  readonly alternativeTo?: string
  readonly evidence: readonly string[]
  readonly needs: {
    readonly windowDays: number | null
    readonly metrics: readonly string[]
    readonly bill: readonly string[]
    readonly specs: readonly string[]
    readonly rel: readonly string[]
    readonly hist: readonly string[]
    readonly ref: readonly string[]
    readonly policy: readonly string[]
    readonly gov: readonly string[]
    readonly scale: readonly string[]
  }
  readonly evaluateOn: readonly ('discovered' | 'daily')[]
  readonly sources: readonly string[]
}

/** A target of a rule: what would be, under the names of the type's own specs. */
export type TargetSpec = Readonly<Record<string, unknown>>

/** What sizes, prices, support dates and discounts the product knows; a table of its own, versioned. */
export interface References {
  readonly version: string
  /** `ref.*` of a resource: what its size, its region and its version say. Undefined where the tables do not know. */
  fact(path: string, of: PricedResource): Fact
  /** The cheapest entry that meets every need and keeps what `keep` names. Undefined where none is known. */
  fit(
    catalogue: string,
    keep: readonly string[],
    need: Readonly<Record<string, Fact>>,
    of: PricedResource,
  ): TargetSpec | undefined
  lookup(table: string, key: Fact, column: string, of: PricedResource): string | number | undefined
  /**
   * US dollars for an hour, or a GB-month, of what the resource is now, or of what the target would be. Of sizes that are known by
   * their ratio alone the unit is another: two prices of one resource may be divided, a price is not to be shown. `per` left out: a
   * GB-month for disks and snapshots, else an hour.
   */
  price(of: PricedResource, target: TargetSpec | undefined, per?: 'hour' | 'gb_month'): number | undefined
  /** Whether prices of its kind say nothing but how they stand to each other. */
  isRelative?(of: PricedResource): boolean
  /** Share of the on-demand price that remains, by term and payment (`1yr_no_upfront`). */
  tierRates(product: string, of: PricedResource): Readonly<Record<string, number>> | undefined
}

/** A resource as the reference tables look it up. */
export interface PricedResource {
  readonly type: string
  readonly provider: string
  readonly region: string
  readonly instanceType: string
  readonly source: FactSource
}

/** `fires` where the condition is true; `for` says that it must be so for so many days first. */
export type JudgementOutcome = 'fires' | 'clear' | 'hold'

/** What a firing rule says of a resource, before it is weighed against others. */
export interface Description {
  readonly title: string
  readonly from: string
  readonly to: string
  readonly description: string
  readonly remediation: string
  /** US dollars for 30 days, not rounded. */
  readonly costUsd: number
  readonly savingUsd: number
  readonly isAssumed: boolean
  readonly target: TargetSpec | undefined
  readonly tierRates: Readonly<Record<string, number>> | undefined
  readonly evidence: Readonly<Record<string, unknown>>
}
