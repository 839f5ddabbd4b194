import { everyItem, type Api } from '#config/command/line/api.ts'
import { readFileSync } from 'node:fs'
import { askCommand, routeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { argument, id, optional, org, readAs } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { PolicyView } from '#http/policy/routes.ts'

/** What a file says of a policy. */
interface PolicyFile {
  domain: string
  targetType: string
  name: string
  spec: unknown
  enabled: boolean
}

const list = listOf<PolicyView>(
  {
    ID: 'id',
    NAME: 'name',
    DOMAIN: 'domain',
    ENABLED: ({ enabled }) => (enabled ? 'yes' : 'no'),
    'PENDING RESOURCES': ({ pendingResources = 0 }) => pendingResources,
    'LAST ERROR': 'lastError',
  },
  'No policies.',
)

const formatJson = (data: unknown): string => JSON.stringify(data, null, 2)

/** @throws UsageError for a file that cannot be read, or holds no JSON object */
function readPolicyFile(file: string): PolicyFile {
  let found: unknown
  try {
    found = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`Cannot read ${file} as JSON: ${(error as Error).message}`, { cause: error })
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new UsageError(`${file} must contain one JSON object with domain, name and spec`)
  return {
    targetType: 'organisation',
    enabled: true,
    ...(found as Omit<PolicyFile, 'targetType' | 'enabled'> & Partial<PolicyFile>),
  }
}

/** The policy that a file is about: its domain has one of that name, in any case. */
async function sameOf(api: Api, { domain, name }: PolicyFile): Promise<PolicyView | undefined> {
  if (typeof domain !== 'string' || typeof name !== 'string') return undefined
  const wanted = name.trim().toLowerCase()
  const all = await everyItem<PolicyView>(api, 'GET /policies')
  return all.find((one) => one.domain === domain && one.name.toLowerCase() === wanted)
}

const ofOne = { org, id: id('Policy', 'policy list') }
const file = readAs(
  argument('FILE', 'JSON file as for POST /policies: domain, name, spec; targetType and enabled are optional'),
  readPolicyFile,
)

const previews: Readonly<Record<string, string>> = {
  tagging: 'POST /tagging/policies/preview',
  allocation: 'POST /allocation/policies/preview',
  'shared-cost': 'POST /shared-cost/policies/preview',
}

/** @throws UsageError for a domain that has no preview */
const previewed = readAs(file, (policy) => {
  const route = Object.hasOwn(previews, policy.domain) ? previews[policy.domain] : undefined
  if (route === undefined) throw new UsageError(`domain must be one of ${Object.keys(previews).join(', ')}`)
  return { policy, route }
})

export const policyCommands: readonly Command[] = [
  askCommand({
    name: 'policy list',
    summary: 'List policies',
    takes: { org, domain: optional('DOMAIN', 'Only this domain: tagging, allocation or shared-cost') },
    run: async (api, { domain }) => list(await everyItem(api, 'GET /policies', { domain })),
  }),
  routeCommand({
    name: 'policy show',
    summary: 'Print a policy as a file for "policy apply"',
    takes: ofOne,
    route: 'GET /policies/:policyID',
    ask: ({ id: policyID }) => ({ params: { policyID } }),
    show: (data: PolicyView) => {
      const { domain, name, spec, enabled } = data
      return { data, text: formatJson({ domain, name, spec, enabled }) }
    },
  }),
  askCommand({
    name: 'policy preview',
    summary: 'Preview what "policy apply" would change, without saving',
    takes: { file: previewed, org },
    run: async (api, { file: { policy, route } }) => {
      const same = await sameOf(api, policy)
      const data = await api.ask(route, { body: { spec: policy.spec, policyID: same?.id } })
      return { data, text: formatJson(data) }
    },
  }),
  routeCommand({
    name: 'policy delete',
    summary: 'Delete a policy',
    takes: ofOne,
    route: 'DELETE /policies/:policyID',
    ask: ({ id: policyID }) => ({ params: { policyID } }),
    show: (_, { id }) => ({ data: { id }, text: `Policy ${id} was deleted.` }),
  }),
]
