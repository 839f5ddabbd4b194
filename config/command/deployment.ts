import { required, type Command, type Invocation, type Result } from '#config/command/command.ts'
import { carriedOut } from '#config/command/route.ts'
import { withInstance, type Instance } from '#config/instance.ts'

const text = { type: 'string' } as const
const aboutOrg = { '--org ID': 'The organization' }
const aboutOne = { ...aboutOrg, '--id ID': 'As deployment list shows it' }

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

const lineOf = ({ id, name, repositoryURL, branch, auto_deploy: isAuto, currentRevisionID }: Deployment): string =>
  [id, name, `${repositoryURL} ${branch}`, isAuto ? 'auto' : 'by hand', currentRevisionID ?? 'nothing promoted'].join(
    '  ',
  )

const revisionLine = ({ id, createdAt, status, commitSHA, ref, failureReason }: Revision): string =>
  [createdAt, id, status, commitSHA.slice(0, 12), ref, failureReason ?? ''].join('  ').trimEnd()

interface Asking {
  name: string
  summary: string
  isOfOne: boolean
  ask: (instance: Instance, orgId: string, values: Invocation['values']) => Promise<Result>
}

function command({ name, summary, isOfOne, ask }: Asking): Command {
  const usage = `tidemark deployment ${name} --org ID${isOfOne ? ' --id ID' : ''}`
  return {
    name: `deployment ${name}`,
    summary,
    usage,
    options: { org: text, ...(isOfOne && { id: text }) },
    about: isOfOne ? aboutOne : aboutOrg,
    async run({ values }) {
      const orgId = required({ usage }, values['org'], '--org')
      if (isOfOne) required({ usage }, values['id'], '--id')
      return withInstance((instance) => ask(instance, orgId, values))
    },
  }
}

const ofOne = ({ id }: Invocation['values']) => ({ params: { deploymentID: String(id) } })

export const deploymentCommands: readonly Command[] = [
  command({
    name: 'list',
    summary: 'List the deployments, newest first, a hundred at most',
    isOfOne: false,
    ask: async (instance, orgId) => {
      const query = { limit: '100' }
      const { items } = await carriedOut<{ items: Deployment[] }>(instance, orgId, 'GET /deployments', { query })
      return { data: items, text: items.map(lineOf).join('\n') || 'There is no deployment.' }
    },
  }),
  command({
    name: 'show',
    summary: 'Say what a deployment follows, and what it has promoted',
    isOfOne: true,
    ask: async (instance, orgId, values) => {
      const data = await carriedOut<Deployment>(instance, orgId, 'GET /deployments/:deploymentID', ofOne(values))
      return { data, text: lineOf(data) }
    },
  }),
  command({
    name: 'revisions',
    summary: 'List the revisions of a deployment, newest first, a hundred at most',
    isOfOne: true,
    ask: async (instance, orgId, values) => {
      const path = 'GET /deployments/:deploymentID/revisions'
      const asked = { ...ofOne(values), query: { limit: '100' } }
      const { items } = await carriedOut<{ items: Revision[] }>(instance, orgId, path, asked)
      return { data: items, text: items.map(revisionLine).join('\n') || 'Nothing was pushed yet.' }
    },
  }),
]
