/** Scheduled exports in requests and responses. */
import { nextExport } from '#actors/export/schedule/actor.ts'
import type { ExportRun, ExportSchedule, ExportScheduleState } from '#actors/export/schedule/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, orNull, Timestamp, timestamp } from '#http/edge/parameter/field.ts'
import { destinationKinds, ExportedMonth, exportFormats, focusVersions } from '#streams/export.ts'

export const Destination = t.Object({
  kind: t.Enum(destinationKinds),
  bucket: t.String({ minLength: 3, maxLength: 222, description: 'bucket; for azure_blob the container' }),
  region: t.Optional(t.String({ maxLength: 32, description: 'required for s3: the region of the bucket' })),
  storageAccount: t.Optional(t.String({ maxLength: 24, description: 'required for azure_blob' })),
  prefix: t.Optional(
    t.String({
      maxLength: 500,
      description: 'folder that the months are written to, without a slash at its ends; default: the root',
    }),
  ),
})

const Credentials = t.Object(
  {},
  {
    additionalProperties: true,
    description:
      's3 { roleARN, externalID } or { accessKeyID, secretAccessKey }, azure_blob { tenantID, clientID, clientSecret }, gcs { serviceAccount } or { workloadIdentity }; write-only',
  },
)

const fields = {
  name: Name,
  destination: Destination,
  cloudAccountID: t.String({
    minLength: 1,
    maxLength: 1024,
    description: 'the connected account whose credentials write; instead of credentials',
  }),
  credentials: Credentials,
  format: t.Enum(exportFormats),
  version: t.Enum(focusVersions, { description: 'of FOCUS' }),
  every: t.Enum(['day', 'month']),
  day: t.Integer({ minimum: 1, maximum: 28, description: 'for monthly exports' }),
  hour: t.Integer({ minimum: 0, maximum: 23, description: 'in the time zone' }),
  timezone: t.String({ minLength: 1, maxLength: 64, description: 'IANA time zone', examples: ['Europe/Berlin'] }),
  isOn: t.Boolean({ description: 'false: it runs only on request' }),
}

const example = {
  name: 'Warehouse',
  destination: { kind: 's3' as const, bucket: 'shop-finops', region: 'eu-central-1', prefix: 'tidemark/focus' },
  cloudAccountID: 'acct-1',
  format: 'parquet' as const,
  version: '1.4' as const,
  every: 'day' as const,
  hour: 6,
  timezone: 'Europe/Berlin',
  isOn: true,
}

export const ScheduleBody = t.Object(
  {
    name: fields.name,
    destination: fields.destination,
    cloudAccountID: t.Optional(fields.cloudAccountID),
    credentials: t.Optional(fields.credentials),
    format: t.Optional(fields.format),
    version: t.Optional(fields.version),
    every: fields.every,
    day: t.Optional(fields.day),
    hour: fields.hour,
    timezone: fields.timezone,
    isOn: t.Optional(fields.isOn),
  },
  { examples: [example] },
)
export const ScheduleChange = t.Partial(t.Object(fields), { examples: [{ hour: 7 }] })
export type Destination = Static<typeof Destination>

const { edition: _edition, ...monthFields } = ExportedMonth.properties
export const RunView = t.Object(
  {
    runID: t.String(),
    startedAt: Timestamp,
    endedAt: orNull(Timestamp),
    isRequested: t.Boolean({ description: 'whether somebody requested it' }),
    status: t.Enum(['running', 'succeeded', 'failed'], { description: 'running: also while it is tried again' }),
    reason: t.String({ description: 'why it failed; empty if it did not' }),
    fixHint: t.String({ description: 'what to do about it; may be empty' }),
    months: t.Array(
      t.Object({
        ...monthFields,
        outcome: t.Enum(['written', 'unchanged'], {
          description: 'unchanged: no line has changed since the last run, so nothing was written',
        }),
      }),
    ),
  },
  {
    title: 'ExportRun',
    examples: [
      {
        runID: '6c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        startedAt: '2026-01-15T05:00:00.000Z',
        endedAt: '2026-01-15T05:00:09.000Z',
        isRequested: false,
        status: 'succeeded',
        reason: '',
        fixHint: '',
        months: [
          { month: '2025-12', outcome: 'unchanged', rows: 0, files: 0, bytes: 0, billedCostUSD: '0' },
          { month: '2026-01', outcome: 'written', rows: 1204, files: 1, bytes: 61240, billedCostUSD: '402.6' },
        ],
      },
    ],
  },
)

export const ScheduleView = t.Object(
  {
    id: t.String(),
    name: t.String(),
    destination: Destination,
    location: t.String({ description: 'the destination as an address' }),
    cloudAccountID: orNull(t.String({ description: 'null: it has credentials of its own' })),
    format: fields.format,
    version: fields.version,
    every: fields.every,
    day: fields.day,
    hour: fields.hour,
    timezone: t.String({ description: 'IANA time zone' }),
    isOn: fields.isOn,
    nextDueAt: orNull(Timestamp),
    lastRun: orNull(RunView),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    title: 'ExportSchedule',
    examples: [
      {
        ...example,
        id: '7c5e6c1a-4d3f-4b0e-8a51-6c9d0e1f2a33',
        location: 's3://shop-finops/tidemark/focus',
        day: 1,
        nextDueAt: '2026-01-16T05:00:00.000Z',
        lastRun: null,
        createdAt: '2026-01-15T10:00:00.000Z',
        updatedAt: '2026-01-15T10:00:00.000Z',
      },
    ],
  },
)

export const shownDestination = ({ kind, place, prefix }: ExportSchedule): Destination => ({
  kind,
  ...place,
  prefix: prefix.replace(/\/$/, ''),
})

/** As people write it. */
function addressOf({ kind, place: { bucket, storageAccount }, prefix }: ExportSchedule): string {
  const hosts = {
    s3: `s3://${bucket}`,
    gcs: `gs://${bucket}`,
    azure_blob: `https://${storageAccount}.blob.core.windows.net/${bucket}`,
  }
  return `${hosts[kind]}/${prefix}`.replace(/\/$/, '')
}

export const showRun = ({ runId, requestedMonths: _requested, ...run }: ExportRun): Static<typeof RunView> => ({
  runID: runId,
  ...run,
})

export const showExport = (
  one: ExportSchedule,
  state: ExportScheduleState | undefined,
): Static<typeof ScheduleView> => ({
  id: one.id,
  name: one.name,
  destination: shownDestination(one),
  location: addressOf(one),
  cloudAccountID: one.cloudAccountId || null,
  format: one.format,
  version: one.version,
  ...one.times,
  isOn: one.isOn,
  // Its actor has not heard of one that was just created.
  nextDueAt: timestamp(state ? state.nextDueAt : one.isOn ? nextExport(one.times, one.createdAt) : null),
  lastRun: state?.runs[0] ? showRun(state.runs[0]) : null,
  createdAt: one.createdAt.toISOString(),
  updatedAt: one.updatedAt.toISOString(),
})
