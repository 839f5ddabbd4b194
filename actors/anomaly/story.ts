/**
 * Groups the anomalies of a day by cause (decision G-118). Those with one cause form a story, for which people get one
 * message. Pure.
 */
import type { Static } from '#engine/value/schema.ts'
import type { anomalyFound } from '#streams/anomaly.ts'
import { isAtLeast, rule } from './rule.ts'

type FoundAnomaly = Static<typeof anomalyFound.schema>

/** An anomaly before it is assigned to a story. */
export interface UnfoldedAnomaly {
  found: Omit<FoundAnomaly, 'story' | 'isQuiet'>
  /** Name of its cause; empty if there is none. */
  cause: string
  /** US dollars of the excess that are charges without a resource, and the service with most of them. */
  loose: { usd: number; service: string }
}

/** Narrowest first. */
const breadths: readonly FoundAnomaly['type'][] = ['resource', 'resource_group', 'team', 'cloud_account', 'org']
const breadthOf = ({ found }: UnfoldedAnomaly): number => breadths.indexOf(found.type)
const excessOf = ({ found }: UnfoldedAnomaly): number => found.actualUsd - found.expectedUsd

/** Maximum anomalies in one message; a larger story is split. */
const togetherMax = 100

/** Assigns each anomaly to its story. `notifiesRecurring`: people also want to be notified of recurring anomalies. */
export function foldAnomalies(all: readonly UnfoldedAnomaly[], notifiesRecurring: boolean): FoundAnomaly[] {
  const own = new Map(
    all.flatMap((one) => (one.found.type === 'resource' && !one.found.suppressed ? [[one.found.key, one]] : [])),
  )
  const stories = Map.groupBy(all, (one) => `${Number(one.found.suppressed)} ${storyOf(one, own)}`)
  return [...stories].flatMap(([name, rows]) => {
    const key = name.slice(2)
    const ranked = rows.toSorted(key.startsWith('resource/') ? narrowestFirst : widestFirst)
    const known = ranked.map((one): FoundAnomaly => {
      const recurrence = one.found.recurrence || inheritRecurrence(one, ranked)
      return { ...one.found, recurrence, isQuiet: recurrence !== '' && !notifiesRecurring }
    })
    const tellable = known.filter((one) => !one.suppressed && !one.isQuiet)
    return known.map((one) => ({ ...one, story: placeIn(tellable, one, key) }))
  })
}

const narrowestFirst = (a: UnfoldedAnomaly, b: UnfoldedAnomaly): number =>
  breadthOf(a) - breadthOf(b) || excessOf(b) - excessOf(a)
const widestFirst = (a: UnfoldedAnomaly, b: UnfoldedAnomaly): number =>
  breadthOf(b) - breadthOf(a) || excessOf(b) - excessOf(a)

function placeIn(
  tellable: readonly FoundAnomaly[],
  one: FoundAnomaly,
  key: string,
): NonNullable<FoundAnomaly['story']> {
  const place = tellable.indexOf(one)
  if (place === -1) return { key, part: 0, size: 0, place: 0 }
  const part = Math.floor(place / togetherMax)
  return { key, part, size: Math.min(togetherMax, tellable.length - part * togetherMax), place: place % togetherMax }
}

/** `own`: the resources that have an anomaly themselves, by uid. */
function storyOf(one: UnfoldedAnomaly, own: ReadonlyMap<string, UnfoldedAnomaly>): string {
  if (one.cause === 'Credits ended') return 'credits'
  return one.found.type === 'resource' ? resourceStory(one) : wideStory(one, own)
}

const resourceStory = ({ found: { key, cloudAccountId }, cause }: UnfoldedAnomaly): string =>
  cause === 'Reservation expiry' ? `reservation/${cloudAccountId}` : `resource/${key}`

function wideStory(one: UnfoldedAnomaly, own: ReadonlyMap<string, UnfoldedAnomaly>): string {
  const { found, loose } = one
  const { type, key, topResources, date } = found
  const excess = excessOf(one)
  const ofResource = (uid: string): string => {
    const row = own.get(uid)
    return row ? storyOf(row, own) : `resource/${uid}`
  }
  const [top] = topResources
  if (top && isAtLeast(top.deltaUSD, rule.shares, excess)) return ofResource(top.resourceUid)
  const isLoose = loose.service !== '' && isAtLeast(loose.usd, rule.shares, excess)
  // Monthly taxes, support and fees.
  if (isLoose && date.endsWith('-01')) return 'charges'
  const rows = topResources.filter(({ resourceUid }) => own.has(resourceUid))
  const explained = rows.reduce((usd, { deltaUSD }) => usd + deltaUSD, 0)
  if (rows[0] && isAtLeast(explained, rule.shares, excess)) return ofResource(rows[0].resourceUid)
  if (isLoose) return `charge/${loose.service}`
  return top ? `top/${top.resourceUid}` : `${type}/${key}`
}

/** If narrower anomalies of the story are recurring, so is a wider one that rose by no more than they did. */
function inheritRecurrence(one: UnfoldedAnomaly, story: readonly UnfoldedAnomaly[]): string {
  const recurring = story.filter((other) => other.found.recurrence !== '' && breadthOf(other) < breadthOf(one))
  for (const rows of Map.groupBy(recurring, ({ found }) => found.type).values()) {
    const usd = rows.reduce((sum, row) => sum + excessOf(row), 0)
    if (isAtLeast(usd, 1 - rule.difference, excessOf(one)))
      return rows.toSorted((a, b) => excessOf(b) - excessOf(a))[0]?.found.recurrence ?? ''
  }
  return ''
}
