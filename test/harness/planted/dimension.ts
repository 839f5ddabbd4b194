/** Causes that are seen on many resources together: of an organization, an account, a group or a team. */
import { costOn, steady, type Dice, type Resource, type World } from './world.ts'

export interface Dimension {
  type: 'org' | 'cloud_account' | 'resource_group' | 'team'
  key: string
  accounts: readonly [string, string, string]
}

const types = ['vm', 'database', 'cache', 'queue', 'bucket'] as const

interface Part {
  resource: Resource
  /** First seen so many days before the analysed one, at most 2; undefined: always there. */
  age?: number
  /** Its part of what its side explains. */
  weight: number
}

/** Two sides of an excess: what the cause explains, and everything else. */
interface Plan {
  share: number
  because: Part[]
  beside: Part[]
}

const mean7 = (resource: Resource): number =>
  [1, 2, 3, 4, 5, 6, 7].reduce((sum, back) => sum + costOn(resource, -back), 0) / 7

const setCost = (resource: Resource, cost: number): void => {
  const charge = resource.days.get(0)!
  resource.days.set(0, { ...charge, used: Math.max(cost, 0) / charge.rate })
}

/** Sets the costs of the day so that the excess is made as planned: 40 to 150 % of the baseline, `share` of it by the cause. */
function shape(draw: Dice, { share, because, beside }: Plan): void {
  const all = [...because, ...beside].filter(({ age }) => age === undefined)
  const excess = draw.from(0.4, 1.5) * all.reduce((sum, { resource }) => sum + mean7(resource), 0)
  const give = (parts: readonly Part[], usd: number): number => {
    const weights = parts.reduce((sum, { weight }) => sum + weight, 0)
    return parts.reduce((sum, part) => sum + charge(draw, part, (usd * part.weight) / weights), 0)
  }
  const explained = give(because, share * excess)
  give(beside, excess - explained)
}

/** Charges the day with `usd` more, or wholly where the resource is new; what that adds to the excess. */
function charge(draw: Dice, { resource, age }: Part, usd: number): number {
  if (age === undefined) {
    setCost(resource, mean7(resource) + usd)
    return usd
  }
  const rate = draw.from(0.2, 4)
  resource.days.clear()
  delete resource.diskUsd
  // The day it was made is not a whole one.
  for (let back = age; back >= 0; back--)
    resource.days.set(-back, { used: (usd / rate) * (back === age && age > 0 ? draw.from(0.1, 1) : 1), rate })
  return usd - mean7(resource)
}

interface Made {
  draw: Dice
  at: Dimension
  part: (more: { account?: string; type?: string; age?: number; weight?: number }) => Part
}

type Kind = (made: Made, world: World) => { plan: Plan; begins: string; added?: readonly Part[] }

const parts = (count: number, make: (i: number) => Part): Part[] => Array.from({ length: count }, (_, i) => make(i))

/** New resources explain so much of the excess; the rest is growth of what was there. */
const newcomers =
  (name: string, low: number, high: number): Kind =>
  ({ draw, part }) => ({
    plan: {
      share: draw.from(low, high),
      because: parts(draw.whole(1, 5), () => part({ age: draw.whole(0, 2) })),
      beside: parts(draw.whole(2, 4), (i) => part({ type: types[i % 3]! })),
    },
    begins: `${name}: `,
  })

/** Accounts that are billed for fourteen days at most. */
const onboarded: Kind = (made, world) => {
  const planned = newcomers('New-account onboarding', 0.61, 1.2)(made, world)
  for (const { resource } of planned.plan.beside)
    for (const offset of resource.days.keys()) if (offset < -14) resource.days.delete(offset)
  return planned
}

const oneType: Kind = ({ draw, part }) => {
  const [type, ...others] = draw.chance(0.5) ? types : types.toReversed()
  return {
    plan: {
      share: draw.from(0.62, 1),
      because: parts(draw.whole(1, 3), () => part({ type: type! })),
      beside: parts(draw.whole(2, 4), (i) => part({ type: others[i % others.length]! })),
    },
    begins: `Resource-type spike: resources of type ${type},`,
  }
}

const oneAccount: Kind = ({ draw, at, part }) => {
  const [account, ...others] = at.accounts
  return {
    plan: {
      share: draw.from(0.62, 0.9),
      because: parts(4, (i) => part({ account, type: types[i]!, weight: draw.from(0.8, 1.2) })),
      beside: parts(4, (i) => part({ account: others[i % 2]!, type: types[i + 1]!, weight: draw.from(0.8, 1.2) })),
    },
    begins: `Cloud-account spike: resources in account ${account},`,
  }
}

const joined: Kind = ({ draw, part }) => {
  const because = parts(draw.whole(1, 3), () => part(draw.chance(0.3) ? { age: draw.whole(0, 2) } : {}))
  return {
    plan: { share: draw.from(0.7, 1), because, beside: parts(draw.whole(2, 4), () => part({})) },
    begins: `Membership diff: ${because.length} member`,
    added: because,
  }
}

/** No type and no account stands out: then the resource whose excess is largest says why. */
const oneResource: Kind = ({ draw, at, part }, world) => {
  const [first, ...others] = at.accounts
  const top = part({ account: first, type: types[0] })
  const cause = draw.one(['Instance resize', 'Reservation expiry', 'Schedule failure'])
  if (cause === 'Schedule failure') world.failedStop(top.resource.uid, 0, 'failed')
  for (const [offset, was] of top.resource.days) {
    const isBefore = offset < 0
    const purchase = cause === 'Reservation expiry' && isBefore ? 'reserved' : 'on_demand'
    const rate = cause === 'Instance resize' && !isBefore ? was.rate * draw.from(1.6, 3) : was.rate
    top.resource.days.set(offset, { ...was, purchase, rate })
  }
  const beside = parts(3, (i) => part({ account: others[i % 2]!, type: types[i + 1]!, weight: draw.from(0.8, 1.2) }))
  return { plan: { share: draw.from(0.36, 0.5), because: [top], beside }, begins: `${cause}: ` }
}

/** The largest excess is that of a resource that is new, but less than half of all. */
const oneNew: Kind = ({ draw, part }) => {
  const because = [part({ type: types[0], age: draw.whole(0, 2) })]
  const beside = parts(4, (i) => part({ type: types[i + 1]!, weight: draw.from(0.9, 1.1) }))
  return { plan: { share: draw.from(0.4, 0.48), because, beside }, begins: 'New resource: ' }
}

export const broadCauses: Readonly<Record<string, Kind>> = {
  'new-account onboarding': onboarded,
  'new resources': newcomers('New resources', 0.51, 0.59),
  'resource-type spike': oneType,
}
export const memberCauses: Readonly<Record<string, Kind>> = {
  'membership diff': joined,
  'drill-down by type': oneType,
  'drill-down by account': oneAccount,
  'per-resource fallback': oneResource,
}
export const accountCauses: Readonly<Record<string, Kind>> = { 'new resource': oneNew }

export function plantDimension(world: World, draw: Dice, kind: string, plant: Kind, at: Dimension): void {
  let made = 0
  const part: Made['part'] = ({ account, type, age, weight = draw.from(0.2, 1) }) => ({
    resource: steady(draw, `${at.key}-${made++}`, account ?? draw.one(at.accounts), type ?? draw.one(types)),
    weight,
    ...(age !== undefined && { age }),
  })
  const { plan, begins, added = [] } = plant({ draw, at, part }, world)
  shape(draw, plan)
  const all = [...plan.because, ...plan.beside]
  for (const { resource } of all) world.bill(resource)
  if (at.type === 'team' || at.type === 'resource_group') {
    const since = (one: Part) => (added.includes(one) ? -draw.whole(0, 7) : -60)
    world.membership(
      at.type,
      at.key,
      all.map((one) => ({ uid: one.resource.uid, since: since(one) })),
    )
  }
  world.plant({ kind, type: at.type, key: at.key, begins })
}
