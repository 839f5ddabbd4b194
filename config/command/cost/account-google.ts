/** Commands of cloud accounts that are projects of Google Cloud. */
import { readFileSync } from 'node:fs'
import { parseJson } from '#engine/value/json.ts'
import { requireValue, UsageError, type Command, type Invocation } from '#config/command/line/command.ts'

export interface GoogleGuide {
  role: object
  commands: readonly string[]
  federation: { issuer: string; subject: string; commands: readonly string[] }
  clusterRole: string
  clusterCommands: readonly string[]
}

export const googleText = ({ role, commands, federation, clusterCommands }: GoogleGuide): string =>
  [
    'Role of the service account:',
    JSON.stringify(role, null, 2),
    '',
    'gcloud commands, signed in to the project (the last one writes the key for "account connect"):',
    ...commands,
    '',
    `To connect without a key instead, if Google can reach ${federation.issuer} over HTTPS, replace the last command with:`,
    ...federation.commands,
    '',
    'For each GKE cluster, with the output of "account policy kubernetes" saved as tidemark.yaml:',
    ...clusterCommands,
  ].join('\n')

/** What `account connect gcp` asks for, by what was typed. @throws UsageError */
export function googleBody({ values }: Pick<Invocation, 'values'>, command: Pick<Command, 'usage'>) {
  const document = documentIn(requireValue(command, values['key'], '--key'))
  const { type, project_id: own } = document
  const { name, regions, billing, project = own } = values
  const id = requireValue(command, project, '--project')
  return {
    name: typeof name === 'string' ? name : `Google Cloud ${id}`,
    provider: 'gcp',
    externalID: id,
    credentials: type === 'external_account' ? { workloadIdentity: document } : { serviceAccount: document },
    ...(typeof regions === 'string' && { regions: regions.split(/[\s,]+/).filter((region) => region !== '') }),
    ...(typeof billing === 'string' && { billingExport: { kind: kindOf(billing), location: billing } }),
  }
}

const kindOf = (location: string): string => (location.startsWith('gs://') ? 'storage' : 'bigquery')

function documentIn(file: string): Record<string, string | undefined> {
  try {
    const found: unknown = parseJson(readFileSync(file, 'utf8'))
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Record<string, string>
  } catch (error) {
    throw new UsageError(`Cannot read --key ${file}: ${(error as Error).message}`)
  }
  throw new UsageError(`--key ${file} must be a JSON file.`)
}
