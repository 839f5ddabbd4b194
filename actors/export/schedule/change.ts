/** Changes of scheduled exports. The one writer of ExportSchedule. */
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { findAccount } from '#actors/account/queries.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import { isUuid } from '#engine/value/id.ts'
import { isTaken, type RecordChange } from '#engine/run/tell.ts'
import type { Seal } from '#engine/seal.ts'
import type { StorePlace } from '#streams/delivery/object-store.ts'
import { isZone } from '#streams/cron/messages.ts'
import {
  exportScheduleChanged,
  exportScheduleRemoved,
  providerOf,
  type DestinationKind,
  type ExportFormat,
  type ExportTimes,
  type FocusVersion,
} from '#streams/export.ts'
import { checkedName } from '#streams/text.ts'
import { destinationSealed, ExportSchedule } from './entity.ts'

/** Where to, by whose credentials: a connected account's, or those given. */
export interface DestinationGiven {
  kind: DestinationKind
  place: StorePlace
  /** Without a slash at the end. */
  prefix: string
  cloudAccountId: string
  /** In the shape of the provider. Undefined: those of the account, or those from before. */
  credentials: unknown
}

export interface ExportGiven {
  name?: string
  destination?: DestinationGiven
  format?: ExportFormat
  version?: FocusVersion
  times?: ExportTimes
  isOn?: boolean
}
export type NewExport = Required<ExportGiven>

/** @throws Fault `missing` */
export async function foundExport(em: EntityManager, orgId: string, id: string): Promise<ExportSchedule> {
  const found = isUuid(id) ? await em.findOne(ExportSchedule, { orgId, id }, { refresh: true }) : null
  if (!found) throw Fault.missing('export schedule', id)
  return found
}

/**
 * @throws Fault `conflict` `already_exists` if another schedule writes to the location, `refused` `limit_reached`,
 * `invalid` for an unknown time zone, an unknown account, or no credentials
 */
export async function makeExport(
  change: RecordChange,
  ownerId: string,
  given: NewExport,
  seal: Seal,
): Promise<ExportSchedule> {
  const { em, orgId, now } = change
  await checkRowLimit(em, 'export_schedule', orgId)
  const at = now()
  const { destination: _, ...plain } = given
  const fresh = {
    orgId,
    id: randomUUID(),
    ownerId,
    cloudAccountId: '',
    credentials: null,
    createdAt: at,
    updatedAt: at,
  }
  const { kind, place } = given.destination
  const made = em.create(ExportSchedule, { ...fresh, ...plain, kind, place, prefix: '', location: '' })
  await apply(em, made, given, { seal, at })
  await flushUnique(em.persist(made))
  await tellTimes(change, made, true)
  return made
}

/** Missing members stay unchanged. A change of what is written, or where to, writes every month again. @throws as `makeExport` */
export async function editExport(
  change: RecordChange,
  id: string,
  given: ExportGiven,
  seal: Seal,
): Promise<ExportSchedule> {
  const { em, orgId, now } = change
  const found = await foundExport(em, orgId, id)
  const before = [found.location, found.format, found.version].join('\0')
  await apply(em, found, given, { seal, at: now() })
  await flushUnique(em)
  await tellTimes(change, found, before !== [found.location, found.format, found.version].join('\0'))
  return found
}

/** What it has written stays. @throws Fault `missing` */
export async function removeExport({ em, tell, orgId }: RecordChange, id: string): Promise<void> {
  const found = await foundExport(em, orgId, id)
  em.remove(found)
  await tell(exportScheduleRemoved, { scheduleId: found.id })
}

const tellTimes = ({ tell }: RecordChange, { id, isOn, times }: ExportSchedule, isOther: boolean): Promise<void> =>
  tell(exportScheduleChanged, { scheduleId: id, times: isOn ? times : null, isOther })

async function apply(
  em: EntityManager,
  schedule: ExportSchedule,
  given: ExportGiven,
  { seal, at }: { seal: Seal; at: Date },
): Promise<void> {
  const { destination, name, times, ...plain } = given
  if (times && !isZone(times.timezone))
    throw Fault.invalidAt({ path: '/timezone', code: 'format', message: 'is not an IANA time zone' })
  Object.assign(schedule, plain, { updatedAt: at })
  if (times) schedule.times = times.every === 'day' ? { ...times, day: 1 } : times
  if (name !== undefined) schedule.name = checkedName(name)
  if (destination) await direct(em, schedule, destination, seal)
}

/** Credentials are kept only while the bucket they were given for stays the same. */
async function direct(
  em: EntityManager,
  schedule: ExportSchedule,
  { kind, place, prefix, cloudAccountId, credentials }: DestinationGiven,
  seal: Seal,
): Promise<void> {
  const isSame = storeOf(schedule) === storeOf({ kind, place })
  const kept = isSame && cloudAccountId === '' ? (schedule.credentials ?? null) : null
  const sealed = credentials === undefined ? kept : seal(destinationSealed, schedule.orgId, credentials)
  if ((sealed === null) === (cloudAccountId === ''))
    throw bad('/credentials', 'oneOf', 'either cloudAccountID or credentials must be given')
  if (cloudAccountId !== '') {
    const account = await findAccount(em, schedule.orgId, cloudAccountId)
    if (!account) throw bad('/cloudAccountID', 'unknown', 'is not a cloud account of the organization')
    if (account.provider !== providerOf[kind])
      throw bad('/cloudAccountID', 'provider', `must be an account of ${providerOf[kind]}, not of ${account.provider}`)
  }
  const folder = prefix === '' ? '' : `${prefix}/`
  const location = `${storeOf({ kind, place })}/${folder}`
  Object.assign(schedule, { kind, place, prefix: folder, location, cloudAccountId, credentials: sealed })
}

/** Without the region: names of buckets are those of all regions. */
const storeOf = ({ kind, place }: Pick<DestinationGiven, 'kind' | 'place'>): string =>
  [kind, place.storageAccount ?? '', place.bucket].join('/')

const bad = (path: string, code: string, message: string): Fault => Fault.invalidAt({ path, code, message })

async function flushUnique(em: Pick<EntityManager, 'flush'>): Promise<void> {
  try {
    await em.flush()
  } catch (error) {
    if (isTaken(error))
      throw Fault.conflict('already_exists', 'Another scheduled export writes to this bucket and prefix.')
    throw error
  }
}
