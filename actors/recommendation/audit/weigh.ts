/** Several findings of one resource: which are shown, and what each saves beside the others, so that plain sums are honest. */
import type { ActionType } from '#streams/recommendation.ts'
import type { Description, Rule } from '#actors/recommendation/rule/contract.ts'

/** A rule that fires. */
export interface Firing {
  rule: Rule
  described: Description
  /** Of it people decided that it is not to be done. */
  isDismissed: boolean
}

/** What an open finding of the whole account saves in US dollars for 30 days, by its rule. */
export type Wider = (ruleId: string) => number | undefined

export interface WeighedFinding extends Firing {
  /** The rule that is shown in its place; empty for none. */
  heldBackBy: string
  /** To the cent. */
  costUsd: number
  grossUsd: number
  netUsd: number
}

/** What ends a thing comes before what makes it smaller, that before what turns it off at times, and commitments come last. */
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

/** A commitment for what a whole account uses, or that is one itself. */
const isOfOthers = ({ rule: { saving } }: Firing): boolean =>
  saving.kind === 'commitment' && /^@bill\.(?:service|covered_)/.test(String(saving['base']))

const cents = (usd: number): number => Math.round(usd * 100 + Math.sign(usd) * 1e-7) / 100

/**
 * Of rules that exclude each other the first is shown, in order of rank, of what they save, and of their ids; what is dismissed
 * stands in nobody's way. The cost of the resource is handed out once, in order: what finds none left is held back by the first.
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

/** What a resource costs, as long as there is something left of it. */
class Till {
  /** The rule that took of it first. */
  taker = ''
  private readonly cost: number
  private left: number

  constructor(cost: number) {
    this.cost = cost
    this.left = cost
  }

  /** What the finding saves beside those before it. What is dismissed leaves all to others. */
  take(one: Firing, grossUsd: number): number {
    // Else what it saves is of something else: of what hangs on the resource, or of what a commitment would cover elsewhere.
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

/** By the ids of those that are held back: who is shown in their place. */
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

/** Of a reservation for one thing and a commitment of the whole account the larger counts: it contains the other. */
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
