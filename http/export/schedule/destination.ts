/** Checks where a scheduled export writes to, and by whose credentials. */
import type { DestinationGiven, ExportGiven, NewExport } from '#actors/export/schedule/change.ts'
import type { ExportSchedule } from '#actors/export/schedule/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { checkCredentials } from '#http/account/check-input.ts'
import { credentialsOf } from '#http/account/credential.ts'
import { badInput } from '#http/edge/problem.ts'
import { bodyInput } from '#http/edge/request/decode.ts'
import type { Services } from '#http/edge/services.ts'
import { roleShape, type AwsRole } from '#streams/cloud/aws/permission/role.ts'
import { providerOf, type DestinationKind } from '#streams/export.ts'
import { shownDestination, type Destination, type ScheduleBody, type ScheduleChange } from './body.ts'

type CheckServices = Pick<Services, 'cloudOf' | 'externalIds' | 'settings'>
type Change = Static<typeof ScheduleChange>
type Credentials = Pick<Change, 'cloudAccountID' | 'credentials'>

export function toNewExport(body: Static<typeof ScheduleBody>, services: CheckServices): NewExport {
  const { name, format = 'parquet', version = '1.4', every, day, hour, timezone, isOn = true } = body
  if (every === 'month' && day === undefined) throw wrong('/day', 'required', 'is required for every month')
  const times = { every, day: day ?? 1, hour, timezone }
  return { name, destination: destinationOf(body.destination, body, services), format, version, times, isOn }
}

/** What a change does not name is as before. */
export function toExportChange(change: Change, before: ExportSchedule, services: CheckServices): ExportGiven {
  const { destination, cloudAccountID, credentials, every, day, hour, timezone, ...plain } = change
  const given = Object.entries({ every, day, hour, timezone }).filter(([, value]) => value !== undefined)
  const isOfAccount = cloudAccountID === undefined && credentials === undefined && before.cloudAccountId !== ''
  const by = isOfAccount ? { cloudAccountID: before.cloudAccountId } : change
  const isMoved = [destination, cloudAccountID, credentials].some((one) => one !== undefined)
  return {
    ...plain,
    ...(given.length > 0 && { times: { ...before.times, ...Object.fromEntries(given) } }),
    ...(isMoved && { destination: destinationOf(destination ?? shownDestination(before), by, services) }),
  }
}

interface Rule {
  bucket: RegExp
  what: string
  /** The member that only this kind has. */
  own?: { name: 'region' | 'storageAccount'; shape: RegExp; is: string }
}

/** By the rules of each cloud for names: they become parts of addresses. */
const rules: Readonly<Record<DestinationKind, Rule>> = {
  s3: {
    bucket: /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    what: 'a bucket',
    own: { name: 'region', shape: /^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/, is: 'must be a region, such as eu-central-1' },
  },
  azure_blob: {
    bucket: /^[a-z0-9](?:[a-z0-9]|-(?!-)){1,61}[a-z0-9]$/,
    what: 'a container',
    own: { name: 'storageAccount', shape: /^[a-z0-9]{3,24}$/, is: 'must be 3 to 24 lower-case letters and digits' },
  },
  gcs: { bucket: /^(?!.*\.\.)[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, what: 'a bucket' },
}

/** @throws Fault `invalid` with the member that is wrong */
function destinationOf(
  destination: Destination,
  { cloudAccountID = '', credentials }: Credentials,
  services: CheckServices,
): DestinationGiven {
  const { kind, bucket, prefix = '' } = destination
  const rule = rules[kind]
  if (!rule.bucket.test(bucket)) throw wrong('/destination/bucket', 'pattern', `is not a name of ${rule.what}`)
  if (!isPrefix(prefix))
    throw wrong('/destination/prefix', 'pattern', 'must be folders of letters, digits and _ - . = separated by slashes')
  if (/(?:^|\/)billing_period=/.test(prefix))
    throw wrong(
      '/destination/prefix',
      'value',
      'must not contain a folder billing_period=, which exports make themselves',
    )
  if (cloudAccountID !== '' && credentials !== undefined)
    throw wrong('/credentials', 'oneOf', 'must be left out with cloudAccountID')
  const place = { bucket, ...ownMember(destination) }
  const checked = credentials && checkedCredentials(kind, credentials, services)
  return { kind, place, prefix, cloudAccountId: cloudAccountID, credentials: checked }
}

function ownMember({ kind, region, storageAccount }: Destination): { region?: string; storageAccount?: string } {
  const { own } = rules[kind]
  const given = { region, storageAccount }
  const other = (['region', 'storageAccount'] as const).find((name) => name !== own?.name && given[name] !== undefined)
  if (other) throw wrong(`/destination/${other}`, 'value', `must be left out for ${kind}`)
  if (!own) return {}
  const value = given[own.name] ?? ''
  if (!own.shape.test(value)) throw wrong(`/destination/${own.name}`, 'pattern', own.is)
  return { [own.name]: value }
}

const isPrefix = (prefix: string): boolean =>
  prefix === '' || prefix.split('/').every((part) => /^[\w.=-]{1,200}$/.test(part) && !/^\.+$/.test(part))

const wrong = (name: string, code: string, message: string) => badInput({ in: 'body', name, code, message })

const decodeAccessKey = bodyInput(
  t.Object({
    accessKeyID: t.String({ minLength: 16, maxLength: 128, pattern: '^[A-Z0-9]*$' }),
    secretAccessKey: t.String({ minLength: 16, maxLength: 128, pattern: '^[\\x21-\\x7e]*$' }),
  }),
)

/** Checked like those of a connected account, so that no role, tenant or address of others can be named. */
function checkedCredentials(kind: DestinationKind, credentials: object, services: CheckServices): unknown {
  const provider = providerOf[kind]
  if (kind === 's3' && 'accessKeyID' in credentials) return decodeAccessKey(credentials)
  const { roleARN } = credentials as Partial<AwsRole>
  // The checks need the account that credentials are of: a role names its own, for others any that is well formed will do.
  const externalIds = {
    aws: roleShape.exec(typeof roleARN === 'string' ? roleARN : '')?.[2] ?? '',
    azure: '00000000-0000-0000-0000-000000000000',
    gcp: 'export-destination',
  }
  const identity = { provider, externalId: externalIds[provider] }
  const checked = credentialsOf(identity, credentials)
  checkCredentials({ ...identity, credentials: checked }, services)
  return checked
}
