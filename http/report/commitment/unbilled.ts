/** Commitments that the inventory knows and the bills of the days do not name: bought just now, of an account without bills, or queued. */
import { inventoriedCommitments } from '#analytics/commitment/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import type { Services } from '#http/edge/services.ts'
import type { SliceParams } from '#analytics/store/slice.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { costProviderOf } from '#streams/names.ts'
import { dayIn, inventoryEnd } from './expiry.ts'
import { commitmentStatuses, daysLeft, statusOf } from './figure.ts'

/** Types of the inventory that are commitments. */
const types = ['aws-reserved-instance', 'aws-savings-plan', 'azure-reservation', 'azure-savings-plan', 'gcp-commitment']

export const UnbilledCommitment = t.Object(
  {
    commitmentId: t.String({ description: "the cloud's id, as bills name it" }),
    name: t.String(),
    type: t.String({ description: 'as the inventory calls it' }),
    provider: t.String(),
    cloudAccountId: t.String(),
    region: orNull(t.String({ description: 'null: of no region' })),
    reservedType: orNull(t.String({ description: 'the reserved size, if it is for one' })),
    reservedCount: orNull(t.Integer({ description: 'number of reserved units' })),
    hourlyCommitmentUSD: orNull(t.Number({ description: 'of a savings plan: US dollars per hour' })),
    startsOn: orNull(t.String({ description: 'first day of its term' })),
    expiresOn: orNull(t.String({ description: 'its end date, from the inventory' })),
    daysLeft: orNull(t.Integer({ description: 'from today; negative: expired' })),
    status: t.Enum(commitmentStatuses),
  },
  { title: 'UnbilledCommitment' },
)

export const unbilledExample: Static<typeof UnbilledCommitment> = {
  commitmentId: 'arn:aws:rds:us-east-1:123456789012:ri:orders',
  name: 'orders',
  type: 'Reserved instance or node',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  reservedType: 'db.m5.large',
  reservedCount: 2,
  hourlyCommitmentUSD: null,
  startsOn: '2026-01-30',
  expiresOn: '2027-01-30',
  daysLeft: 364,
  status: 'active',
}

type Question = Pick<
  SliceParams,
  'accounts' | 'providers' | 'regions' | 'types' | 'teams' | 'tag_keys' | 'scoped' | 'scope_accounts'
>

/** Earliest end first. Empty if the report is narrowed to types, teams or tags of what commitments cover: these have none. */
export async function unbilledCommitments(
  question: Question,
  billed: ReadonlySet<string>,
  { analytics, now }: Pick<Services, 'analytics' | 'now'>,
): Promise<Static<typeof UnbilledCommitment>[]> {
  const { accounts, providers, regions, scoped, scope_accounts } = question
  if (question.types.length + question.teams.length + question.tag_keys.length > 0) return []
  const narrowed = { accounts, providers, regions, scoped, scope_accounts }
  const rows = await analytics(inventoriedCommitments, { ...narrowed, types })
  const named = new Set([...billed].map((id) => id.toLowerCase()))
  // Of one that several accounts list, the newest observation is last.
  const byId = new Map(rows.map((row) => [row.uid.toLowerCase(), row]))
  return [...byId]
    .filter(([id]) => !named.has(id))
    .map(([, row]) => toUnbilled(row, now()))
    .toSorted((a, b) => compare(a.expiresOn ?? '9', b.expiresOn ?? '9') || compare(a.commitmentId, b.commitmentId))
}

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b)

type Row = Static<(typeof inventoriedCommitments)['row']>

function toUnbilled(row: Row, now: Date): Static<typeof UnbilledCommitment> {
  const expiresOn = inventoryEnd(row)
  const left = daysLeft(expiresOn, now)
  return {
    commitmentId: row.uid,
    name: row.name,
    type: typeOf(row.type)?.displayName ?? row.type,
    provider: costProviderOf(row.provider),
    cloudAccountId: row.cloud_account_id,
    region: ['', 'global'].includes(row.region) ? null : row.region,
    reservedType: row.reserved_type || null,
    reservedCount: numberIn(row.reserved_count),
    hourlyCommitmentUSD: numberIn(row.commitment_hourly),
    startsOn: dayIn(row.starts_at),
    expiresOn,
    daysLeft: left,
    status: statusOf(left, null),
  }
}

const numberIn = (text: string): number | null => (text === '' || Number.isNaN(Number(text)) ? null : Number(text))
