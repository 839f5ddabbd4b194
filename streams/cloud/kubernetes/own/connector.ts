/** The connector of accounts that are one cluster. Everything is asked of its API server. */
import {
  cloudFault,
  isCredentialsRefused,
  type CloudAccount,
  type Connector,
  type DiscoveredResource,
  type Discovery,
} from '#streams/cloud/connector.ts'
import { Fault } from '#engine/value/fault.ts'
import { kubernetesPermissions } from '#streams/cloud/kubernetes/api/verdict.ts'
import { inClusters } from '#streams/cloud/kubernetes/in-clusters.ts'
import { kubernetesChildren, type Children } from '#streams/cloud/kubernetes/object/children.ts'
import { childOf } from '#streams/cloud/kubernetes/object/kind.ts'
import { accountUsage } from '#streams/cloud/kubernetes/usage/account-usage.ts'
import { clusterUsage } from '#streams/cloud/kubernetes/usage/cluster-usage.ts'
import { refusedAccess, verdictOf, type VerdictRules } from '#streams/cloud/permission/verdict.ts'
import { kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import { clusterOf, credentialsOf, nameOf, openCluster, type OwnClusterOptions } from './account.ts'
import { withPrice } from './price.ts'

const rules: VerdictRules = {
  table: [],
  who: 'The user of the cluster',
  document: 'cluster role',
  give: 'Bind it to the cluster role',
  command: 'tidemark account policy kubernetes',
  unknown: 'The cluster does not report the permissions of the user.',
}

export function ownCluster(options: OwnClusterOptions): Connector {
  return {
    driver: 'real',
    verify: (account) => verify(options, account),
    discover: (account, signal, only) => discover(options, account, signal, only),
    usage: (account, at, signal) => usage(options, account, at, signal),
    bill: nothing,
    repeats: { start: 'natural', stop: 'natural', scale: 'natural', set: 'natural', delete: 'natural' },
    ...inClusters(
      {
        act: rejectUnsupported,
        look: (account) => lookAtCluster(options, account),
        policies: async () => [],
        measure: nothing,
      },
      {
        clusterOfChild: (ref) => (kubernetesKind(ref.type) === undefined ? undefined : childOf(ref).clusterUid),
        withCluster: async (account, uid, work) => {
          const cluster = clusterOf(account)
          if (uid !== cluster.uid)
            throw cloudFault('user_action', 'not_found', `${uid} is not the cluster of this account.`)
          return work(await openCluster(options, account), cluster)
        },
      },
    ),
    access: async (account) => {
      const { verdict } = await verify(options, account)
      return { accessible: verdict !== 'none', principal: nameOf(account) }
    },
    replacePolicies: rejectUnsupported,
    quotas: async () => ({}),
    infrastructureFor: [],
    createInfrastructure: rejectUnsupported,
    provisions: [],
    provision: rejectUnsupported,
    unprovision: rejectUnsupported,
    describe: rejectUnsupported,
    createDatabase: rejectUnsupported,
    dropDatabase: rejectUnsupported,
  }
}

async function* nothing(): AsyncGenerator<never> {}

async function rejectUnsupported(): Promise<never> {
  throw cloudFault('user_action', 'unsupported_action', 'A cluster without a cloud account does not support this.')
}

const verify = async (options: OwnClusterOptions, account: CloudAccount) => {
  try {
    return verdictOf(await kubernetesPermissions(await openCluster(options, account)), rules)
  } catch (error) {
    if (!(error instanceof Fault) || !isCredentialsRefused(error)) throw error
    return refusedAccess(error)
  }
}

const readVersion = async (options: OwnClusterOptions, account: CloudAccount, signal?: AbortSignal) => {
  const api = await openCluster(options, account, signal)
  await api.ask({ permission: 'get /version', path: '/version' })
  return api
}

const lookAtCluster = async (options: OwnClusterOptions, account: CloudAccount) => {
  await readVersion(options, account)
  return { exists: true, status: 'running' as const }
}

function discover(
  options: OwnClusterOptions,
  account: CloudAccount,
  signal?: AbortSignal,
  only?: ReadonlySet<string>,
): Discovery {
  const cluster = clusterOf(account)
  const isWanted = ({ type }: { type: string }) => only === undefined || only.has(type)
  let found: Children | undefined
  async function* pages(): AsyncGenerator<DiscoveredResource[]> {
    // A server that does not answer at all fails the discovery, and everything keeps its last state.
    const api = await readVersion(options, account, signal)
    found = kubernetesChildren(api, cluster)
    const itself = [ofCluster(account)].filter(isWanted)
    if (itself.length > 0) yield itself
    for await (const page of found.pages) {
      const wanted = page.filter(isWanted)
      if (wanted.length > 0) yield wanted
    }
  }
  return {
    pages: pages(),
    get seen() {
      return (found?.seen() ?? []).map((part) => ({
        ...part,
        types: part.types.filter((type) => isWanted({ type })),
      }))
    },
    get missingPermissions() {
      return found?.missingPermissions() ?? []
    },
    get message() {
      return found?.message()
    },
  }
}

/** Nothing is known of its control plane, so that rules about managed ones do not apply. */
function ofCluster(account: CloudAccount): DiscoveredResource {
  const { uid, type, region } = clusterOf(account)
  return {
    resourceUid: uid,
    name: nameOf(account),
    type,
    provider: account.provider,
    region,
    status: 'running',
    schedulable: false,
    tags: {},
    specs: {},
  }
}

const usage = accountUsage<OwnClusterOptions, CloudAccount>({
  clustersOf: async ({ account }) => [account],
  usageOf: async ({ options, account, interval }, _, signal) => {
    const { prices = {} } = credentialsOf(account)
    const api = await openCluster(options, account, signal)
    return clusterUsage(
      api,
      clusterOf(account),
      interval,
      async () => undefined,
      (node, labels) => withPrice(prices, node, labels),
    )
  },
})
