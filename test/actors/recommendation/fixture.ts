/** Facts by construction: what makes a rule fire on a type, what does not, and what lies on the edge. Knows nothing of the compiler. */
import { typesOf } from '#actors/recommendation/rule/check.ts'
import {
  absent,
  type RuleCondition,
  type Expr,
  type Fact,
  type FactSource,
  type Operand,
  type PricedResource,
  type References,
  type Rule,
} from '#actors/recommendation/rule/contract.ts'
import { declares, kindOf } from '#actors/recommendation/rule/vocabulary.ts'

export type Facts = Record<string, Fact>
export type Leaf = Extract<RuleCondition, { readonly attr: string }>

/** Facts that are not given are unknown; those that the type does not have are absent. */
export const sourceOf =
  (type: string, facts: Facts): FactSource =>
  (path) =>
    declares(type, path) ? facts[path] : absent

/** Sizes and prices of no cloud: every target is half of what is, at three fifths of the price. */
export const stubReferences: References = {
  version: 'stub',
  fact: () => undefined,
  fit: (_catalogue, _keep, need) => ({
    instance_type: 'next.large',
    sku: 'next',
    capacity: 1,
    ...Object.fromEntries(Object.entries(need).map(([name, value]) => [name, Math.max(1, Math.ceil(Number(value)))])),
  }),
  lookup: (_table, _key, column) => `next.${column}`,
  price: (_of, target) => (target ? 0.06 : 0.1),
  tierRates: () => ({ '1yr_no_upfront': 0.72, '3yr_all_upfront': 0.5 }),
}

export const pricedAs = (type: string, source: FactSource): PricedResource => ({
  type,
  provider: type.slice(0, type.indexOf('-')),
  region: 'eu-west-1',
  instanceType: 'type.large',
  source,
})

/** Rules and the types they name; of those that name every type, three. */
export const pairsOf = (rules: readonly Rule[]): { rule: Rule; type: string }[] =>
  rules.flatMap((rule) => {
    const types = typesOf(rule)
    const few = rule.applies.types.some((name) => name.endsWith('-*')) ? types.slice(0, 3) : types
    return few.map((type) => ({ rule, type }))
  })

/** The next double above (`way` 1) or below (-1). */
export function ulp(value: number, way: 1 | -1): number {
  if (value === 0) return way * Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(value > 0 ? way : -way))
  return view.getFloat64(0)
}

export function leavesOf(of: RuleCondition): Leaf[] {
  if ('all' in of) return of.all.flatMap(leavesOf)
  if ('any' in of) return of.any.flatMap(leavesOf)
  return 'not' in of ? leavesOf(of.not) : [of]
}

/** Leaves that must all hold: not those inside an `any`. */
export function musts(of: RuleCondition): Leaf[] {
  if ('all' in of) return of.all.flatMap(musts)
  return 'attr' in of ? [of] : []
}

/** Paths behind an operand or expression, through derived values. */
export function behind(rule: Rule, value: unknown): string[] {
  if (typeof value === 'string') {
    if (!value.startsWith('@')) return []
    const path = value.slice(1)
    return path.startsWith('let.') ? behind(rule, rule.let![path.slice(4)]) : [path]
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap((one) => behind(rule, one)) : []
}

export const factsOf = (rule: Rule, leaf: Leaf): string[] => [
  ...new Set([...behind(rule, `@${leaf.attr}`), ...behind(rule, leaf.values)]),
]

const facts = {
  'res.age_days': 400,
  'res.managed': false,
  'res.size_gb': 500,
  'res.instance_type': 'type.large',
  'res.region': 'eu-west-1',
  'res.env': 'dev',
  'res.taggable': true,
  'policy.nonprod_envs': ['dev', 'staging'],
  'policy.business_hours_per_week': 50,
  'bill.cost_30d': 300,
  'bill.usage_hours_30d': 720,
  'ref.instance.vcpus': 8,
  'ref.instance.memory_gib': 32,
  'ref.instance.gpu_count': 0,
  'ref.lifecycle.successor': '2.0',
  'ref.price.aws.aurora.io_request': 2e-7,
  'hist.running_share_30d': 1,
} satisfies Facts

/** Something likely where the condition asks for nothing. */
function likely(type: string, path: string): Fact {
  if (path in facts) return facts[path as keyof typeof facts]
  const kind = kindOf(type, path)
  if (kind === 'bool') return false
  if (kind === 'list') return ['one', 'two']
  if (kind === 'enum' || kind === 'str') return 'standard'
  if (path.startsWith('ref.price.')) return 0.02
  if (path.startsWith('bill.component.')) return 40
  if (/percent/.test(path)) return path.includes('.p99.') ? 60 : 30
  return /share|utilization|coverage/.test(path) ? 0.5 : 20
}

/** Makes facts for one rule on one type. */
export class Fixture {
  readonly rule: Rule
  readonly type: string
  readonly facts: Facts
  constructor(rule: Rule, type: string) {
    this.rule = rule
    this.type = type
    const needs = rule.needs
    const spaces: Record<string, readonly string[]> = { metric: needs.metrics, ...needs, windowDays: [], metrics: [] }
    const paths = Object.entries(spaces).flatMap(([space, names]) => names.map((name) => `${space}.${name}`))
    this.facts = Object.fromEntries(paths.map((path) => [path, likely(type, path)]))
    Object.assign(this.facts, facts, {
      'res.name': 'sample-1',
      'res.type': type,
      'res.status': rule.applies.status?.[0] ?? 'running',
    })
    const derived = (leaf: Leaf) => leaf.attr.startsWith('let.')
    const chosen = this.#chosen(rule.when)
    for (const leaf of chosen.filter((one) => !derived(one))) this.facts[leaf.attr] = this.#wanted(leaf)
    this.#between(chosen.filter((one) => !derived(one)))
    for (const leaf of chosen.filter(derived)) this.#search(leaf, chosen)
  }

  /** The leaves to make true: of `any` the first way that the type has all facts of. */
  #chosen(of: RuleCondition): Leaf[] {
    if ('all' in of) return of.all.flatMap((part) => this.#chosen(part))
    if ('any' in of) {
      const ways = of.any.map((part) => this.#chosen(part))
      return (
        ways.find((way) => way.every((leaf) => factsOf(this.rule, leaf).every((path) => declares(this.type, path)))) ??
        ways[0]!
      )
    }
    return 'attr' in of ? [of] : []
  }

  /** Where one fact has a lower and an upper bound, the middle. */
  #between(leaves: readonly Leaf[]): void {
    for (const low of leaves.filter(({ op }) => op.startsWith('gt')))
      for (const high of leaves.filter(({ attr, op }) => attr === low.attr && op.startsWith('lt')))
        this.facts[low.attr] = (Number(this.bound(low)) + Number(this.bound(high))) / 2
  }

  /** The value of an operand or expression. */
  value(of: Expr | undefined): Fact {
    if (Array.isArray(of))
      return calculated(
        of[0] as string,
        (of.slice(1) as Expr[]).map((one) => this.value(one)),
      )
    const operand = of as Operand
    if (typeof operand !== 'string') return operand
    if (operand.startsWith('$')) return this.rule.params[operand.slice(1)]
    if (!operand.startsWith('@')) return operand
    const path = operand.slice(1)
    if (path.startsWith('let.')) return this.value(this.rule.let![path.slice(4)])
    return declares(this.type, path) ? this.facts[path] : absent
  }

  bound(leaf: Leaf): Fact {
    return this.value(leaf.values[0] as Expr)
  }

  #wanted({ op, ...leaf }: Leaf): Fact {
    const bound = this.bound({ op, ...leaf })
    const n = Number(bound)
    const step = n === 0 || Math.abs(n) >= 1 ? Math.max(1, Math.abs(n) / 4) : Math.abs(n) / 10
    const above = n >= 1 || n === 0 ? n + 10 : n + step
    const values: Record<string, Fact> = {
      eq: bound,
      in: Array.isArray(bound) ? bound[0] : bound,
      ne: typeof bound === 'number' ? bound + 1 : 'another',
      not_in: 'another',
      lt: n - step,
      lte: n,
      gt: above,
      gte: n,
      contains: kindOf(this.type, leaf.attr) === 'list' ? [String(bound)] : `x ${String(bound)} y`,
      not_contains: 'plain',
      starts_with: `${String(bound)}large`,
      ends_with: `large${String(bound)}`,
      exists: kindOf(this.type, leaf.attr) === 'list' ? ['22'] : 'x',
      missing: null,
      is_true: true,
      is_false: false,
    }
    return values[op]
  }

  /** Turns one fact behind a derived value up and down until the leaf holds. */
  #search(leaf: Leaf, chosen: readonly Leaf[]): void {
    const fixed = new Set(chosen.map(({ attr }) => attr))
    const paths = factsOf(this.rule, leaf).filter((path) => !fixed.has(path))
    const amounts = [0, ...Array.from({ length: 40 }, (_, n) => 10 ** (n / 2 - 6))]
    for (const path of paths)
      for (const amount of amounts) {
        const before = this.facts[path]
        this.facts[path] = amount
        if (this.holds(leaf)) return
        this.facts[path] = before
      }
  }

  /** Whether a leaf that compares numbers holds of the facts as they are now. */
  holds(leaf: Leaf): boolean {
    const value = this.value(`@${leaf.attr}`)
    const bound = this.bound(leaf)
    if (typeof value !== 'number' || typeof bound !== 'number' || !Number.isFinite(value)) return false
    return { lt: value < bound, lte: value <= bound, gt: value > bound, gte: value >= bound }[leaf.op] ?? false
  }
}

/** What makes a leaf false: of a known value that is not empty. */
export function opposite(leaf: Leaf, bound: Fact): Fact {
  const values: Record<string, Fact> = {
    eq: typeof bound === 'number' ? bound + 1 : 'another',
    in: 'another',
    ne: bound,
    not_in: Array.isArray(bound) ? bound[0] : bound,
    lt: 1e15,
    lte: 1e15,
    gt: -1e15,
    gte: -1e15,
    contains: 'nothing',
    not_contains: `x${String(bound)}`,
    starts_with: '#',
    ends_with: '#',
    exists: null,
    missing: 'x',
    is_true: false,
    is_false: true,
  }
  return values[leaf.op]
}

function calculated(name: string, values: readonly Fact[]): Fact {
  if (name === 'first') return values.find((one) => one !== null && one !== absent)
  const numbers = values.map(Number)
  const [a = 0, b = 0] = numbers
  const results: Record<string, () => number> = {
    add: () => numbers.reduce((x, y) => x + y),
    mul: () => numbers.reduce((x, y) => x * y),
    min: () => Math.min(...numbers),
    max: () => Math.max(...numbers),
    sub: () => a - b,
    div: () => a / b,
    ceil: () => Math.ceil(a - 1e-9),
    floor: () => Math.floor(a + 1e-9),
    abs: () => Math.abs(a),
    round_up: () => Math.ceil(a / b - 1e-9) * b,
  }
  return results[name]!()
}
