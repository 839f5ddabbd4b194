/** What is known of commitments beside their costs: names, types and ends, from the lines of bills and from the inventory. */
import { commitmentLines, commitmentPurchases, commitmentResources } from '#analytics/commitment/questions.ts'
import { portions } from '#analytics/store/query.ts'
import { dayMs, dayOf } from '#engine/day.ts'
import type { Static } from '#engine/schema.ts'
import type { Services } from '#http/edge/services.ts'
import type { CommittedRow } from '#http/report/commitment-figure.ts'

export interface About {
  readonly name: string
  readonly type: string
  readonly category: string
  readonly region: string | null
  readonly expiresOn: string | null
  readonly expiryFrom: 'inventory' | 'bill' | null
}

export const unknown: About = { name: '', type: '', category: '', region: null, expiresOn: null, expiryFrom: null }

type Inventory = Static<(typeof commitmentResources)['row']>

/** By id. Only accounts of `rows` are looked at where `isScoped`: others may not be seen. */
export async function aboutCommitments(
  rows: readonly CommittedRow[],
  to: string,
  isScoped: boolean,
  { analytics }: Pick<Services, 'analytics'>,
): Promise<ReadonlyMap<string, About>> {
  const own = rows.filter((row) => row.commitment_id !== '')
  const seen = distinct(own.map((row) => row.cloud_account_id))
  const accounts = isScoped ? seen : []
  const found = new Map<string, About>()
  for (const uids of portions(distinct(own.map((row) => row.commitment_id)), (uid) => uid)) {
    const [bought, inventory] = await Promise.all([
      analytics(commitmentPurchases, { accounts, uids, to }),
      analytics(commitmentResources, { accounts, uids }),
    ])
    const some = own.filter((row) => uids.includes(row.commitment_id))
    const days = distinct([...some.map((row) => row.last_day), ...bought.map((row) => row.bought_on)])
    const places = distinct([...seen, ...bought.map((row) => row.cloud_account_id)])
    const lines = await analytics(commitmentLines, { accounts: places, days, uids })
    const byUid = new Map(inventory.map((row) => [row.uid, row]))
    for (const uid of uids) {
      const line = lines.find((row) => row.commitment_id === uid)
      found.set(uid, aboutOf(line, byUid.get(uid)))
    }
  }
  return found
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)]

type Line = Static<(typeof commitmentLines)['row']>

const nothing: Omit<Line, 'commitment_id'> = { name: '', type: '', category: '', regions: [], ends_on: '' }

function aboutOf(line: Omit<Line, 'commitment_id'> = nothing, resource: Inventory | undefined): About {
  const { name, type, category, regions } = line
  const [region = '', ...others] = regions
  return {
    name: name || resource?.name || '',
    type,
    category,
    region: (others.length === 0 && region) || resource?.region || null,
    ...expiryOf(line.ends_on, resource),
  }
}

/** The inventory knows of a renewal before a bill does. */
function expiryOf(billed: string, resource: Inventory | undefined): Pick<About, 'expiresOn' | 'expiryFrom'> {
  const end = resource ? endOf(resource) : null
  if (end !== null) return { expiresOn: end, expiryFrom: 'inventory' }
  return billed === '' ? { expiresOn: null, expiryFrom: null } : { expiresOn: billed, expiryFrom: 'bill' }
}

const daysShape = /^-?\d{1,6}(?:\.\d+)?$/

/** A day; null for what says none. */
function endOf({ ends_at, days_to_end, observed_on }: Inventory): string | null {
  const at = ends_at === '' ? Number.NaN : Date.parse(ends_at)
  if (!Number.isNaN(at)) return dayOf(new Date(at))
  if (!daysShape.test(days_to_end)) return null
  return dayOf(new Date(Date.parse(observed_on) + Math.floor(Number(days_to_end)) * dayMs))
}
