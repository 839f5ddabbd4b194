/**
 * Weighs several findings of one resource: which of them are shown, and what each saves in addition to the others, so
 * that savings can be summed.
 */
import type { ActionType } from '#streams/recommendation.ts'
import type { Description, Rule } from '#actors/recommendation/rule/contract.ts'

/** A rule that fires. */
export interface Firing {
  rule: Rule
  described: Description
  /** People dismissed it. */
  isDismissed: boolean
}

/** Savings of an open finding for the whole account, US dollars for 30 days, by rule id; undefined if there is none. */
export type Wider = (ruleId: string) => number | undefined

export interface WeighedFinding extends Firing {
  /** The rule that is shown instead; empty for none. */
  heldBackBy: string
  /** US dollars for 30 days, rounded to cents. */
  costUsd: number
  grossUsd: number
  netUsd: number
}

/**
 * Order in which findings share the cost: ending a resource, then making it smaller, then stopping it at times, and
 * commitments last.
 */
const order: readonly (readonly ActionType[])[] = [
  ['delete', 'stop', 'pause'],
  ['resize', 'change_type', 'upgrade'],
  ['schedule'],
  ['modify', 'configure'],
  ['tag', 'none'],
  ['purchase'],
]
const placeOf = ({ rule }: Firing): number => order.findIndex((types) => types.includes(rule.action.type))
const rankOf = ({ rule }: Firing): number => rule.exclusive?.rank ?? 0

/** A commitment for the usage of a whole account, or about a commitment itself. */
const isOfOthers = ({ rule: { saving } }: Firing): boolean =>
  saving.kind === 'commitment' && /^@bill\.(?:service|covered_)/.test(String(saving['base']))

const cents = (usd: number): number => Math.round(usd * 100 + Math.sign(usd) * 1e-7) / 100

/**
 * Of rules that exclude each other only the first is shown, by rank, then savings, then id. Dismissed findings exclude
 * nothing. The cost of the resource is allocated once, in order; a finding that gets nothing is held back by the first.
 * @param costUsd of the resource for 30 days
 */
export function weigh(firing: readonly Firing[], costUsd: number, wider: Wider = () => undefined): WeighedFinding[] {
  const isAlone = firing.length === 1 && firing[0]!.rule.alternativeTo === undefined
  const shownBy = isAlone ? nobody : shownOf(firing, wider)
  const ordered = isAlone
    ? firing
    : firing.toSorted(
        (a, b) =>
          placeOf(a) - placeOf(b) ||
          rankOf(a) - rankOf(b) ||
          b.described.savingUsd - a.described.savingUsd ||
          (a.rule.id < b.rule.id ? -1 : 1),
      )
  const till = new Till(cents(Math.max(costUsd, 0)))
  return ordered.map((one) => {
    const grossUsd = cents(one.described.savingUsd)
    const excludedBy = shownBy.get(one.rule.id) ?? ''
    const netUsd = excludedBy === '' ? till.take(one, grossUsd) : 0
    const isTaken = grossUsd > 0 && netUsd === 0
    const heldBackBy = excludedBy || (isTaken ? till.taker : '')
    return { ...one, heldBackBy, costUsd: cents(one.described.costUsd), grossUsd, netUsd }
  })
}

const nobody: ReadonlyMap<string, string> = new Map()

/** The part of a resource's cost that has not been allocated to a finding yet. */
class Till {
  /** The first rule that was allocated a part. */
  taker = ''
  private readonly cost: number
  private left: number

  constructor(cost: number) {
    this.cost = cost
    this.left = cost
  }

  /** Allocates savings to a finding, after those before it. A dismissed finding leaves everything to the others. */
  take(one: Firing, grossUsd: number): number {
    // Otherwise it saves the cost of something else: of dependent resources, or of usage elsewhere that a commitment
    // would cover.
    const isOwn = cents(one.described.costUsd) <= this.cost && !isOfOthers(one)
    if (!isOwn || grossUsd <= 0) return grossUsd
    const share = this.cost > 0 ? cents((grossUsd * this.left) / this.cost) : 0
    const net = Math.max(0, Math.min(share, this.left))
    if (net === 0 || one.isDismissed) return net
    this.left = cents(this.left - net)
    this.taker ||= one.rule.id
    return net
  }
}

/** By id of a rule that is held back: the rule shown instead. */
function shownOf(firing: readonly Firing[], wider: Wider): Map<string, string> {
  const groups = Map.groupBy(
    firing.filter(({ rule, isDismissed }) => rule.exclusive && !isDismissed),
    ({ rule }) => rule.exclusive!.group,
  )
  const held = new Map<string, string>()
  for (const group of groups.values()) {
    const [first, ...others] = group.toSorted(
      (a, b) =>
        rankOf(a) - rankOf(b) || b.described.savingUsd - a.described.savingUsd || (a.rule.id < b.rule.id ? -1 : 1),
    )
    for (const { rule } of others) held.set(rule.id, first!.rule.id)
  }
  for (const [id, by] of alternatives(firing, wider)) held.set(id, by)
  return held
}

/**
 * Of a reservation for one resource and a commitment for the whole account, the one with larger savings is shown: it
 * includes the other.
 */
function alternatives(firing: readonly Firing[], wider: Wider): [string, string][] {
  const here = new Map(firing.filter((one) => !one.isDismissed).map((one) => [one.rule.id, one]))
  return [...here.values()].flatMap(({ rule, described }): [string, string][] => {
    const { alternativeTo } = rule
    if (alternativeTo === undefined) return []
    const other = here.get(alternativeTo)?.described.savingUsd ?? wider(alternativeTo)
    if (other === undefined) return []
    if (other >= described.savingUsd) return [[rule.id, alternativeTo]]
    return here.has(alternativeTo) ? [[alternativeTo, rule.id]] : []
  })
}
