import { readFileSync } from 'node:fs'
import { carriedOut } from '#config/command/line/route.ts'
import { aboutOrg, requireValue, requireOrg, UsageError, type Command } from '#config/command/line/command.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import type { Instance } from '#config/product/instance.ts'

const listUsage = 'tidemark policy list --org ORG [--domain DOMAIN]'
const showUsage = 'tidemark policy show --org ORG --id ID'
const applyUsage = 'tidemark policy apply FILE --org ORG'
const previewUsage = 'tidemark policy preview FILE --org ORG'
const deleteUsage = 'tidemark policy delete --org ORG --id ID'

const text = { type: 'string' } as const
const org = { org: text } as const
const one = { ...org, id: text } as const
const aboutOne = { ...aboutOrg, '--id ID': 'Policy ID from "policy list"' }
const aboutFile = {
  FILE: 'JSON file as for POST /policies: domain, name, spec; targetType and enabled are optional',
}

interface Policy {
  id: string
  domain: string
  name: string
  spec: unknown
  enabled: boolean
  version: number
  pendingResources?: number
  lastError?: string
}

/** What a file says of a policy. */
interface PolicyFile {
  domain: string
  targetType: string
  name: string
  spec: unknown
  enabled: boolean
}

const policyTable = (policies: readonly Policy[]): string =>
  table(
    ['ID', 'NAME', 'DOMAIN', 'ENABLED', 'PENDING RESOURCES', 'LAST ERROR'],
    policies.map(({ id, domain, name, enabled, pendingResources = 0, lastError }) => [
      id,
      name,
      domain,
      enabled ? 'yes' : 'no',
      pendingResources,
      lastError,
    ]),
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

const pageSize = 100

async function all(instance: Instance, orgId: string, domain?: string): Promise<Policy[]> {
  const found: Policy[] = []
  for (let page = 1; ; page++) {
    const query = { limit: String(pageSize), page: String(page), ...(domain !== undefined && { domain }) }
    const { items, hasMore } = await carriedOut<{ items: Policy[]; hasMore: boolean }>(instance, orgId, listing, {
      query,
    })
    found.push(...items)
    if (!hasMore) return found
  }
}

const listing = 'GET /policies'

/** The policy that a file is about: its domain has one of that name, in any case. */
async function sameOf(instance: Instance, orgId: string, { domain, name }: PolicyFile): Promise<Policy | undefined> {
  if (typeof domain !== 'string' || typeof name !== 'string') return undefined
  const wanted = name.trim().toLowerCase()
  return (await all(instance, orgId)).find((one) => one.domain === domain && one.name.toLowerCase() === wanted)
}

const policyList: Command = {
  name: 'policy list',
  summary: 'List policies',
  usage: listUsage,
  options: { ...org, domain: text },
  about: { ...aboutOrg, '--domain DOMAIN': 'Only this domain: tagging, allocation or shared-cost' },
  run: async ({ values }) => {
    const named = requireOrg({ usage: listUsage }, values['org'])
    const domain = typeof values['domain'] === 'string' ? values['domain'] : undefined
    return withOrganization(named, async (instance, orgId) => {
      const data = await all(instance, orgId, domain)
      return { data, text: policyTable(data) }
    })
  },
}

const policyShow: Command = {
  name: 'policy show',
  summary: 'Print a policy as a file for "policy apply"',
  usage: showUsage,
  options: one,
  about: aboutOne,
  run: async ({ values }) => {
    const named = requireOrg({ usage: showUsage }, values['org'])
    const policyID = requireValue({ usage: showUsage }, values['id'], '--id')
    return withOrganization(named, async (instance, orgId) => {
      const data = await carriedOut<Policy>(instance, orgId, 'GET /policies/:policyID', { params: { policyID } })
      const { domain, name, spec, enabled } = data
      return { data, text: formatJson({ domain, name, spec, enabled }) }
    })
  },
}

const policyApply: Command = {
  name: 'policy apply',
  summary: 'Create a policy, or replace the one with the same domain and name',
  usage: applyUsage,
  positionals: 1,
  options: org,
  about: { ...aboutFile, ...aboutOrg },
  run: async ({ values, positionals }) => {
    const named = requireOrg({ usage: applyUsage }, values['org'])
    const body = readPolicyFile(requireValue({ usage: applyUsage }, positionals[0], 'FILE'))
    return withOrganization(named, async (instance, orgId) => {
      const same = await sameOf(instance, orgId, body)
      const data = same
        ? await carriedOut<Policy>(instance, orgId, 'PUT /policies/:policyID', { params: { policyID: same.id }, body })
        : await carriedOut<Policy>(instance, orgId, 'POST /policies', { body })
      return { data, text: policyTable([data]) }
    })
  },
}

const previews: Readonly<Record<string, string>> = {
  tagging: 'POST /tagging/policies/preview',
  allocation: 'POST /allocation/policies/preview',
  'shared-cost': 'POST /shared-cost/policies/preview',
}

const policyPreview: Command = {
  name: 'policy preview',
  summary: 'Preview what "policy apply" would change, without saving',
  usage: previewUsage,
  positionals: 1,
  options: org,
  about: { ...aboutFile, ...aboutOrg },
  run: async ({ values, positionals }) => {
    const named = requireOrg({ usage: previewUsage }, values['org'])
    const file = readPolicyFile(requireValue({ usage: previewUsage }, positionals[0], 'FILE'))
    const route = Object.hasOwn(previews, file.domain) ? previews[file.domain] : undefined
    if (route === undefined) throw new UsageError(`domain must be one of ${Object.keys(previews).join(', ')}`)
    return withOrganization(named, async (instance, orgId) => {
      const same = await sameOf(instance, orgId, file)
      const body = { spec: file.spec, ...(same && { policyID: same.id }) }
      const data = await carriedOut(instance, orgId, route, { body })
      return { data, text: formatJson(data) }
    })
  },
}

const policyDelete: Command = {
  name: 'policy delete',
  summary: 'Delete a policy',
  usage: deleteUsage,
  options: one,
  about: aboutOne,
  run: async ({ values }) => {
    const named = requireOrg({ usage: deleteUsage }, values['org'])
    const policyID = requireValue({ usage: deleteUsage }, values['id'], '--id')
    return withOrganization(named, async (instance, orgId) => {
      await carriedOut(instance, orgId, 'DELETE /policies/:policyID', { params: { policyID } })
      return { data: { id: policyID }, text: `Policy ${policyID} was deleted.` }
    })
  },
}

export const policyCommands: readonly Command[] = [policyList, policyShow, policyApply, policyPreview, policyDelete]
