/**
 * Writes the months of a scheduled export. The files of each attempt of a run have names of their own, the manifest that
 * lists them is the last object to be written, and only then are all other files removed. So a reader that begins with
 * the manifest sees a whole export, and a run that is repeated replaces what it had written.
 */
import { createHash, randomBytes } from 'node:crypto'
import { enabledAccount } from '#actors/account/connection/cloud.ts'
import { focusEdition } from '#analytics/export/questions.ts'
import type { Tools } from '#actors/tools.ts'
import { firstOf, lastOf } from '#engine/value/day.ts'
import { Total } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { EffectCall, EffectWork } from '#engine/run/effect.ts'
import { bucketOf, cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import type { ObjectStore } from '#streams/delivery/object-store.ts'
import {
  exportRunEnded,
  providerOf,
  sumColumns,
  type DestinationKind,
  type ExportedMonth,
  type ExportFormat,
  type FocusPart,
} from '#streams/export.ts'
import { retries } from '#streams/retry.ts'
import { cutText } from '#streams/text.ts'
import { runExport, type ExportRunInput } from './actor.ts'
import { destinationSealed, ExportSchedule } from './entity.ts'

type RunTools = Pick<Tools, 'em' | 'reads' | 'open' | 'ask' | 'cloudOf' | 'publisher' | 'focusParts' | 'exported'>

/** Readers of folders skip names that begin with an underscore. */
const manifestName = '_manifest.json'
/** The files of all runs: the run, the attempt, the number. */
const fileName = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9a-f]{8}-\d{5}\.(?:parquet|csv)$/

/** What the credentials of an export need, by kind of its destination. */
const rights: Readonly<Record<DestinationKind, string>> = {
  s3: 's3:PutObject and s3:DeleteObject on its objects and s3:ListBucket on it',
  azure_blob: 'the role Storage Blob Data Contributor on the container',
  gcs: 'storage.objects.create, storage.objects.delete and storage.objects.list on it',
}

const medias: Readonly<Record<ExportFormat, string>> = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
}

export function exportWork(tools: RunTools): EffectWork {
  const find = ({ orgId }: EffectCall, { scheduleId }: ExportRunInput) =>
    tools.em().findOne(ExportSchedule, { orgId, id: scheduleId })
  const end = (call: EffectCall, input: ExportRunInput, { name, ownerId }: ExportSchedule, ended: Ended) => {
    tools.exported(ended.failure ? 'failed' : 'succeeded')
    const { scheduleId, runId } = input
    const data = { scheduleId, runId, name, ownerId, ...ended }
    return tools.publisher.publish({ subject: exportRunEnded, orgId: call.orgId, data, id: `${call.key}/ended` })
  }
  return {
    name: runExport.name,
    pool: 'job',
    retry: retries.exportSchedule,
    async run(given, call) {
      const input = given as ExportRunInput
      const schedule = await find(call, input)
      // It was deleted meanwhile, and its actor too.
      if (!schedule) return
      const months = await writeMonths(tools, schedule, input, call)
      await end(call, input, schedule, { months, failure: null })
    },
    async failed(given, call, fault) {
      const input = given as ExportRunInput
      const schedule = await find(call, input)
      if (!schedule) return
      const { fixHint = '' } = fault.detail as { fixHint?: string }
      const failure = { message: cutText(fault.message, 1000), fixHint: cutText(fixHint, 1000) }
      await end(call, input, schedule, { months: [], failure })
    },
  }
}

interface Ended {
  months: ExportedMonth[]
  failure: { message: string; fixHint: string } | null
}

/** @throws faults of the cloud and of our stores */
async function writeMonths(
  tools: RunTools,
  schedule: ExportSchedule,
  { runId, at, months, editions }: ExportRunInput,
  call: EffectCall,
): Promise<ExportedMonth[]> {
  const account = await accountOf(tools, schedule)
  const cloud = tools.cloudOf(account)
  if (!cloud.objects)
    throw cloudFault('user_action', 'capability_missing', 'This account has no object store that can be written.')
  const store = cloud.objects(account, schedule.place, call.signal)
  try {
    const done: ExportedMonth[] = []
    for (const month of months) {
      const params = { org: schedule.orgId, from: firstOf(month), to: lastOf(month), as_of: '' }
      const edition = (await tools.ask(focusEdition, params))[0]?.edition ?? ''
      const nothing = { month, rows: 0, files: 0, bytes: 0, billedCostUSD: '0', edition }
      if (editions[month] === edition) done.push({ ...nothing, outcome: 'unchanged' })
      else {
        const asked = { month, runId, at, edition, signal: call.signal }
        done.push(await writeMonth(tools, schedule, store, asked).catch(withRights(schedule)))
      }
    }
    return done
  } finally {
    store.close()
  }
}

/** A store that refuses is told what it must permit: its clouds' own hints are about what accounts read. */
const withRights =
  ({ kind }: Pick<ExportSchedule, 'kind'>) =>
  (error: unknown): never => {
    if (!(error instanceof Fault) || bucketOf(error) !== 'user_action') throw error
    const fixHint = `Check the name and the region of the bucket, and that the credentials of the export are valid and permit ${rights[kind]}.`
    throw cloudFault('user_action', error.code, error.message, { fixHint }, error)
  }

/** The connected account, or one with the credentials of the schedule. @throws Fault of the bucket `user_action` */
async function accountOf(
  tools: RunTools,
  { orgId, id, name, kind, cloudAccountId, credentials, place }: ExportSchedule,
): Promise<CloudAccount> {
  const provider = providerOf[kind]
  if (credentials === null || credentials === undefined) {
    const account = await enabledAccount(tools, { cloudAccountId, provider }, orgId)
    if (account) return account
    const fixHint = 'Connect or enable the account, or give the export other credentials.'
    throw cloudFault('user_action', 'account_disabled', 'The cloud account of the export is disabled or removed.', {
      fixHint,
    })
  }
  return {
    id: `export-${id}`,
    orgId,
    provider,
    externalId: 'export-destination',
    name,
    regions: place.region === undefined ? [] : [place.region],
    credentials: tools.open(destinationSealed, orgId, credentials),
  }
}

interface MonthToWrite {
  month: string
  runId: string
  at: string
  edition: string
  signal: AbortSignal
}

interface WrittenFile {
  name: string
  rows: number
  bytes: number
  sha256: string
}

async function writeMonth(
  { focusParts }: RunTools,
  { orgId, prefix, format, version }: ExportSchedule,
  store: ObjectStore,
  { month, runId, at, edition, signal }: MonthToWrite,
): Promise<ExportedMonth> {
  const folder = `${prefix}billing_period=${month}/`
  const attempt = randomBytes(4).toString('hex')
  const files: WrittenFile[] = []
  const totals = sumColumns.map((name) => ({ name, total: new Total() }))
  for await (const { body, rows, sums } of focusParts({ orgId, month, format, version })) {
    signal.throwIfAborted()
    const name = `${runId}-${attempt}-${String(files.length).padStart(5, '0')}.${format}`
    await store.put(folder + name, { body, media: medias[format] })
    files.push({ name, rows, bytes: body.length, sha256: sha256Of(body) })
    for (const { name: column, total } of totals) total.add(sums[column])
  }
  const rows = sumOf(files, 'rows')
  const sums = Object.fromEntries(totals.map(({ name, total }) => [name, total.toString()])) as FocusPart['sums']
  const manifest = {
    organizationID: orgId,
    billingPeriod: month,
    runID: runId,
    startedAt: at,
    format,
    focusVersion: version,
    currency: 'USD',
    rows,
    sums,
    files,
  }
  const body = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  await store.put(folder + manifestName, { body, media: 'application/json' })
  await removeOthers(store, folder, new Set(files.map(({ name }) => name)))
  return {
    month,
    outcome: 'written',
    rows,
    files: files.length,
    bytes: sumOf(files, 'bytes'),
    billedCostUSD: sums.BilledCost,
    edition,
  }
}

/** Removes the files of other runs; what exports have not written stays. */
async function removeOthers(store: ObjectStore, folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const key of await store.keys(folder)) {
    const name = key.slice(folder.length)
    if (fileName.test(name) && !kept.has(name)) await store.remove(key)
  }
}

const sha256Of = (body: Buffer): string => createHash('sha256').update(body).digest('hex')
const sumOf = (files: readonly WrittenFile[], of: 'rows' | 'bytes'): number =>
  files.reduce((sum, file) => sum + file[of], 0)
