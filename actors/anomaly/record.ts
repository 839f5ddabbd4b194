/**
 * The stored record of an anomaly, read by analysts and the edge. Each change appends the whole record, which replaces
 * the one before.
 */
import { anomalyRecords } from '#analytics/anomaly/questions.ts'
import { anomalyState } from '#analytics/anomaly/tables.ts'
import { portions } from '#analytics/store/query.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { anomalyNotified, anomalyReviewed, type anomalyFound } from '#streams/anomaly.ts'
import { anomalyChanged, anomalyGone, anomalyRecorded } from '#streams/live/messages.ts'
import type { StoredAnomaly } from './entity.ts'

export type FoundAnomaly = Static<typeof anomalyFound.schema>
type Row = Static<typeof anomalyState.row>
/** Identifies an anomaly: a day of a dimension. */
export type Which = Pick<FoundAnomaly, 'date' | 'type' | 'key'>

/** By `recordKey`: the records that messages of this batch amend. */
export type AnomalyNeeds = ReadonlyMap<string, Row>

export const recordKey = (orgId: string, { type, key, date }: Which): string => [orgId, type, key, date].join('\0')

/** Messages that amend a record without containing it. */
const amending = new Set([anomalyNotified.name, anomalyReviewed.name])

export async function anomalyNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<AnomalyNeeds> {
  const wanted = waiting.filter(({ subject }) => amending.has(subject.name))
  const found = new Map<string, Row>()
  const byOrg = Map.groupBy(wanted, ({ address }) => address.orgId)
  await Promise.all(
    [...byOrg].map(async ([org, list]) => {
      const asked = new Map(list.map(({ data }) => [recordKey(org, data as Which), data as Which]))
      for (const some of portions(asked.values(), ({ key }) => key))
        for (const row of await recordsOf(reads, org, some))
          found.set(recordKey(org, { type: row.anomaly_type, key: row.anomaly_key, date: row.date }), row)
    }),
  )
  return found
}

async function recordsOf(reads: TurnReads, org: string, some: readonly Which[]): Promise<Row[]> {
  const params = {
    org,
    days: [...new Set(some.map(({ date }) => date))],
    types: [...new Set(some.map(({ type }) => type))],
    keys: [...new Set(some.map(({ key }) => key))],
  }
  return (await reads.facts(anomalyRecords.textFor(params), params)).map(anomalyRecords.decode)
}

export const idOf = (orgId: string, { type, key, date }: Which): string => uuidOf('anomaly', orgId, type, key, date)

/** Columns that do not come from the detection. */
const marksOf = ({ notifiedAt, createdAt, review }: StoredAnomaly) => ({
  notified: Number(notifiedAt !== null),
  notified_at: notifiedAt,
  created_at: createdAt,
  review_state: review?.state ?? '',
  review_until: review?.until ?? null,
  review_note: review?.note ?? '',
  reviewed_by: review?.userId ?? '',
  reviewed_at: review?.at ?? null,
})

/** Appends what was found. */
export function append(found: FoundAnomaly, one: StoredAnomaly, turn: Turn<AnomalyNeeds>): void {
  write(
    {
      org_id: turn.address.orgId,
      date: found.date,
      anomaly_type: found.type,
      anomaly_key: found.key,
      label: found.label,
      id: idOf(turn.address.orgId, found),
      severity: found.suppressed ? 'info' : found.severity,
      method: found.method,
      actual_usd: found.actualUsd,
      expected_usd: found.expectedUsd,
      deviation_percent: found.deviationPercent,
      root_cause: found.rootCause,
      explained: JSON.stringify(found.explained),
      top_resources: JSON.stringify(found.topResources),
      cloud_account_id: found.cloudAccountId,
      team_id: found.teamId,
      origin: found.origin,
      suppressed: Number(found.suppressed),
      story: found.story?.key ?? '',
      recurrence: found.recurrence ?? '',
      ...marksOf(one),
      withdrawn: Number(one.withdrawn ?? false),
    },
    turn,
  )
  const shown = shownOf(found, turn)
  if (one.withdrawn) turn.tell(anomalyGone, shown, seenBy(found))
  else turn.tell(anomalyRecorded, { ...shown, severity: found.suppressed ? 'info' : found.severity }, seenBy(found))
}

const shownOf = ({ date, type, key }: Which, turn: Turn<AnomalyNeeds>) => ({
  id: idOf(turn.address.orgId, { date, type, key }),
  date,
  type,
})

/** Account and team for roles that see only some costs, as in `anomaly_page.sql`. */
function seenBy({
  type,
  key,
  cloudAccountId,
  teamId,
}: Pick<FoundAnomaly, 'type' | 'key' | 'cloudAccountId' | 'teamId'>) {
  const cloudAccountID = type === 'cloud_account' ? key : type === 'resource' ? cloudAccountId : ''
  const teamID = type === 'team' ? key : type === 'resource' ? teamId : ''
  return { ...(cloudAccountID && { cloudAccountID }), ...(teamID && { teamID }) }
}

/** Appends the last record again, with the marks as they are now. */
export function amend(which: Which, one: StoredAnomaly, turn: Turn<AnomalyNeeds>): Row | undefined {
  const key = recordKey(turn.address.orgId, which)
  // A record appended in this batch cannot be read from the store yet.
  const row = (turn.scratch.get(key) as Row | undefined) ?? turn.needs?.get(key)
  if (row) write({ ...row, ...marksOf(one) }, turn)
  return row
}

/** As `amend`, and notifies live subscribers. */
export function amendReview(which: Which, one: StoredAnomaly, turn: Turn<AnomalyNeeds>): void {
  const row = amend(which, one, turn)
  if (!row) return
  const about = seenBy({ ...which, cloudAccountId: row.cloud_account_id, teamId: row.team_id })
  turn.tell(anomalyChanged, { ...shownOf(which, turn), state: one.review?.state ?? 'none' }, about)
}

function write(row: Row, turn: Turn<AnomalyNeeds>): void {
  const { date, anomaly_type: type, anomaly_key: key } = row
  turn.scratch.set(recordKey(turn.address.orgId, { date, type, key }), row)
  turn.append(anomalyState, row, turn.now)
}

const nothing: Omit<FoundAnomaly, keyof Which> = {
  label: '',
  severity: 'warning',
  method: 'percent',
  actualUsd: 0,
  expectedUsd: 0,
  deviationPercent: 0,
  suppressed: false,
  rootCause: '',
  explained: [],
  topResources: [],
  cloudAccountId: '',
  teamId: '',
  origin: 'running',
}

/** Appends a record that withdraws the anomaly. */
export const appendWithdrawn = ({ date, type, key }: Which, one: StoredAnomaly, turn: Turn<AnomalyNeeds>): void =>
  append({ ...nothing, date, type, key }, one, turn)
