import { routeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { id, org } from '#config/command/line/flag.ts'
import type { ListPage } from '#config/command/line/api.ts'
import { listOf } from '#config/command/line/table.ts'
import type { showDeployment, showRevision } from '#http/source/body.ts'

type Deployment = ReturnType<typeof showDeployment>
type Revision = ReturnType<typeof showRevision>

const deployments = listOf<Deployment>(
  {
    ID: 'id',
    NAME: 'name',
    REPOSITORY: 'repositoryURL',
    BRANCH: 'branch',
    DEPLOYS: ({ auto_deploy: isAuto }) => (isAuto ? 'auto' : 'manual'),
    'CURRENT REVISION': 'currentRevisionID',
  },
  'No deployments.',
)

const revisions = listOf<Revision>(
  {
    CREATED: 'createdAt',
    ID: 'id',
    STATUS: 'status',
    COMMIT: ({ commitSHA }) => commitSHA.slice(0, 12),
    REF: 'ref',
    FAILURE: 'failureReason',
  },
  'No revisions yet.',
)

const ofOne = { org, id: id('Deployment', 'deployment list') }

export const deploymentCommands: readonly Command[] = [
  routeCommand({
    name: 'deployment list',
    summary: 'List deployments, newest first, up to 100',
    takes: { org },
    route: 'GET /deployments',
    ask: () => ({ query: { limit: 100 } }),
    show: ({ items }: ListPage<Deployment>) => deployments(items),
  }),
  routeCommand({
    name: 'deployment show',
    summary: 'Show the repository, branch and current revision of a deployment',
    takes: ofOne,
    route: 'GET /deployments/:deploymentID',
    ask: ({ id: deploymentID }) => ({ params: { deploymentID } }),
    show: (data: Deployment) => ({ data, text: deployments([data]).text }),
  }),
  routeCommand({
    name: 'deployment revisions',
    summary: 'List the revisions of a deployment, newest first, up to 100',
    takes: ofOne,
    route: 'GET /deployments/:deploymentID/revisions',
    ask: ({ id: deploymentID }) => ({ params: { deploymentID }, query: { limit: 100 } }),
    show: ({ items }: ListPage<Revision>) => revisions(items),
  }),
]
