/** Types shared by the parts of the rule engine. */
import type { ActionType, Category, DisturbanceKind, Severity } from '#streams/recommendation.ts'

/** The type of the resource has no such fact. */
export const absent = Symbol('absent')

export type KnownValue = number | boolean | string | readonly (number | string | boolean)[]
/** A value; null: known to be empty; undefined: unknown; `absent`: the type has no such fact. */
export type Fact = KnownValue | null | undefined | typeof absent

/** Returns the fact of one path of the rule language. */
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

/** One rule as its file contains it; `schema.ts` defines what is valid. */
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

/** The target of a rule: specs after the change, named like the type's own specs. */
export type TargetSpec = Readonly<Record<string, unknown>>

/** The tables of sizes, prices, support dates and discounts that the product has, versioned. */
export interface References {
  readonly version: string
  /** `ref.*` of a resource: derived from its size, region and version. Undefined if the tables do not have it. */
  fact(path: string, of: PricedResource): Fact
  /** The cheapest entry that meets all needs and keeps what `keep` names. Undefined if none is known. */
  fit(
    catalogue: string,
    keep: readonly string[],
    need: Readonly<Record<string, Fact>>,
    of: PricedResource,
  ): TargetSpec | undefined
  lookup(table: string, key: Fact, column: string, of: PricedResource): string | number | undefined
  /**
   * US dollars for an hour, or a GB-month, of the resource as it is, or of the target. If only ratios are known, the
   * unit differs: two prices of one resource may be divided, but a price must not be shown. Default of `per`: GB-month
   * for disks and snapshots, otherwise hour.
   */
  price(of: PricedResource, target: TargetSpec | undefined, per?: 'hour' | 'gb_month'): number | undefined
  /** Whether prices of its kind are only relative. */
  isRelative?(of: PricedResource): boolean
  /** The prices above, with their sources. */
  readonly quotes?: PriceQuotes
  /** Fraction of the on-demand price that remains, by term and payment (`1yr_no_upfront`). */
  tierRates(product: string, of: PricedResource): Readonly<Record<string, number>> | undefined
}

/** A list price as a figure shows it. */
export interface PriceQuote {
  /** A size, a kind of storage, a unit, or a commitment with its term and payment. */
  readonly name: string
  /** US dollars; of a commitment: left out. */
  readonly usd?: number
  readonly per?: 'hour' | 'gb_month' | 'unit'
  /** Of a commitment: the part of the price on demand that remains. */
  readonly share?: number
  /** The cloud's price list, the operator's file, or the page that a table is from. */
  readonly source: string
  /** Day or month from which the source has it; empty if unknown. */
  readonly effectiveOn: string
}

/** Undefined and empty where no price is known, or only how prices relate to each other. */
interface PriceQuotes {
  price(of: PricedResource, target: TargetSpec | undefined, per?: 'hour' | 'gb_month'): PriceQuote | undefined
  /** By the key of a unit price. */
  unit(key: string, of: PricedResource): PriceQuote | undefined
  rates(product: string, of: PricedResource): readonly PriceQuote[]
}

/** The fields of a resource that the reference tables read. */
export interface PricedResource {
  readonly type: string
  readonly provider: string
  readonly region: string
  readonly instanceType: string
  readonly source: FactSource
}

/** `fires`: the condition is true, and has been for the required number of days. */
export type JudgementOutcome = 'fires' | 'clear' | 'hold'

/** The description of a finding, before it is weighed against others. */
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
