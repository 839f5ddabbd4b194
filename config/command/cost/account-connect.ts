/** What the API is sent to connect an account of each cloud, from what was typed. */
import { readFileSync } from 'node:fs'
import { requireValue, UsageError } from '#config/command/line/command.ts'
import { optional, type FlagValues } from '#config/command/line/flag.ts'
import { parseJson } from '#engine/value/json.ts'
import { guidShape } from '#streams/cloud/azure/permission/principal.ts'

export const connectFlags = {
  'role-arn': optional('ARN', 'AWS: role created with "account policy"'),
  key: optional('FILE', 'Google Cloud: service account key, or workload identity pool configuration'),
  project: optional('ID', 'Google Cloud: project; default: the project of the key'),
  subscription: optional('ID', 'Azure: subscription'),
  tenant: optional('ID', 'Azure: tenant of the application'),
  client: optional('ID', 'Azure: application (client) created with "account policy"'),
  'secret-file': optional('FILE', 'Azure: file with the client secret; omit when using a federated token'),
  name: optional('NAME', 'Display name; default: the cloud and the account number, project or subscription'),
  regions: optional('R,R', 'Regions to discover; default: all enabled regions'),
  billing: optional(
    'URL',
    'Location of the billing export: s3://BUCKET/PREFIX, bigquery://PROJECT/DATASET, gs://BUCKET/PREFIX, or https://ACCOUNT.blob.core.windows.net/CONTAINER/DIRECTORY; default: Cost Explorer on AWS, none on Google Cloud and Azure',
  ),
}

type Typed = Partial<FlagValues<typeof connectFlags>>

/** What accounts of all clouds have. */
const commonBody = ({ name, regions, billing }: Typed, usualName: string, billingKind: string) => ({
  name: name ?? usualName,
  ...(regions !== undefined && { regions: regions.split(/[\s,]+/).filter((region) => region !== '') }),
  ...(billing !== undefined && { billingExport: { kind: billingKind, location: billing } }),
})

const arn = /^arn:aws[\w-]*:iam::(\d{12}):role\/.+$/

/** `externalID`: what the role requires. @throws UsageError */
export function awsBody(typed: Typed, usage: string, externalID: string) {
  const roleARN = requireValue(typed['role-arn'], '--role-arn', usage)
  const [, account] = arn.exec(roleARN) ?? []
  if (account === undefined)
    throw new UsageError(`--role-arn must look like arn:aws:iam::123456789012:role/tidemark, got ${roleARN}`)
  return {
    ...commonBody(typed, `AWS ${account}`, 'focus'),
    provider: 'aws',
    externalID: account,
    credentials: { roleARN, externalID },
  }
}

/** @throws UsageError */
export function googleBody(typed: Typed, usage: string) {
  const document = documentIn(requireValue(typed.key, '--key', usage))
  const id = requireValue(typed.project ?? document['project_id'], '--project', usage)
  return {
    ...commonBody(typed, `Google Cloud ${id}`, typed.billing?.startsWith('gs://') ? 'storage' : 'bigquery'),
    provider: 'gcp',
    externalID: id,
    credentials:
      document['type'] === 'external_account' ? { workloadIdentity: document } : { serviceAccount: document },
  }
}

function documentIn(file: string): Record<string, string | undefined> {
  try {
    const found: unknown = parseJson(readFileSync(file, 'utf8'))
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, string>
  } catch (error) {
    throw new UsageError(`Cannot read --key ${file}: ${(error as Error).message}`)
  }
  throw new UsageError(`--key ${file} must be a JSON file.`)
}

/** The secret comes from a file: what is typed here others on the machine can see. @throws UsageError */
export function azureBody(typed: Typed, usage: string) {
  const guid = (name: 'subscription' | 'tenant' | 'client'): string => {
    const given = requireValue(typed[name], `--${name}`, usage)
    if (guidShape.test(given)) return given.toLowerCase()
    throw new UsageError(`--${name} must be a GUID, got ${given}`)
  }
  const [subscription, tenantID, clientID] = [guid('subscription'), guid('tenant'), guid('client')]
  const file = typed['secret-file']
  return {
    ...commonBody(typed, `Azure ${subscription}`, 'focus'),
    provider: 'azure',
    externalID: subscription,
    credentials: { tenantID, clientID, ...(file !== undefined && { clientSecret: secretIn(file) }) },
  }
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new UsageError(`Cannot read --secret-file ${file}`)
  }
}
