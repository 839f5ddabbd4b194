/** Compares the values of one tag under two sets of policies, with the costs of past days. Nothing is stored. */
import type { Facts } from '#actors/policy/selector.ts'
import { derivedMax } from '#streams/tagging.ts'
import { units } from '#streams/figure.ts'
import { derive, type TaggingRule } from './derive.ts'
import { effectiveTags } from './effective-tags.ts'
import type { Item } from './inventory.ts'

export interface Tag {
  value: string
  /** `cloud`: the cloud's own; `smart`: derived by a policy; `auto`: from an accepted prediction. */
  source: 'cloud' | 'smart' | 'auto'
}

/**
 * The tag `key` of a resource if everything that `rules` derive were accepted; `predicted`: the value of an accepted
 * prediction.
 */
export function tagBy(
  rules: readonly TaggingRule[],
  key: string,
): (facts: Facts, predicted: string | undefined) => Tag | undefined {
  const asked = rulesAbout(rules, key)
  return (facts, predicted) => {
    const { derived } = derive(facts, asked)
    const auto = predicted === undefined ? {} : { [key]: predicted }
    const tags = effectiveTags(facts.tags, derived, auto)
    if (!Object.hasOwn(tags, key)) return undefined
    const source = Object.hasOwn(facts.tags, key) ? 'cloud' : Object.hasOwn(derived, key) ? 'smart' : 'auto'
    return { value: tags[key]!, source }
  }
}

/** Policies of other keys matter only if there are so many keys that some are left out. */
function rulesAbout(rules: readonly TaggingRule[], key: string): readonly TaggingRule[] {
  const keys = new Set(rules.map((rule) => rule.key))
  return keys.size > derivedMax ? rules : rules.filter((rule) => rule.key === key)
}

/** Amounts are in 10^-14 US dollars. */
export interface TagSide {
  taggedResources: number
  tagged: bigint
  untagged: bigint
  values: Map<string, { resources: number; cost: bigint }>
  /** Costs of tagged resources by day. */
  byDay: bigint[]
}

/** A resource of the inventory with its tag before and after. */
export interface TagOutcome extends Pick<Item, 'cloudAccountId' | 'uid' | 'name'> {
  before: Tag | undefined
  after: Tag | undefined
  cost: bigint
}

const placeOf = (cloudAccountId: string, uid: string): string => `${cloudAccountId}\0${uid}`

const emptySide = (days: number): TagSide => ({
  taggedResources: 0,
  tagged: 0n,
  untagged: 0n,
  values: new Map(),
  byDay: Array.from({ length: days }, () => 0n),
})

/** Add resources first, then their costs, which are matched by account and uid. */
export class TagReplay {
  readonly before: TagSide
  readonly after: TagSide
  /** Costs of resources that are not in the inventory. */
  gone = 0n
  private readonly resources = new Map<string, TagOutcome>()

  constructor(days: number) {
    this.before = emptySide(days)
    this.after = emptySide(days)
  }

  get size(): number {
    return this.resources.size
  }

  add({ cloudAccountId, uid, name }: Item, before: Tag | undefined, after: Tag | undefined): void {
    this.resources.set(placeOf(cloudAccountId, uid), { cloudAccountId, uid, name, before, after, cost: 0n })
    count(this.before, before)
    count(this.after, after)
  }

  /**
   * Adds costs: `costs[i]` belongs to the day with index `days[i]`; a day may occur several times. Costs without a
   * resource have no tag and are left out.
   */
  charge(cloudAccountId: string, uid: string, days: readonly number[], costs: readonly string[]): void {
    if (uid === '') return
    const amounts = costs.map(units)
    const sum = amounts.reduce((all, amount) => all + amount, 0n)
    const found = this.resources.get(placeOf(cloudAccountId, uid))
    if (!found) {
      this.gone += sum
      return
    }
    found.cost += sum
    charge(this.before, found.before, sum, days, amounts)
    charge(this.after, found.after, sum, days, amounts)
  }

  /** Resources whose value differs, most expensive first. */
  changed(): { added: TagOutcome[]; removed: TagOutcome[]; changed: TagOutcome[] } {
    const others = [...this.resources.values()]
      .filter(({ before, after }) => before?.value !== after?.value)
      .toSorted((a, b) => Number(b.cost > a.cost) - Number(b.cost < a.cost) || (a.uid < b.uid ? -1 : 1))
    return {
      added: others.filter(({ before }) => !before),
      removed: others.filter(({ after }) => !after),
      changed: others.filter(({ before, after }) => before && after),
    }
  }
}

function count(side: TagSide, tag: Tag | undefined): void {
  if (!tag) return
  side.taggedResources++
  const value = side.values.get(tag.value) ?? { resources: 0, cost: 0n }
  value.resources++
  side.values.set(tag.value, value)
}

function charge(
  side: TagSide,
  tag: Tag | undefined,
  sum: bigint,
  days: readonly number[],
  amounts: readonly bigint[],
): void {
  if (!tag) {
    side.untagged += sum
    return
  }
  side.tagged += sum
  side.values.get(tag.value)!.cost += sum
  for (const [at, day] of days.entries()) side.byDay[day]! += amounts[at]!
}
