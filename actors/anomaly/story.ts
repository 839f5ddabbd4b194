/** Which anomalies of a day have one cause (decision G-118): they are one story, and people get one message of it. Pure. */
import type { Static } from '#engine/value/schema.ts'
import type { anomalyFound } from '#streams/anomaly.ts'
import { isAtLeast, rule } from './rule.ts'

type FoundAnomaly = Static<typeof anomalyFound.schema>

/** An anomaly before it is known what others have its cause. */
export interface UnfoldedAnomaly {
  found: Omit<FoundAnomaly, 'story' | 'isQuiet'>
  /** Name of its cause; empty where there is none. */
  cause: string
  /** US dollars of the excess that are charges without a resource, and the service that most of them are of. */
  loose: { usd: number; service: string }
}

/** The narrowest first. */
const breadths: readonly FoundAnomaly['type'][] = ['resource', 'resource_group', 'team', 'cloud_account', 'org']
const breadthOf = ({ found }: UnfoldedAnomaly): number => breadths.indexOf(found.type)
const excessOf = ({ found }: UnfoldedAnomaly): number => found.actualUsd - found.expectedUsd

/** One message tells of so many; a story of more is told in several. */
const togetherMax = 100

/** Each with its story. `notifiesRecurring`: people want to be notified of what is recurring too. */
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

/** `own` are the resources that have an anomaly themselves, by uid. */
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
  // Taxes, support and fees of a month.
  if (isLoose && date.endsWith('-01')) return 'charges'
  const rows = topResources.filter(({ resourceUid }) => own.has(resourceUid))
  const explained = rows.reduce((usd, { deltaUSD }) => usd + deltaUSD, 0)
  if (rows[0] && isAtLeast(explained, rule.shares, excess)) return ofResource(rows[0].resourceUid)
  if (isLoose) return `charge/${loose.service}`
  return top ? `top/${top.resourceUid}` : `${type}/${key}`
}

/** What is no surprise in the narrower ones of a story is none in a wider one that rose by no more. */
function inheritRecurrence(one: UnfoldedAnomaly, story: readonly UnfoldedAnomaly[]): string {
  const recurring = story.filter((other) => other.found.recurrence !== '' && breadthOf(other) < breadthOf(one))
  for (const rows of Map.groupBy(recurring, ({ found }) => found.type).values()) {
    const usd = rows.reduce((sum, row) => sum + excessOf(row), 0)
    if (isAtLeast(usd, 1 - rule.difference, excessOf(one)))
      return rows.toSorted((a, b) => excessOf(b) - excessOf(a))[0]?.found.recurrence ?? ''
  }
  return ''
}
