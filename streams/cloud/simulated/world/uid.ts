import type { Provider } from '#streams/names.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { hex } from './prng.ts'

/** Parts of a provider's identifier. `group` is the Azure resource group. */
export interface UidParts {
  type: string
  name: string
  region: string
  account: { externalId: string; provider: Provider }
  group: string | undefined
}

/** Types whose ids AWS generates, with their prefixes. */
const idPrefixes: Readonly<Record<string, string>> = {
  'aws-ec2': 'i',
  'aws-ebs-volume': 'vol',
  'aws-ebs-snapshot': 'snap',
  'aws-eip': 'eipalloc',
  'aws-nat-gateway': 'nat',
  'aws-security-group': 'sg',
}

/** An identifier in the provider's form; each contains `sim`. */
export function uidOf(seed: string, named: UidParts): string {
  const { type, name, region, account, group } = named
  const kind = typeOf(type)?.kind ?? type
  const prefix = idPrefixes[type]
  if (prefix) return `${prefix}-sim${hex(14, seed, account.externalId, type, name)}`
  // Bills use the name.
  if (type === 'aws-savings-plan') return name
  if (type === 'aws-s3-bucket') return `arn:aws:s3:::${name}`
  if (account.provider === 'aws') return `arn:aws:${kind}:${region}:${account.externalId}:${name}`
  if (account.provider === 'gcp') return `projects/${account.externalId}/locations/${region}/${kind}s/${name}`
  const called = / (microsoft\.\S+)/i.exec(typeOf(type)?.discoveryApi ?? '')?.[1] ?? `microsoft.databricks/${kind}`
  return `/subscriptions/${account.externalId}/resourcegroups/${group}/providers/${called.toLowerCase()}/${name}`
}
