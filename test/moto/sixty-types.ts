/** An account of more than 60 types in three regions, made and counted by boto3 alone (sixty_types.py). */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from '#config/process/root.ts'
import { decoder, t } from '#engine/value/schema.ts'
import { discoverAws } from '#streams/cloud/aws/discover/discover.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import { motoPython, type Moto } from '#test/harness/moto.ts'

export const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'aws',
  externalId: '123456789012',
  name: 'moto',
  regions: [],
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'tidemark-1' },
}
export const regions = ['eu-west-1', 'us-east-1', 'us-west-2']

const decode = decoder(
  t.Object({
    /** By type and region. */
    counts: t.Record(t.String(), t.Record(t.String(), t.Integer())),
    /** Rules by the uid of what was planted for them. */
    planted: t.Record(t.String(), t.Array(t.String())),
    /** Rules by the uid of what was measured for them. */
    measured: t.Record(t.String(), t.Array(t.String())),
    /** Rules by the uid of what was billed for them. */
    billed: t.Record(t.String(), t.Array(t.String())),
  }),
)
export type SixtyTypes = ReturnType<typeof decode>

export async function sixtyTypes({ url }: Pick<Moto, 'url'>): Promise<SixtyTypes> {
  const script = path.join(root, 'test', 'moto', 'sixty_types.py')
  const { stdout } = await promisify(execFile)(motoPython(), [script, url])
  return decode(JSON.parse(stdout))
}

export interface Scan {
  found: DiscoveredResource[]
  counts: SixtyTypes['counts']
  seen: readonly ScanCoverage[]
  lostTypes: readonly string[]
  message: string | undefined
}

export async function scan(options: AwsOptions): Promise<Scan> {
  const open = (one: CloudAccount, signal?: AbortSignal) => openAws(one, options, signal)
  const discovery = discoverAws({ open })({ ...account, regions })
  const found: DiscoveredResource[] = []
  for await (const page of discovery.pages) found.push(...page)
  const { lostTypes = [], message } = discovery
  return { found, counts: countsOf(found), seen: discovery.seen as readonly ScanCoverage[], lostTypes, message }
}

export const countsOf = (found: readonly DiscoveredResource[]): SixtyTypes['counts'] =>
  Object.fromEntries(
    [...Map.groupBy(found, ({ type }) => type)].map(([type, all]) => [
      type,
      Object.fromEntries(
        [...Map.groupBy(all, ({ region }) => region ?? 'global')].map(([region, some]) => [region, some.length]),
      ),
    ]),
  )
