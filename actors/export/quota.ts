/**
 * How much space exported files may take: for a person, an organization, and the disk. While it is written, a file gets
 * its space in portions, each in a transaction under one lock, so that all processes together never grant more than
 * there is.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { hourMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { ExportFile } from '#actors/export/entity.ts'

export interface ExportLimits {
  /**
   * Maximum files written at once; below, requested in an hour. Both for a person and for an organization; 0: no limit.
   */
  readonly atOnce: number
  readonly perHour: number
  /** Maximum bytes of all files of a person, and of an organization. */
  readonly bytes: number
  /** Maximum bytes of all files together, given what they take now. */
  readonly diskBytes: (taken: number) => Promise<number>
}

/** A file that is about to be written. */
export interface ExportBegun {
  orgId: string
  id: string
  /** Empty if unknown. */
  userId: string
  name: string
  format: ExportFile['format']
}

/** Bytes granted to a file at once, if available. */
const portionBytes = 16 * 1024 ** 2

type Of = 'person' | 'organization'

interface Use {
  of: Of
  running: number
  asked: number
  /** When the first counted file was requested. Below: when the first file ends. Null if there is none. */
  asked_at: string | null
  ends_at: string | null
  bytes: number
}

const lockSql = `select pg_advisory_xact_lock(hashtext('export_file'))`

const useSql = `
  select k.of, count(*) filter (where f.status = 'writing')::int as running,
    count(*) filter (where f.created_at > ?)::int as asked, min(f.created_at) filter (where f.created_at > ?) as asked_at,
    min(f.expires_at) filter (where f.status = 'ready') as ends_at, coalesce(sum(f.bytes), 0)::float8 as bytes
  from (values ('person', '', ?), ('organization', ?, '')) as k (of, org_id, user_id)
  left join export_file f
    on f.expires_at > ? and f.id <> ? and case when k.of = 'person' then k.user_id <> '' and f.user_id = k.user_id else f.org_id = k.org_id end
  group by k.of order by k.of desc`

const takenSql = `select coalesce(sum(bytes), 0)::float8 as bytes from export_file where expires_at > ? and status <> 'removed'`

/** The oldest file of the organization with the most bytes. */
const oldestSql = `
  select org_id, id, bytes::float8 as bytes from export_file
  where status = 'ready' and bytes > 0 and expires_at > ? and org_id = (
    select org_id from export_file where status = 'ready' and expires_at > ? group by org_id order by sum(bytes) desc, org_id limit 1)
  order by created_at, id limit 1`

const keepSql = `
  insert into export_file (org_id, id, user_id, name, format, status, rows, bytes, created_at, expires_at)
  values (?, ?, ?, ?, ?, 'writing', 0, 0, ?, ?)
  on conflict (org_id, id) do update set status = 'writing', bytes = 0, created_at = excluded.created_at, expires_at = excluded.expires_at
    where export_file.status <> 'ready'`

/**
 * Registers a file before it is written. A repeat with the same id is the same file.
 * @throws Fault `invalid` `too_many_exports`, `export_quota_exceeded`
 */
export async function beginExport(
  em: EntityManager,
  limits: ExportLimits,
  begun: ExportBegun,
  now: Date,
): Promise<void> {
  const { orgId, id, userId, name, format } = begun
  await em.transactional(async (tx) => {
    for (const use of await usesOf(tx, begun, now)) {
      checkCount(use, limits, now)
      if (use.bytes >= limits.bytes) throw noBytes(use, limits, now)
    }
    const times = [now.toISOString(), new Date(now.getTime() + hourMs).toISOString()]
    await tx.execute(keepSql, [orgId, id, userId, name, format, ...times])
  })
}

/**
 * Grants a file more space: a portion, and at least `needed`. Returns the bytes it may now take, and the ids of files
 * deleted to make room.
 * @throws Fault `invalid` `export_quota_exceeded`
 */
export async function growExport(
  em: EntityManager,
  limits: ExportLimits,
  begun: Pick<ExportBegun, 'orgId' | 'id' | 'userId'>,
  { taken, needed, now }: { taken: number; needed: number; now: Date },
): Promise<{ bytes: number; gone: string[] }> {
  const { orgId, id } = begun
  return em.transactional(async (tx) => {
    let bytes = Math.max(needed, taken + portionBytes)
    for (const use of await usesOf(tx, begun, now)) {
      bytes = Math.min(bytes, limits.bytes - use.bytes)
      if (bytes < needed) throw noBytes(use, limits, now)
    }
    const gone = await makeRoom(tx, limits, bytes - taken, now)
    if (gone === undefined)
      throw quotaFault(
        'export_disk',
        'Exported files use all the disk space allowed for them. Try again later.',
        hourMs,
      )
    const expiresAt = new Date(now.getTime() + hourMs)
    await tx.nativeUpdate(ExportFile, { orgId, id, status: 'writing' }, { bytes, expiresAt })
    return { bytes, gone }
  })
}

/** For a file that was not written: it still counts as requested, unless `isForgotten`. */
export const dropExport = async (
  em: EntityManager,
  { orgId, id }: Pick<ExportBegun, 'orgId' | 'id'>,
  isForgotten: boolean,
): Promise<unknown> =>
  isForgotten
    ? em.nativeDelete(ExportFile, { orgId, id, status: 'writing' })
    : em.nativeUpdate(ExportFile, { orgId, id, status: 'writing' }, { status: 'removed', bytes: 0 })

/** What other files take. Locks until the end of the transaction, so that no other request is granted meanwhile. */
async function usesOf(
  em: EntityManager,
  { orgId, id, userId }: Pick<ExportBegun, 'orgId' | 'id' | 'userId'>,
  now: Date,
): Promise<Use[]> {
  await em.execute(lockSql)
  const hourAgo = new Date(now.getTime() - hourMs).toISOString()
  return em.execute<Use[]>(useSql, [hourAgo, hourAgo, userId, orgId, now.toISOString(), id])
}

/** Deletes files until all fit into the limit, and returns their ids; undefined if that is not enough. */
async function makeRoom(
  em: EntityManager,
  limits: ExportLimits,
  more: number,
  now: Date,
): Promise<string[] | undefined> {
  const at = now.toISOString()
  const [{ bytes } = { bytes: 0 }] = await em.execute<{ bytes: number }[]>(takenSql, [at])
  const gone: string[] = []
  let over = bytes + more - (await limits.diskBytes(bytes))
  while (over > 0) {
    const [oldest] = await em.execute<{ org_id: string; id: string; bytes: number }[]>(oldestSql, [at, at])
    if (!oldest) return undefined
    await em.nativeUpdate(ExportFile, { orgId: oldest.org_id, id: oldest.id }, { status: 'removed', bytes: 0 })
    gone.push(oldest.id)
    over -= oldest.bytes
  }
  return gone
}

function checkCount({ of, running, asked, asked_at }: Use, { atOnce, perHour }: ExportLimits, now: Date): void {
  if (atOnce > 0 && running >= atOnce)
    throw tooMany(
      'exports_at_once',
      of,
      atOnce,
      `${ownerPhrases[of]} ${atOnce} exports in progress, which is the maximum. Try again when one has finished.`,
    )
  if (perHour > 0 && asked >= perHour) {
    const waitMs = new Date(asked_at!).getTime() + hourMs - now.getTime()
    const message = `${ownerPhrases[of]} requested ${perHour} exports in the last hour, which is the maximum.`
    throw tooMany('exports_per_hour', of, perHour, message, waitMs)
  }
}

const ownerPhrases: Readonly<Record<Of, string>> = { person: 'You have', organization: 'Your organization has' }
const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000))

const tooMany = (quota: string, of: Of, limit: number, message: string, waitMs = 5000): Fault =>
  Fault.invalid('too_many_exports', message, { retryAfter: secondsOf(waitMs), members: { quota, of, limit } })

function noBytes({ of, ends_at }: Use, { bytes: limit }: ExportLimits, now: Date): Fault {
  const files = of === 'person' ? 'Your exported files' : 'The exported files of your organization'
  const message = `${files} would use more than ${limit} bytes. Narrow the report, or wait until the oldest files expire, one day after they were created.`
  const waitMs = ends_at === null ? hourMs : new Date(ends_at).getTime() - now.getTime()
  return quotaFault('export_bytes', message, waitMs, { of, limit })
}

const quotaFault = (quota: string, message: string, waitMs: number, members: object = {}): Fault =>
  Fault.invalid('export_quota_exceeded', message, { retryAfter: secondsOf(waitMs), members: { quota, ...members } })
