/** An organization whose project of Google Cloud keeps what is done to it, and is listed as it is. */
import { gcpCloud } from '#streams/cloud/gcp/connector.ts'
import type { CallRules } from '#streams/cloud/call/call.ts'
import { connect, type Connected } from '#test/harness/connected.ts'
import { ownClouds, tenant, until } from '#test/harness/product.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'
import { farGoogle, refusing, serviceAccount, type Answer, type Question } from '#test/streams/cloud/gcp/far-google.ts'
import type { Project } from '#test/streams/cloud/gcp/project.ts'
import { Weather } from './weather.ts'

export const project = 'shop-prod'
export const zone = `projects/${project}/zones/us-central1-a`
export const cluster = `projects/${project}/locations/us-central1/clusters/shop`
const link = (path: string) => `https://www.googleapis.com/compute/v1/${path}`

/** Uids of all that can be started and stopped, by type; those that nothing lists, a producer tells of. */
export const uids = {
  'gcp-vm': `${zone}/instances/web`,
  'gcp-mig': `${zone}/instanceGroupManagers/api`,
  'gcp-gke-nodepool': `//container.googleapis.com/${cluster}/nodePools/default`,
  'gcp-cloudsql': `//cloudsql.googleapis.com/projects/${project}/instances/orders`,
  'gcp-dataproc': `//dataproc.googleapis.com/projects/${project}/regions/us-central1/clusters/spark`,
  'gcp-workbench': `//notebooks.googleapis.com/projects/${project}/locations/us-central1-a/instances/lab`,
  'gcp-workstation': `//workstations.googleapis.com/projects/${project}/locations/us-central1/workstationClusters/c/workstationConfigs/f/workstations/desk`,
  'gcp-appengine-version': `//appengine.googleapis.com/apps/${project}/services/default/versions/v1`,
} as const
export type GoogleType = keyof typeof uids

/** What the project has done once all of that was stopped, and once it was started. */
export const stops = [
  'stop web',
  'group 0',
  'nodes 0',
  'database NEVER',
  'stop hadoop',
  'stop lab',
  'stop desk',
  'version STOPPED',
]
export const starts = [
  'start web',
  'group 3',
  'nodes 2',
  'database ALWAYS',
  'start hadoop',
  'start lab',
  'start desk',
  'version SERVING',
]

const told: readonly GoogleType[] = ['gcp-workstation', 'gcp-appengine-version']

/** The lists of a project. Machines of the cluster of Dataproc say where that is. */
const lists: Readonly<Record<string, (of: Project) => object>> = {
  instances: ({ machine }) => ({
    [`zones/us-central1-a`]: {
      instances: [
        {
          name: 'web',
          id: '11',
          status: machine.state,
          selfLink: link(`${zone}/instances/web`),
          machineType: link(`${zone}/machineTypes/${machine.size}`),
          creationTimestamp: '2026-01-01T00:00:00Z',
        },
        {
          name: 'spark-m',
          id: '12',
          status: 'RUNNING',
          selfLink: link(`${zone}/instances/spark-m`),
          labels: { 'goog-dataproc-cluster-name': 'spark', 'goog-dataproc-location': 'us-central1' },
        },
      ],
    },
  }),
  instanceGroupManagers: ({ group, pool }) =>
    Object.fromEntries(
      ['a', 'b'].map((letter) => {
        const at = (name: string, targetSize: number) => ({
          name,
          targetSize,
          selfLink: link(`projects/${project}/zones/us-central1-${letter}/instanceGroupManagers/${name}`),
        })
        const own = letter === 'a' ? [at('api', group.size)] : []
        const instanceGroupManagers = [...own, at(`gke-${letter}`, pool.perZone)]
        return [`zones/us-central1-${letter}`, { instanceGroupManagers }]
      }),
    ),
  autoscalers: ({ scaler }) => {
    if (!scaler) return {}
    const { mode, min: minNumReplicas, max: maxNumReplicas } = scaler
    const autoscalingPolicy = { mode, minNumReplicas, maxNumReplicas }
    const target = link(`${zone}/instanceGroupManagers/api`)
    return { 'zones/us-central1-a': { autoscalers: [{ name: 'api', target, autoscalingPolicy }] } }
  },
}

/** Undefined for what is no list. */
function listed(of: Project, { path }: Question): Answer | undefined {
  const { database, switches } = of
  const [, aggregated] = /\/aggregated\/(\w+)$/.exec(path) ?? []
  if (aggregated !== undefined) return { body: { items: lists[aggregated]?.(of) ?? {} } }
  const settings = { tier: database.tier, activationPolicy: database.policy }
  const lab = { name: `projects/${project}/locations/us-central1-a/instances/lab`, state: switches['lab']!.state }
  const others: Readonly<Record<string, () => object>> = {
    [`/v1/projects/${project}/locations/-/clusters`]: () => ({ clusters: [clusterOf(of)] }),
    [`/sql/v1beta4/projects/${project}/instances`]: () => ({
      items: [{ name: 'orders', region: 'us-central1', state: 'RUNNABLE', settings }],
    }),
    [`/v2/projects/${project}/locations/-/instances`]: () => ({ instances: [lab] }),
    [`/v1/projects/${project}/regions/us-central1/clusters`]: () => ({
      clusters: [{ clusterName: 'spark', status: { state: switches['hadoop']!.state } }],
    }),
    [`/compute/v1/projects/${project}/global/snapshots`]: () => ({}),
    [`/bigquery/v2/projects/${project}/datasets`]: () => ({}),
    [`/v3/projects/${project}/timeSeries`]: () => ({}),
    '/storage/v1/b': () => ({}),
  }
  const found = others[path]
  return found && { body: found() }
}

/** Its API server is not to be reached: what runs in it is left out. */
const clusterOf = ({ pool }: Project) => ({
  name: 'shop',
  location: 'us-central1',
  status: 'RUNNING',
  nodePools: [
    {
      name: 'default',
      status: 'RUNNING',
      locations: ['us-central1-a', 'us-central1-b'],
      instanceGroupUrls: ['a', 'b'].map((letter) =>
        link(`projects/${project}/zones/us-central1-${letter}/instanceGroupManagers/gke-${letter}`),
      ),
      autoscaling: pool.scaling,
      config: { machineType: 'e2-standard-4' },
    },
  ],
})

/** What Google says of the project, all permissions given. */
export const answering =
  (of: Project) =>
  (question: Question): Answer => {
    if (question.path.endsWith(':testIamPermissions')) return { body: { permissions: question.body.permissions } }
    return listed(of, question) ?? of.answer(question)
  }

export interface Google extends Connected {
  weather: Weather<Question, Answer>
}

export const refusals = { throttled: refusing(429, 'rateLimitExceeded'), away: refusing(503, 'backendError') }

/** The organization, its project at the cloud not yet connected. `answer`: what Google says. */
export async function beside(answer: (question: Question) => Answer, rules: Partial<CallRules> = {}) {
  const weather = new Weather<Question, Answer>(refusals)
  const far = await farGoogle(weather.before(answer), { rules: { breakMs: 1, ...rules } })
  ownClouds.set(project, gcpCloud({ ...far.options, clock: new VirtualClock(), allowPrivate: true }))
  const end = async () => {
    ownClouds.delete(project)
    await far.close()
  }
  return { weather, end, far }
}

export const account = {
  name: 'Shop',
  provider: 'gcp',
  externalID: project,
  credentials: { serviceAccount: JSON.stringify(serviceAccount) },
}

/** Stand-ins answer at once: few looks before the clock goes on. */
const looks = 8

/** Connected, and all that can be started and stopped in the inventory. */
export async function connectedTo(of: Project, answer = answering(of)): Promise<Google> {
  const { weather, end } = await beside(answer)
  const org = Object.assign(await connect(await tenant(), account, end, looks), { weather })
  const missing = told.map((type) => ({
    resourceUid: uids[type],
    name: type,
    type,
    provider: 'gcp' as const,
    cloudAccountId: org.accountId,
    region: 'us-central1',
    status: 'running' as const,
  }))
  await org.publish(resourceDiscovered, missing)
  await until('all of them', async () => {
    const found = new Set((await org.resources()).map(({ uid }) => uid as string))
    return Object.values(uids).every((uid) => found.has(uid))
  })
  return org
}
