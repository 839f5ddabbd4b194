import { readFileSync } from 'node:fs'
import { carriedOut } from '#config/command/route.ts'
import { required, UsageError, type Command } from '#config/command/command.ts'
import { withInstance, type Instance } from '#config/instance.ts'

const listUsage = 'tidemark policy list --org ID [--domain DOMAIN]'
const showUsage = 'tidemark policy show --org ID --id ID'
const applyUsage = 'tidemark policy apply FILE --org ID'
const previewUsage = 'tidemark policy preview FILE --org ID'
const deleteUsage = 'tidemark policy delete --org ID --id ID'

const text = { type: 'string' } as const
const org = { org: text } as const
const one = { ...org, id: text } as const
const aboutOrg = { '--org ID': 'The organization' }
const aboutOne = { ...aboutOrg, '--id ID': 'As policy list shows it' }
const aboutFile = {
  FILE: 'JSON as POST /policies takes it: domain, name, spec; targetType and enabled may be left out',
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
interface Given {
  domain: string
  targetType: string
  name: string
  spec: unknown
  enabled: boolean
}

const lineOf = ({ id, domain, name, enabled, pendingResources = 0, lastError }: Policy): string =>
  [
    `${id}  ${domain}  ${enabled ? 'on' : 'off'}  ${name}`,
    ...(pendingResources > 0 ? [`${pendingResources} resources still stand on older policies`] : []),
    ...(lastError === undefined ? [] : [`passed over: ${lastError}`]),
  ].join('  ')

const indented = (data: unknown): string => JSON.stringify(data, null, 2)

/** @throws UsageError for a file that cannot be read, or holds no JSON object */
function given(file: string): Given {
  let found: unknown
  try {
    found = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${(error as Error).message}`, { cause: error })
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new UsageError(`${file} must hold one JSON object: domain, name and spec`)
  return {
    targetType: 'organisation',
    enabled: true,
    ...(found as Omit<Given, 'targetType' | 'enabled'> & Partial<Given>),
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
async function sameOf(instance: Instance, orgId: string, { domain, name }: Given): Promise<Policy | undefined> {
  if (typeof domain !== 'string' || typeof name !== 'string') return undefined
  const wanted = name.trim().toLowerCase()
  return (await all(instance, orgId)).find((one) => one.domain === domain && one.name.toLowerCase() === wanted)
}

export const policyList: Command = {
  name: 'policy list',
  summary: 'List what an organization wants done by rule',
  usage: listUsage,
  options: { ...org, domain: text },
  about: { ...aboutOrg, '--domain DOMAIN': 'Of this domain alone: tagging, allocation, shared-cost' },
  run: async ({ values }) => {
    const orgId = required({ usage: listUsage }, values['org'], '--org')
    const domain = typeof values['domain'] === 'string' ? values['domain'] : undefined
    return withInstance(async (instance) => {
      const data = await all(instance, orgId, domain)
      return { data, text: data.map(lineOf).join('\n') || 'There is no policy.' }
    })
  },
}

export const policyShow: Command = {
  name: 'policy show',
  summary: 'Show a policy as a file that policy apply takes',
  usage: showUsage,
  options: one,
  about: aboutOne,
  run: async ({ values }) => {
    const orgId = required({ usage: showUsage }, values['org'], '--org')
    const policyID = required({ usage: showUsage }, values['id'], '--id')
    return withInstance(async (instance) => {
      const data = await carriedOut<Policy>(instance, orgId, 'GET /policies/:policyID', { params: { policyID } })
      const { domain, name, spec, enabled } = data
      return { data, text: indented({ domain, name, spec, enabled }) }
    })
  },
}

export const policyApply: Command = {
  name: 'policy apply',
  summary: 'Make a policy, or replace the one of its domain and name',
  usage: applyUsage,
  positionals: 1,
  options: org,
  about: { ...aboutFile, ...aboutOrg },
  run: async ({ values, positionals }) => {
    const orgId = required({ usage: applyUsage }, values['org'], '--org')
    const body = given(required({ usage: applyUsage }, positionals[0], 'FILE'))
    return withInstance(async (instance) => {
      const same = await sameOf(instance, orgId, body)
      const data = same
        ? await carriedOut<Policy>(instance, orgId, 'PUT /policies/:policyID', { params: { policyID: same.id }, body })
        : await carriedOut<Policy>(instance, orgId, 'POST /policies', { body })
      return { data, text: lineOf(data) }
    })
  },
}

const previews: Readonly<Record<string, string>> = {
  tagging: 'POST /tagging/policies/preview',
  allocation: 'POST /allocation/policies/preview',
  'shared-cost': 'POST /shared-cost/policies/preview',
}

export const policyPreview: Command = {
  name: 'policy preview',
  summary: 'Say what policy apply of a file would change; nothing is kept',
  usage: previewUsage,
  positionals: 1,
  options: org,
  about: { ...aboutFile, ...aboutOrg },
  run: async ({ values, positionals }) => {
    const orgId = required({ usage: previewUsage }, values['org'], '--org')
    const file = given(required({ usage: previewUsage }, positionals[0], 'FILE'))
    const route = Object.hasOwn(previews, file.domain) ? previews[file.domain] : undefined
    if (route === undefined) throw new UsageError(`domain must be one of ${Object.keys(previews).join(', ')}`)
    return withInstance(async (instance) => {
      const same = await sameOf(instance, orgId, file)
      const body = { spec: file.spec, ...(same && { policyID: same.id }) }
      const data = await carriedOut(instance, orgId, route, { body })
      return { data, text: indented(data) }
    })
  },
}

export const policyDelete: Command = {
  name: 'policy delete',
  summary: 'Delete a policy',
  usage: deleteUsage,
  options: one,
  about: aboutOne,
  run: async ({ values }) => {
    const orgId = required({ usage: deleteUsage }, values['org'], '--org')
    const policyID = required({ usage: deleteUsage }, values['id'], '--id')
    return withInstance(async (instance) => {
      await carriedOut(instance, orgId, 'DELETE /policies/:policyID', { params: { policyID } })
      return { data: { id: policyID }, text: `Policy ${policyID} is deleted.` }
    })
  },
}

export const policyCommands: readonly Command[] = [policyList, policyShow, policyApply, policyPreview, policyDelete]
