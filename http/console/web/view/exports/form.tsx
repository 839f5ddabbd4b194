/** Creates or changes a scheduled export. */
import { ask } from '../../api.ts'
import { numberOf } from '../../figure.ts'
import { useReport } from '../../report.ts'
import { ownZone } from '../../zone.ts'
import { Form } from '../../part/form/form.tsx'
import type { FormField, Option } from '../../part/form/field.tsx'
import type { ExportSchedule } from './labels.ts'

export interface ExportFormProps {
  /** Undefined: one is created. */
  schedule: ExportSchedule | undefined
  onClose: () => void
  onDone: () => void
}

type Kind = ExportSchedule['destination']['kind']
const kinds: readonly (Option & { value: Kind })[] = [
  { value: 's3', title: 'Amazon S3' },
  { value: 'azure_blob', title: 'Azure Blob Storage' },
  { value: 'gcs', title: 'Google Cloud Storage' },
]
const providers: Readonly<Record<Kind, string>> = { s3: 'aws', azure_blob: 'azure', gcs: 'gcp' }
const toKind = (kind: string): Kind => kinds.find(({ value }) => value === kind)?.value ?? 's3'

/** The choice of credentials that are kept or typed instead of those of an account. */
const own = 'own'

const fresh = () => ({
  name: '',
  kind: 's3' as string,
  bucket: '',
  region: '',
  storageAccount: '',
  prefix: 'tidemark/focus',
  account: '',
  credentials: '',
  format: 'parquet' as string,
  version: '1.4' as string,
  every: 'day' as string,
  day: '1',
  hour: '6',
  timezone: ownZone(),
  isOn: true,
})
type Draft = ReturnType<typeof fresh>

function startDraft(schedule: ExportSchedule | undefined): Draft {
  if (!schedule) return fresh()
  const { destination, cloudAccountID, day, hour, ...plain } = schedule
  const { name, format, version, every, timezone, isOn } = plain
  const times = { every, day: String(day), hour: String(hour), timezone }
  const place = { ...fresh(), ...destination }
  return { ...place, name, format, version, isOn, ...times, account: cloudAccountID ?? own }
}

/** What is no JSON is sent as it was typed: the API says what is wrong with it. */
function credentialsOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const bodyOf = ({
  kind,
  bucket,
  region,
  storageAccount,
  prefix,
  account,
  credentials,
  every,
  day,
  hour,
  ...plain
}: Draft) => ({
  name: plain.name,
  destination: {
    kind,
    bucket: bucket.trim(),
    ...(kind === 's3' && { region: region.trim() }),
    ...(kind === 'azure_blob' && { storageAccount: storageAccount.trim() }),
    prefix: prefix.trim(),
  },
  ...(account === own
    ? credentials !== '' && { credentials: credentialsOf(credentials) }
    : { cloudAccountID: account }),
  format: plain.format,
  version: plain.version,
  every,
  ...(every === 'month' && { day: numberOf(day) }),
  hour: numberOf(hour),
  timezone: plain.timezone,
  isOn: plain.isOn,
})

const shapes: Readonly<Record<Kind, string>> = {
  s3: '{ "accessKeyID": "AKIA…", "secretAccessKey": "…" }',
  azure_blob: '{ "tenantID": "…", "clientID": "…", "clientSecret": "…" }',
  gcs: '{ "serviceAccount": { "type": "service_account", … } }',
}

const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  title: `${String(hour).padStart(2, '0')}:00`,
}))
const days = Array.from({ length: 28 }, (_, at) => ({ value: String(at + 1), title: String(at + 1) }))

export function ExportForm({ schedule, onClose, onDone }: ExportFormProps) {
  const accounts = useReport('GET /cloud-accounts', { query: { limit: 100 } }).data?.items ?? []
  const accountsOf = (kind: Kind, chosen: string): Option[] => [
    { value: '', title: 'Choose credentials' },
    ...accounts
      .filter(({ provider }) => provider === providers[kind])
      .map(({ id, name }) => ({ value: id, title: `Those of ${name}` })),
    ...(chosen !== '' && chosen !== own && !accounts.some(({ id }) => id === chosen)
      ? [{ value: chosen, title: chosen }]
      : []),
    { value: own, title: 'Of its own' },
  ]
  const fields = (draft: Draft): FormField<Draft>[] => {
    const kind = toKind(draft.kind)
    return [
      { name: 'name', label: 'Name', isRequired: true, placeholder: 'Warehouse' },
      {
        name: 'kind',
        label: 'Store',
        kind: 'choice',
        options: kinds,
        at: '/destination/kind',
        also: () => ({ account: '' }),
      },
      kind === 'azure_blob' && {
        name: 'storageAccount',
        label: 'Storage account',
        at: '/destination/storageAccount',
        isRequired: true,
      },
      {
        name: 'bucket',
        label: kind === 'azure_blob' ? 'Container' : 'Bucket',
        at: '/destination/bucket',
        isRequired: true,
      },
      kind === 's3' && {
        name: 'region',
        label: 'Region',
        at: '/destination/region',
        isRequired: true,
        placeholder: 'eu-central-1',
      },
      {
        name: 'prefix',
        label: 'Folder',
        at: '/destination/prefix',
        help: 'Each month gets a folder below it: billing_period=YYYY-MM. Another export must not write there.',
      },
      {
        name: 'account',
        label: 'Credentials',
        kind: 'choice',
        at: '/cloudAccountID',
        options: accountsOf(kind, draft.account),
        help: 'They must be allowed to write, list and delete objects there.',
      },
      draft.account === own && {
        name: 'credentials',
        label: 'Credentials as JSON',
        at: '/credentials',
        isSecret: true,
        rows: 3,
        placeholder: shapes[kind],
        help: schedule ? 'Never shown. Leave empty to keep those it has.' : 'Encrypted, and never shown again.',
      },
      {
        row: [
          {
            name: 'format',
            label: 'Format',
            kind: 'choice',
            options: [
              { value: 'parquet', title: 'Parquet' },
              { value: 'csv', title: 'CSV' },
            ],
          },
          {
            name: 'version',
            label: 'FOCUS version',
            kind: 'choice',
            options: ['1.4', '1.2'].map((value) => ({ value, title: value })),
          },
        ],
      },
      {
        row: [
          {
            name: 'every',
            label: 'Every',
            kind: 'choice',
            options: ['day', 'month'].map((value) => ({ value, title: value })),
          },
          draft.every === 'month' && { name: 'day', label: 'On day', kind: 'choice', options: days },
          { name: 'hour', label: 'At', kind: 'choice', options: hours },
        ],
      },
      { name: 'timezone', label: 'Time zone', kind: 'zone' },
      { name: 'isOn', label: 'Enabled', kind: 'check' },
    ]
  }
  return (
    <Form
      noun="export"
      thing={schedule}
      begun={startDraft}
      look={async () =>
        (await ask('GET /export-schedules', { query: { limit: 100 } })).data.items.find(({ id }) => id === schedule!.id)
      }
      fields={fields}
      body={bodyOf}
      create="POST /export-schedules"
      update="PATCH /export-schedules/:exportScheduleID"
      needs={{ create: 'admin', update: 'admin' }}
      params={schedule && { exportScheduleID: schedule.id }}
      note="All bill lines of the organization leave for this place."
      onClose={onClose}
      onDone={onDone}
    />
  )
}
