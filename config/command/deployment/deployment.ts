import {
  aboutOrg,
  requireValue,
  requireOrg,
  type Command,
  type Invocation,
  type Result,
} from '#config/command/line/command.ts'
import { withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import { carriedOut } from '#config/command/line/route.ts'
import type { Instance } from '#config/product/instance.ts'

const text = { type: 'string' } as const
const aboutOne = { ...aboutOrg, '--id ID': 'Deployment ID from "deployment list"' }

interface Deployment {
  id: string
  name: string
  spaceID: string
  repositoryURL: string
  branch: string
  auto_deploy: boolean
  currentRevisionID?: string
}

interface Revision {
  id: string
  commitSHA: string
  ref: string
  status: string
  failureReason?: string
  createdAt: string
}

const header = ['ID', 'NAME', 'REPOSITORY', 'BRANCH', 'DEPLOYS', 'CURRENT REVISION']

const rowOf = ({ id, name, repositoryURL, branch, auto_deploy: isAuto, currentRevisionID }: Deployment) => [
  id,
  name,
  repositoryURL,
  branch,
  isAuto ? 'auto' : 'manual',
  currentRevisionID,
]

const revisionHeader = ['CREATED', 'ID', 'STATUS', 'COMMIT', 'REF', 'FAILURE']

const revisionRow = ({ id, createdAt, status, commitSHA, ref, failureReason }: Revision) => [
  createdAt,
  id,
  status,
  commitSHA.slice(0, 12),
  ref,
  failureReason,
]

interface CommandSpec {
  name: string
  summary: string
  isOfOne: boolean
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
}

function command({ name, summary, isOfOne, ask }: CommandSpec): Command {
  const usage = `tidemark deployment ${name} --org ORG${isOfOne ? ' --id ID' : ''}`
  return {
    name: `deployment ${name}`,
    summary,
    usage,
    options: { org: text, ...(isOfOne && { id: text }) },
    about: isOfOne ? aboutOne : aboutOrg,
    async run({ values }) {
      const named = requireOrg({ usage }, values['org'])
      if (isOfOne) requireValue({ usage }, values['id'], '--id')
      return withOrganization(named, (instance, orgId) => ask(instance, orgId, values))
    },
  }
}

const ofOne = ({ id }: Invocation['values']) => ({ params: { deploymentID: String(id) } })

export const deploymentCommands: readonly Command[] = [
  command({
    name: 'list',
    summary: 'List deployments, newest first, up to 100',
    isOfOne: false,
    ask: async (instance, orgId) => {
      const query = { limit: '100' }
      const { items } = await carriedOut<{ items: Deployment[] }>(instance, orgId, 'GET /deployments', { query })
      return { data: items, text: table(header, items.map(rowOf), 'No deployments.') }
    },
  }),
  command({
    name: 'show',
    summary: 'Show the repository, branch and current revision of a deployment',
    isOfOne: true,
    ask: async (instance, orgId, values) => {
      const data = await carriedOut<Deployment>(instance, orgId, 'GET /deployments/:deploymentID', ofOne(values))
      return { data, text: table(header, [rowOf(data)], '') }
    },
  }),
  command({
    name: 'revisions',
    summary: 'List the revisions of a deployment, newest first, up to 100',
    isOfOne: true,
    ask: async (instance, orgId, values) => {
      const path = 'GET /deployments/:deploymentID/revisions'
      const asked = { ...ofOne(values), query: { limit: '100' } }
      const { items } = await carriedOut<{ items: Revision[] }>(instance, orgId, path, asked)
      return { data: items, text: table(revisionHeader, items.map(revisionRow), 'No revisions yet.') }
    },
  }),
]
